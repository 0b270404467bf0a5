"""Rows in files: the same totals, the same name, and no more memory for more rows."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.naive_totals import total
from data.tables import TABLES, Rows, frame
from data.test_totals import FORMS, asked
from peekproof.core.errors import DataChanged, DataError, EvaluationFailed, InvalidInput
from peekproof.data import files as reading_module
from peekproof.data import files as types_module
from peekproof.data.files import csv_types
from peekproof.data.load import in_memory
from peekproof.data.scan import Scan, scan
from peekproof.data.source import Source
from peekproof.data.statistic import Statistic
from peekproof.query.form import Form
from peekproof.query.question import parse_question
from query.naive import Row

TEXTS = (
    "a > 1 and s != 'x'",
    "mean(a, -5, 5, 1)",
    "histogram(s, ('x', ''))",
    "quantile(a, 0.5, -5, 5, 4)",
    "f",
)


def content(rows: int = 50) -> pl.DataFrame:
    rng = np.random.default_rng(5)
    return pl.DataFrame(
        {
            "a": pl.Series(rng.normal(0, 3, rows)).set(pl.Series(rng.random(rows) < 0.1), None),
            "s": [["x", "y", None][i] for i in rng.integers(0, 3, rows)],
            "f": [[True, False, None][i] for i in rng.integers(0, 3, rows)],
            "i": rng.integers(-9, 9, rows),
        }
    )


def written(table: pl.DataFrame, path: Path) -> Path:
    match path.suffix:
        case ".csv":
            table.write_csv(path)
        case ".tsv":
            table.write_csv(path, separator="\t")
        case _:
            table.write_parquet(path, row_group_size=7)
    return path


def opened(source: Source, *texts: str) -> list[object]:
    questions = [parse_question(text, source.schema) for text in texts]
    return [exact.reveal() for exact in source.totals(questions)]


@pytest.fixture(params=["csv", "tsv", "parquet"])
def ending(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def small_pieces(patch: pytest.MonkeyPatch, rows: int = 3) -> None:
    patch.setattr(reading_module, "_FEWEST", rows)
    patch.setattr(reading_module, "_MOST", rows)
    patch.setattr(types_module, "BLOCK", 16)


@settings(max_examples=40)
@given(st.lists(FORMS, min_size=1, max_size=3), TABLES)
def test_totals_agree_with_a_loop_over_rows(forms: list[Form], rows: Rows) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        small_pieces(patch)
        path = Path(folder) / "t.parquet"
        frame(rows).write_parquet(path, row_group_size=2)
        source, questions = scan(path), asked(*forms)
        expected = [total(question.form, list[Row](rows)) for question in questions]
        assert [exact.reveal() for exact in source.totals(questions)] == expected
        assert source.fingerprint == in_memory(path).fingerprint


def test_every_format_gives_what_memory_gives(
    ending: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_pieces(monkeypatch)
    path = written(content(), tmp_path / f"t.{ending}")
    source, table = scan(path), in_memory(path)
    assert isinstance(source, Source)
    assert (source.rows, source.schema, source.fingerprint) == (
        table.rows,
        table.schema,
        table.fingerprint,
    )
    assert opened(source, *TEXTS, *TEXTS) == opened(table, *TEXTS) * 2
    assert source.totals([]) == []


def test_a_folder_and_a_pattern_are_all_of_their_files(ending: str, tmp_path: Path) -> None:
    whole = content()
    for number, start in enumerate(range(0, 50, 20)):
        written(whole[start : start + 20], tmp_path / f"part-{number}.{ending}")
    (tmp_path / "_SUCCESS").touch()
    expected = opened(in_memory(whole), *TEXTS)
    for source in (scan(tmp_path), scan(str(tmp_path / f"part-*.{ending}"))):
        assert source.rows == 50
        assert source.fingerprint == in_memory(whole).fingerprint
        assert opened(source, *TEXTS) == expected


def test_a_path_that_exists_is_never_a_pattern(tmp_path: Path) -> None:
    written(content(3), tmp_path / "a.csv")
    assert scan(written(content(5), tmp_path / "[a].csv")).rows == 5


def test_a_name_that_looks_like_a_pattern_is_a_name(ending: str, tmp_path: Path) -> None:
    path = written(pl.DataFrame({"^a$": [1.0, 3.0], "a": [7.0, 8.0]}), tmp_path / f"t.{ending}")
    assert opened(scan(path), "`^a$` > 2", "a > 2") == [1, 2]


# Types of CSV files: the same from a few lines at a time as from all of them ----------------------

CSV_CELLS = st.sampled_from(
    ["", "1", "-2", "+3", "1.5", "1e5", "inf", "NaN", "true", "False", "x", '""', '"1"', '"a\nb"',
     '"say ""so"""', '"a,b"', " 4", "007", "9223372036854775808", "2024-02-29", "null", ".5", "5."]
)  # fmt: skip


