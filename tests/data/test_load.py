from __future__ import annotations

import datetime
from collections.abc import Callable
from decimal import Decimal
from math import inf, nan
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from data.tables import held
from peekproof.core.errors import DataError
from peekproof.data.load import in_memory, load
from peekproof.query.question import parse_question
from peekproof.query.schema import Kind

DAY = datetime.datetime(2024, 2, 29)

CONTENT: dict[str, list[object]] = {
    "n": [1.0, None, -2.5],
    "i": [1.0, 2.0, 3.0],
    "s": ["x", None, "é"],
    "f": [True, None, False],
}
KINDS = {"n": Kind.NUMBER, "i": Kind.NUMBER, "s": Kind.TEXT, "f": Kind.FLAG}


def reference() -> pl.DataFrame:
    return pl.DataFrame({**CONTENT, "n": [1.0, nan, -2.5], "i": [1, 2, 3]})


def csv(folder: Path) -> object:
    path = folder / "table.csv"
    path.write_text("n,i,s,f\n1,1,x,true\nNaN,2,,\n-2.5,3,é,false\n", encoding="utf-8")
    return path


def csv_by_name(folder: Path) -> object:
    return str(csv(folder))


def csv_in_capitals(folder: Path) -> object:
    path = folder / "TABLE.CSV"
    path.write_text("n,i,s,f\n1,1,x,true\n,2,,\n-2.5,3,é,false\n", encoding="utf-8")
    return path


def text_file(folder: Path) -> object:
    path = folder / "table.txt"
    path.write_text("n,i,s,f\n1.0,1,x,true\n,2,,\n-2.5,3,é,false\n", encoding="utf-8")
    return path


def tsv(folder: Path) -> object:
    path = folder / "table.tsv"
    path.write_text("n\ti\ts\tf\n1\t1\tx\ttrue\n\t2\t\t\n-2.5\t3\té\tfalse\n", encoding="utf-8")
    return path


def parquet(folder: Path) -> object:
    path = folder / "table.parquet"
    reference().write_parquet(path)
    return path


def short_parquet(folder: Path) -> object:
    path = folder / "table.pq"
    reference().write_parquet(path)
    return path


def polars_frame(folder: Path) -> object:
    return reference()


def polars_chunks(folder: Path) -> object:
    return pl.concat([reference()[:1], reference()[1:]], rechunk=False)


def polars_lazy(folder: Path) -> object:
    return reference().lazy()


def polars_small_types(folder: Path) -> object:
    return reference().cast({"n": pl.Float32, "i": pl.UInt8, "s": pl.Categorical})


def arrow_table(folder: Path) -> object:
    return pa.table({**CONTENT, "i": pa.array([1, 2, 3], pa.int32())})


def dict_of_arrays(folder: Path) -> object:
    texts = np.array(["x", None, "é"], object)
    return {"n": np.array([1.0, nan, -2.5]), "i": np.arange(1, 4), "s": texts, "f": CONTENT["f"]}


def dict_of_lists(folder: Path) -> object:
    return CONTENT


def pandas_plain(folder: Path) -> object:
    return pd.DataFrame({**CONTENT, "n": [1.0, nan, -2.5], "i": np.arange(1, 4)})


def pandas_odd_index(folder: Path) -> object:
    frame = pd.DataFrame({**CONTENT, "i": np.arange(1, 4)})
    frame.index = pd.Index([7, 7, -1])
    return frame


def pandas_nullable(folder: Path) -> object:
    return pd.DataFrame(
        {
            "n": pd.array([1.0, None, -2.5], dtype="Float64"),
            "i": pd.array([1, 2, 3], dtype="Int64"),
            "s": pd.array(["x", None, "é"], dtype="string"),
            "f": pd.array([True, None, False], dtype="boolean"),
        }
    )


def pandas_arrow(folder: Path) -> object:
    return pd.DataFrame(
        {
            "n": pd.array([1.0, None, -2.5], dtype="float64[pyarrow]"),
            "i": pd.array([1, 2, 3], dtype="int64[pyarrow]"),
            "s": pd.Categorical(["x", None, "é"]),
            "f": pd.array([True, None, False], dtype="bool[pyarrow]"),
        }
    )


SHAPES = [
    csv, csv_by_name, csv_in_capitals, text_file, tsv, parquet, short_parquet, polars_frame,
    polars_chunks, polars_lazy, polars_small_types, arrow_table, dict_of_arrays, dict_of_lists,
    pandas_plain, pandas_odd_index, pandas_nullable, pandas_arrow,
]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
def test_the_same_values_load_the_same_from_every_shape(
    shape: Callable[[Path], object], tmp_path: Path
) -> None:
    table = in_memory(shape(tmp_path))
    assert held(table) == CONTENT
    assert table.schema.columns == KINDS
    assert table.rows == 3
    assert table.fingerprint == in_memory(reference()).fingerprint


