from __future__ import annotations

import datetime
import shutil
from importlib import import_module
from math import nan
from pathlib import Path

import polars as pl
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from data.tables import CELLS, TABLES, TEXT, Rows, frame, plain
from peekproof.data.load import in_memory
from query.naive import Cell
from query.strategies import FLAGS, NUMBERS, TEXTS

# The package's attribute of this name is the function.
fingerprint_module = import_module("peekproof.data.fingerprint")


def name_of(source: object) -> str:
    return in_memory(source).fingerprint


GOLDEN = {
    "age": [50.0, None, -0.0],
    "name": ["é", "", None],
    "well": [True, None, False],
    "day": [datetime.date(2024, 2, 29), None, datetime.date(1969, 12, 31)],
}


def test_the_format_cannot_change_silently() -> None:
    """Ledgers record fingerprints: another value here orphans every ledger ever written."""
    assert name_of(GOLDEN) == "pp1-133ed778af8546f60a687c4a6dbed694"


def test_the_version_is_part_of_the_name() -> None:
    version, digits = name_of(GOLDEN).split("-")
    assert version == fingerprint_module.VERSION
    assert len(digits) == 32
    int(digits, 16)


@given(TABLES, st.data())
def test_rows_and_columns_may_be_reordered(rows: Rows, data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(rows))))
    shuffled, columns = (
        [rows[index] for index in order],
        data.draw(st.permutations(sorted(rows[0]))),
    )
    other = [{name: row[name] for name in columns} for row in shuffled]
    assert name_of(frame(other)) == name_of(frame(rows))


CELL_OF: dict[str, st.SearchStrategy[Cell]] = {
    **dict.fromkeys(NUMBERS, st.none() | CELLS),
    **dict.fromkeys(TEXTS, st.none() | TEXT),
    **dict.fromkeys(FLAGS, st.none() | st.booleans()),
}


@given(TABLES, st.data())
def test_any_changed_cell_changes_the_name(rows: Rows, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(rows) - 1))
    name = data.draw(st.sampled_from(sorted(CELL_OF)))
    cell = data.draw(CELL_OF[name])
    assume(plain(cell) != plain(rows[index][name]))
    changed = [*rows[:index], {**rows[index], name: cell}, *rows[index + 1 :]]
    assert name_of(frame(changed)) != name_of(frame(rows))


@given(TABLES, st.data())
def test_any_repeated_or_missing_row_changes_the_name(rows: Rows, data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(rows) - 1))
    repeated = [*rows, rows[index]]
    assert name_of(frame(repeated)) != name_of(frame(rows))


def test_multiplicities_count() -> None:
    assert name_of({"a": [1.0, 1.0, 2.0]}) != name_of({"a": [1.0, 2.0, 2.0]})


def test_cells_belong_to_their_row_and_column() -> None:
    names = {
        name_of({"a": [1.0, 2.0], "b": [3.0, 4.0]}),
        name_of({"a": [1.0, 2.0], "b": [4.0, 3.0]}),
        name_of({"a": [3.0, 4.0], "b": [1.0, 2.0]}),
        name_of({"a": [1.0, 3.0], "b": [2.0, 4.0]}),
    }
    assert len(names) == 4


def test_names_and_kinds_of_columns_count() -> None:
    tables: list[dict[str, list[object]]] = [
        {"a": [1.0, 0.0]},
        {"b": [1.0, 0.0]},
        {"a ": [1.0, 0.0]},
        {"a": [True, False]},
        {"a": ["1", "0"]},
        {"a": ["1.0", "0.0"]},
        {"a": [1.0, None]},
        {"a": ["", None]},
        {"a": [None, None]},
        {"a": [1.0, 0.0], "b": [None, None]},
    ]
    assert len({name_of(table) for table in tables}) == len(tables)


def test_zero_has_no_sign_and_nan_is_missing() -> None:
    assert name_of({"a": [0.0, nan]}) == name_of({"a": [-0.0, None]})


def test_dates_count_although_they_cannot_be_asked() -> None:
    first, second = datetime.date(2024, 1, 1), datetime.date(2024, 1, 2)
    assert name_of({"day": [first, None]}) != name_of({"day": [second, None]})


def test_files_and_frames_of_the_same_values_share_a_name(tmp_path: Path) -> None:
    content = pl.DataFrame(
        {"age": [50, 31, None], "pay": [1.5, None, 1e300], "who": ["é", "a,b", 'say "so"']}
    )
    csv, tsv, parquet = (tmp_path / f"t.{ending}" for ending in ("csv", "tsv", "parquet"))
    content.write_csv(csv)
    content.write_csv(tsv, separator="\t")
    content.write_parquet(parquet)
    copy = tmp_path / "renamed copy.csv"
    shutil.copy(csv, copy)
    sources = [content, csv, tsv, parquet, copy, str(copy), content.to_dict(), content.lazy()]
    assert len({name_of(source) for source in sources}) == 1


def test_long_tables_are_hashed_in_pieces_without_a_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    content = pl.DataFrame({"a": [float(i % 11) for i in range(100)], "s": ["x", "y"] * 50})
    whole = name_of(content)
    for length in (1, 7, 100):
        monkeypatch.setattr(fingerprint_module, "CHUNK", length)
        assert name_of(content) == whole
        assert name_of(content.reverse()) == whole