@given(
    st.lists(st.lists(CSV_CELLS, min_size=2, max_size=2), min_size=1, max_size=8),
    st.sampled_from(["\n", "\r\n"]),
    st.booleans(),
)
def test_types_do_not_depend_on_blocks(rows: list[list[str]], end: str, closed: bool) -> None:
    lines = [",".join(row) for row in [["a", "b"], *rows]]
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        path = Path(folder) / "t.csv"
        path.write_bytes((end.join(lines) + end * closed).encode())
        whole = pl.scan_csv(path, infer_schema_length=None, glob=False).collect_schema()
        patch.setattr(types_module, "BLOCK", 5)
        assert csv_types(path, ",") == dict(whole)


def test_types_are_read_from_all_rows(tmp_path: Path) -> None:
    path = tmp_path / "late.csv"
    path.write_text("n,m\n" + "1,\n" * 20_000 + "2.5,7\nlate,8\n")
    source = scan(path)
    assert source.schema == in_memory(path).schema
    assert source.fingerprint == in_memory(path).fingerprint


# What is refused ---------------------------------------------------------------------------------


def two(first: pl.DataFrame, second: pl.DataFrame, *endings: str) -> Callable[[Path], object]:
    def make(folder: Path) -> object:
        for number, (table, ending) in enumerate(zip((first, second), endings, strict=True)):
            written(table, folder / f"{number}.{ending}")
        return folder

    return make


def broken(name: str, what: bytes) -> Callable[[Path], object]:
    def make(folder: Path) -> object:
        (folder / name).write_bytes(what)
        return folder / name

    return make


ONE, OTHER = pl.DataFrame({"a": [1.0]}), pl.DataFrame({"a": ["x"]})
REFUSED: dict[str, tuple[Callable[[Path], object], str]] = {
    "nothing there": (lambda folder: folder / "no.csv", "does not exist"),
    "nothing matches": (lambda folder: folder / "*.csv", "matches no file"),
    "empty folder": (lambda folder: folder, "is a folder without files"),
    "formats": (two(ONE, ONE, "csv", "parquet"), "different formats (CSV, Parquet)"),
    "separators": (two(ONE, ONE, "csv", "tsv"), "different formats (CSV, TSV)"),
    "types": (two(ONE, OTHER, "csv", "csv"), "has String for 'a', but in 0.csv it is Float64"),
    "names": (
        two(ONE, ONE.rename({"a": "b"}), "parquet", "parquet"),
        "has no such column for 'a', but in 0.parquet it is Float64",
    ),
    "more columns": (
        two(ONE, ONE.with_columns(b=1), "parquet", "parquet"),
        "has Float64 for 'b', but in 0.parquet there is none",
    ),
    "unknown ending": (broken("x.xlsx", b"PK"), "has an unknown ending '.xlsx'"),
    "empty file": (broken("e.csv", b""), "is an empty file"),
    "header only": (broken("h.csv", b"a,b\n"), "has no rows"),
    "not parquet": (broken("p.parquet", b"PAR1"), "cannot be read"),
    "ragged": (broken("r.csv", b"a,b\n1,2\n3,4,5\n"), "cannot be read"),
}


@pytest.mark.parametrize(("make", "problem"), REFUSED.values(), ids=[*REFUSED])
def test_what_cannot_be_held_is_named(
    make: Callable[[Path], object], problem: str, tmp_path: Path
) -> None:
    with pytest.raises(DataError) as caught:
        scan(str(make(tmp_path)))
    assert problem in str(caught.value)


def test_what_needs_all_rows_at_once_says_to_read_them(tmp_path: Path) -> None:
    source = scan(written(content(), tmp_path / "t.csv"))
    question = parse_question("f", source.schema)
    statistic = Statistic(name="n", function=len, sensitivity=1, low=0, high=9)
    for ask in (
        lambda: source.totals_part([question], first=0, parts=2, key="00"),
        lambda: source.totals_round([question], number=0, rounds=2, key="00"),
        lambda: source.measure(statistic, levels=1),
    ):
        with pytest.raises(InvalidInput, match="into memory"):
            ask()
    assert not source.ordered