def test_numbers_of_every_type_become_doubles() -> None:
    numbers = {
        "int": pl.Series([1, None], dtype=pl.Int64),
        "small": pl.Series([1, None], dtype=pl.UInt8),
        "float": pl.Series([1.0, nan], dtype=pl.Float32),
        "decimal": pl.Series([Decimal("1.0"), None]),
        "infinite": pl.Series([inf, -inf]),
        "nothing": pl.Series([None, None], dtype=pl.Null),
    }
    table = in_memory(pl.DataFrame(numbers))
    assert set(table.schema.columns.values()) == {Kind.NUMBER}
    one = [1.0, None]
    assert held(table) == {
        "int": one,
        "small": one,
        "float": one,
        "decimal": one,
        "infinite": [inf, -inf],
        "nothing": [None, None],
    }


def test_dates_and_moments_can_be_asked_but_other_times_only_stay() -> None:
    table = in_memory(
        pl.DataFrame(
            {
                "when": [DAY, None],
                "date": [DAY.date(), None],
                "time": [DAY.time(), None],
                "span": [datetime.timedelta(1), None],
            }
        )
    )
    assert table.schema.columns == {
        "when": Kind.MOMENT,
        "date": Kind.DATE,
        "time": Kind.OTHER,
        "span": Kind.OTHER,
    }


def test_nested_and_binary_columns_are_left_out() -> None:
    frame = pl.DataFrame({"list": [[1], [2]], "bytes": [b"1", b"2"], "n": [1.0, 2.0]})
    assert list(in_memory(frame).schema.columns) == ["n"]


def test_pandas_dates_become_dates() -> None:
    stamps = pd.to_datetime(["2024-02-29", None])
    table = in_memory(pd.DataFrame({"local": stamps, "zoned": stamps.tz_localize("UTC")}))
    assert set(table.schema.columns.values()) == {Kind.MOMENT}
    assert held(table)["local"] == held(table)["zoned"]
    assert held(table)["local"] == [DAY.replace(tzinfo=datetime.UTC), None]


def test_pandas_column_names_become_text() -> None:
    named = pd.DataFrame({1: [1.0, 2.0], ("a", "b"): [3.0, 4.0]})
    assert list(in_memory(named).schema.columns) == ["1", "('a', 'b')"]


def test_pandas_integers_beyond_a_signed_word_load() -> None:
    big = pd.DataFrame({"n": np.array([2**63, 0], dtype="uint64")})
    assert held(in_memory(big)) == {"n": [2.0**63, 0.0]}


def test_a_source_is_held_as_it_is() -> None:
    table = in_memory({"a": [1.0, 2.0]})
    assert load(table) is table


def test_types_are_read_from_all_rows(tmp_path: Path) -> None:
    path = tmp_path / "late.csv"
    path.write_text("n\n" + "1\n" * 20_000 + "2.5\nlate\n")
    assert in_memory(path).schema.columns == {"n": Kind.TEXT}


def file(name: str, content: bytes | None) -> Callable[[Path], object]:
    def make(folder: Path) -> object:
        if content is not None:
            (folder / name).write_bytes(content)
        return folder / name

    return make


def folder_as_source(folder: Path) -> object:
    return folder


def given(source: object) -> Callable[[Path], object]:
    return lambda _: source


REFUSED: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "missing file": (file("no.csv", None), "no.csv does not exist", "check the path"),
    "folder": (folder_as_source, "is a folder", "name one CSV or Parquet file"),
    "empty file": (file("e.csv", b""), "e.csv is an empty file", "give a CSV"),
    "blank file": (file("b.csv", b"\n"), "b.csv cannot be read", "give a CSV"),
    "header only": (file("h.csv", b"a,b\n"), "h.csv has no rows", "0 rows"),
    "unknown ending": (file("x.xlsx", b"PK"), "has an unknown ending '.xlsx'", "name a .csv"),
    "no ending": (file("x", b"a\n1\n"), "has an unknown ending ''", "name a .csv"),
    "ragged": (file("r.csv", b"a,b\n1,2\n3,4,5\n"), "r.csv cannot be read", "give a CSV"),
    "not utf-8": (file("u.csv", b"a\n\xff\xfe\n"), "u.csv cannot be read", "give a CSV"),
    "not parquet": (file("p.parquet", b"PAR1"), "p.parquet cannot be read", "give a CSV"),
    "unequal lengths": (given({"a": [1, 2], "b": [1, 2, 3]}), "the dict cannot be read", "equally"),
    "no columns": (given({}), "the dict has no columns", "give a CSV"),
    "no usable columns": (given({"a": [[1]]}), "the dict has no columns", "give a CSV"),
    "no rows": (given({"a": []}), "the dict has no rows", "0 rows"),
    "a list": (given([1, 2]), "the list is not a table", "give a CSV"),
    "an array": (given(np.zeros((2, 2))), "the ndarray is not a table", "give a CSV"),
    "nothing": (given(None), "the NoneType is not a table", "give a CSV"),
    "pandas column": (given(pd.Series([1, 2])), "the Series cannot be read", "give a CSV"),
    "pandas twins": (
        given(pd.DataFrame([[1, 2]], columns=["a", "a"])),
        "the DataFrame ",
        "; ",
    ),
}