# Files that change -------------------------------------------------------------------------------


def test_the_same_rows_in_new_files_are_the_same_data(ending: str, tmp_path: Path) -> None:
    path = written(content(), tmp_path / f"t.{ending}")
    source = scan(path)
    before = opened(source, *TEXTS)
    written(content().reverse(), path)
    assert opened(source, *TEXTS) == before


def replaced(path: Path) -> None:
    written(content().with_columns(pl.col("i") + 1), path)


def removed(path: Path) -> None:
    path.unlink()


def joined_by_another(path: Path) -> None:
    written(content(), path.with_stem("u"))


@pytest.mark.parametrize("change", [replaced, removed, joined_by_another])
def test_other_rows_are_refused(
    change: Callable[[Path], None], ending: str, tmp_path: Path
) -> None:
    path = written(content(), tmp_path / f"t.{ending}")
    source = scan(tmp_path)
    change(path)
    with pytest.raises(DataChanged):
        opened(source, "f")


def test_a_change_during_a_pass_is_seen_before_a_total_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(content(), tmp_path / "t.parquet")
    source = scan(path)
    plain = Scan._pass

    def changed_meanwhile(self: Scan, questions: object) -> object:
        found = plain(self, questions)  # type: ignore[arg-type]
        replaced(path)
        return found

    monkeypatch.setattr(Scan, "_pass", changed_meanwhile)
    with pytest.raises(DataChanged):
        opened(source, "f")


def test_a_file_that_breaks_says_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = scan(written(content(), tmp_path / "t.csv"))

    def failing(*_: object) -> object:
        raise pl.exceptions.ComputeError("row 17 holds s3cr3t")

    monkeypatch.setattr(reading_module, "normalised", failing)
    with pytest.raises(EvaluationFailed) as caught:
        opened(source, "f")
    assert "s3cr3t" not in "".join(traceback.format_exception(caught.value))


def test_progress_is_told_for_every_pass(tmp_path: Path) -> None:
    for number in range(2):
        written(content(), tmp_path / f"{number}.csv")
    heard: list[tuple[int, int]] = []
    source = scan(tmp_path, progress=lambda done, total: heard.append((done, total)))
    size = sum(path.stat().st_size for path in tmp_path.iterdir())
    assert heard.count((size, size)) >= 2
    assert all(0 < done <= total == size for done, total in heard)
    heard.clear()
    opened(source, "f")
    assert heard[-1] == (size, size)


# Memory ------------------------------------------------------------------------------------------

# Not `ru_maxrss`, which a child inherits: it would begin with the memory of whoever runs the tests.
CHILD = """
import sys
from pathlib import Path
import polars
from peekproof.data.load import in_memory
from peekproof.data.scan import scan
from peekproof.query.question import parse_question
whole = lambda folder: in_memory(polars.read_parquet(folder + "/*.parquet"))
source = {"pieces": scan, "whole": whole}[sys.argv[1]](sys.argv[2])
asked = [parse_question(f"x > {i} and y < {i}", source.schema) for i in range(20)]
source.totals([*asked, parse_question("mean(x + y, 0, 1, 0)", source.schema)])
(most,) = [line for line in Path("/proc/self/status").open() if line.startswith("VmHWM:")]
print(source.rows, int(most.split()[1]) * 1024)
"""


def peak(how: str, folder: Path) -> tuple[int, int]:
    """The rows that a process has asked about, and the most memory it has held."""
    command = [sys.executable, "-c", CHILD, how, str(folder)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    rows, held = map(int, ran.stdout.split())
    return rows, held


@pytest.mark.skipif(sys.platform != "linux", reason="asks Linux")
def test_memory_does_not_grow_with_the_files(tmp_path: Path) -> None:
    """Twelve times the rows, 350 MB more of them, take as much; read whole they would not."""
    rows, few, many = 1_000_000, tmp_path / "few", tmp_path / "many"
    table = pl.DataFrame({"x": np.arange(rows) * 0.5, "y": np.arange(rows) * 0.25})
    for folder, count in ((few, 2), (many, 24)):
        folder.mkdir()
        table.write_parquet(folder / "0.parquet")
        for number in range(1, count):
            os.link(folder / "0.parquet", folder / f"{number}.parquet")
    added = 22 * rows * 16
    (small, before), (large, after) = peak("pieces", few), peak("pieces", many)
    assert (small, large) == (2 * rows, 24 * rows)
    assert after - before < added / 4
    assert peak("whole", many)[1] - before > added / 2