@pytest.mark.parametrize(
    ("make", "problem", "hint"), REFUSED.values(), ids=[name.replace(" ", "-") for name in REFUSED]
)
def test_what_cannot_be_held_is_named_with_a_way_out(
    make: Callable[[Path], object], problem: str, hint: str, tmp_path: Path
) -> None:
    with pytest.raises(DataError) as caught:
        in_memory(make(tmp_path))
    assert problem in str(caught.value)
    assert hint in str(caught.value)
    assert isinstance(caught.value, ValueError)


def test_lack_of_memory_is_not_a_fault_of_the_data(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def full(*_: object, **__: object) -> pl.DataFrame:
        raise MemoryError

    monkeypatch.setattr(pl, "read_csv", full)
    with pytest.raises(MemoryError):
        in_memory(csv(tmp_path))


# What the readers do by default, and must not do here -------------------------------------------


@pytest.mark.parametrize("name", ["data[1]", "dat?1", "dat*"])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_path_is_never_a_pattern(name: str, ending: str, tmp_path: Path) -> None:
    def write(stem: str, frame: pl.DataFrame) -> Path:
        path = tmp_path / f"{stem}.{ending}"
        if ending == "csv":
            frame.write_csv(path)
        else:
            frame.write_parquet(path)
        return path

    write("data1", pl.DataFrame({"n": [7.0]}))
    assert held(in_memory(write(name, pl.DataFrame({"n": [1.0, 2.0]})))) == {"n": [1.0, 2.0]}


# A method of a series that Polars writes as an expression looks itself up by name.
ANCHORED = ["^a$", "^b$"]


def load_and_count(content: dict[str, list[float]]) -> object:
    """Each column, and how many of its cells exceed 2, alone and in a batch; or a refusal."""
    try:
        table = in_memory(content)
    except DataError as error:
        return str(error)
    asked = [parse_question(f"`{name}` > 2", table.schema) for name in content]
    alone = [table.count([question])[0].reveal() for question in asked]
    return held(table), alone, [exact.reveal() for exact in table.count(asked)]


@pytest.mark.parametrize("name", ["*", "^.*$", *ANCHORED])
def test_a_column_name_is_never_a_pattern(name: str) -> None:
    """Such a column is refused by name, or held and counted like any other."""
    content = {name: [1.0, 2.0], "a": [3.0, 4.0]}
    found = load_and_count(content)
    if isinstance(found, str):
        assert repr(name) in found
    else:
        assert found == (content, [0, 2], [0, 2])


def test_columns_that_look_almost_like_patterns_are_counted() -> None:
    content = {name: [1.0, 3.0] for name in ("a*", "^a", "a$", "a.b", "[a]", "{}", "\\d")}
    assert load_and_count(content) == (content, [1] * 7, [1] * 7)


SECRET = "s3cr3t"


@pytest.mark.parametrize(
    "make",
    [
        file("q.csv", f'a,b\n1,"{SECRET}\n3,4\n'.encode()),
        given({"a": [1, SECRET]}),
        given(pd.DataFrame({"a": pd.Series([1, SECRET], dtype=object)})),
        given(pl.LazyFrame({"a": [SECRET]}).select(pl.col("a").cast(pl.Int64))),
    ],
    ids=["csv", "dict", "pandas", "lazy"],
)
def test_no_message_quotes_a_cell(make: Callable[[Path], object], tmp_path: Path) -> None:
    """Mixed columns may be held or refused; a refusal says nothing of what was read."""
    printed = ""
    try:
        in_memory(make(tmp_path))
    except DataError as error:
        # The chained exception is the reader's own and stays with whoever holds the data.
        printed = f"{error} {error!r} {error.fields()}"
    assert SECRET not in printed


@pytest.mark.parametrize(
    "values", [[True, None, False], [1.0, None, 2.0]], ids=["flags", "numbers"]
)
def test_arrays_of_objects_are_not_left_out_silently(values: list[object]) -> None:
    assert held(in_memory({"a": np.array(values, object), "b": [1.0, 2.0, 3.0]}))["a"] == values


def test_pandas_names_that_become_equal_are_refused() -> None:
    with pytest.raises(DataError):
        in_memory(pd.DataFrame({1: [1.0, 2.0], "1": [3.0, 4.0]}))


def test_a_list_may_mix_whole_and_other_numbers() -> None:
    assert held(in_memory({"a": [1, 2.5]})) == {"a": [1.0, 2.5]}
    assert held(in_memory(pd.DataFrame({"a": pd.Series([1, 2.5], dtype=object)}))) == {
        "a": [1.0, 2.5]
    }
