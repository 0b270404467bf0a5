"""Marks of columns: the same for the same values, and bits only where others would differ."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta
from fractions import Fraction
from math import comb, log2
from statistics import NormalDist

import numpy as np
import polars as pl
import pytest

from peekproof.core.shared_columns import ColumnMark, bits_of_counts, bits_of_order, shared
from peekproof.data.column_marks import ColumnMarks, table_marks
from peekproof.data.fingerprint import Fingerprint
from peekproof.data.load import load
from peekproof.data.normal import normalised
from peekproof.data.source import marked

ROWS = 1_000
RNG = np.random.default_rng(1)
NUMBERS = RNG.normal(size=ROWS)
AGES = RNG.integers(18, 90, ROWS)
FLAGS = RNG.random(ROWS) < 0.3


def marks(**columns: object) -> list[ColumnMark]:
    return table_marks(normalised(pl.DataFrame(columns)))


def digests(**columns: object) -> set[str]:
    return {each.digest for each in marks(**columns)}


def test_bits_of_two_values_are_those_of_the_binomial() -> None:
    exact = Fraction(comb(10, 3)) * Fraction(3, 10) ** 3 * Fraction(7, 10) ** 7
    assert bits_of_counts([3, 7]) == pytest.approx(-log2(exact), rel=1e-12)
    assert bits_of_order([3, 7]) == pytest.approx(log2(comb(10, 3)), rel=1e-12)


@pytest.mark.parametrize(
    "other",
    [
        {"y": NUMBERS.astype(np.float32)},
        {"y": NUMBERS[::-1]},
        {"y": NUMBERS.astype(np.float32).astype(float), "z": np.arange(ROWS)},
    ],
)
def test_a_measurement_is_the_same_in_any_type_and_order(other: dict[str, object]) -> None:
    assert digests(x=NUMBERS) & digests(**other)


def test_flags_are_ones_and_noughts_and_whole_numbers_are_floats() -> None:
    assert digests(x=FLAGS) == digests(y=FLAGS.astype(int)) == digests(y=FLAGS.astype(np.float32))
    assert digests(x=AGES) == digests(y=AGES.astype(float))
    gaps = [None if flag else int(age) for age, flag in zip(AGES, FLAGS, strict=True)]
    assert digests(x=gaps) == digests(y=[age and float(age) for age in gaps])
    assert digests(x=gaps) != digests(x=AGES)


@pytest.mark.parametrize(
    "column",
    [
        np.arange(ROWS),
        np.arange(ROWS)[::-1] * 7 + 3,
        RNG.permutation(ROWS) * 3.5,
        np.linspace(0, 1, ROWS),
        RNG.permutation(np.linspace(-5, 5, ROWS)),
        [f"unit {number}" for number in RNG.permutation(ROWS)],
        RNG.choice(10**9, ROWS, replace=False),
        np.ones(ROWS),
        [None] * ROWS,
        np.arange(ROWS) % 7,
        np.arange(ROWS) % 2 == 0,
        np.repeat(["a", "b", "c", "d"], ROWS // 4),
        [None] * (ROWS - 1) + [1.5],
    ],
    ids=lambda column: str(column[:3]),
)
def test_keys_ranges_and_designs_tell_nothing(column: object) -> None:
    assert not [each for each in marks(x=column) if each.bits >= 40]
    if not isinstance(column, list):
        assert marks(x=column) == []


NORMAL = NormalDist()
DAYS = pl.date_range(date(2019, 3, 5), date(2019, 3, 5) + timedelta(ROWS - 1), eager=True)
QUOTA = np.repeat(np.arange(12), [300, 200, 100, 90, 80, 60, 50, 40, 30, 20, 20, 10])
DESIGNS: dict[str, Callable[[], dict[str, object]]] = {
    "a calendar": lambda: {
        "year": DAYS.dt.year(),
        "month": DAYS.dt.month(),
        "day": DAYS.dt.day(),
        "weekday": DAYS.dt.weekday(),
    },
    "working days": lambda: {
        "month": DAYS.filter(DAYS.dt.weekday() < 6).dt.month(),
        "day": DAYS.filter(DAYS.dt.weekday() < 6).dt.day(),
    },
    "a quota": lambda: {f"q{number}": RNG.permutation(QUOTA) for number in range(3)},
    "a geometric grid": lambda: {"x": np.geomspace(1e-3, 1e3, ROWS)},
    "a geometric grid in any order": lambda: {"x": RNG.permutation(np.geomspace(1, 7, ROWS))},
    "a grid of squares": lambda: {"x": np.linspace(0.1, 5, 50_000) ** 2},
    "ranks as of a normal law": lambda: {
        "x": [NORMAL.inv_cdf((rank + 0.5) / ROWS) for rank in RNG.permutation(ROWS)]
    },
    "rounded to 32 bits": lambda: {
        "x": RNG.permutation(np.geomspace(1, 7, 50_000)).astype(np.float32)
    },
    "strata": lambda: {"label": RNG.permutation(np.repeat(np.arange(50), np.arange(50) % 40))},
}


@pytest.mark.parametrize("design", DESIGNS)
def test_designs_that_two_tables_share_do_not_make_them_one(design: str) -> None:
    one, other = marks(**DESIGNS[design]()), marks(**DESIGNS[design]())
    assert shared(other, [each.digest for each in one], ordered=True) == []


@pytest.mark.parametrize(
    "column",
    [
        AGES,
        AGES[:100],
        RNG.random(ROWS) < 0.05,
        RNG.choice(200, ROWS),
        RNG.choice(200, ROWS, p=np.arange(200) / 19_900),
        RNG.lognormal(size=ROWS).round(2),
        RNG.normal(size=50_000),
        np.sort(NUMBERS),
    ],
    ids=lambda column: str(column[:3]),
)
def test_what_came_about_by_chance_is_recognised_in_its_order(column: object) -> None:
    found = marks(x=column)
    assert shared(found, [each.digest for each in found], ordered=True) == ["x"]


def test_few_values_in_another_order_count_where_no_order_is_known() -> None:
    known, other = digests(x=AGES), marks(y=RNG.permutation(AGES))
    assert shared(other, known) == ["y"]
    assert shared(other, known, ordered=True) == []


def test_what_is_sorted_tells_only_how_often_each_value_is_there() -> None:
    (mark,) = marks(x=np.sort(FLAGS))
    assert mark.bits < 10
    assert mark.digest in digests(x=FLAGS)


def test_infinite_and_huge_numbers_have_marks_or_none() -> None:
    marks(x=[np.inf, -np.inf, np.nan, 1e300, -1e300, 0.5] * 100)
    marks(x=np.append(NUMBERS, np.inf))
    marks(x=np.append(NUMBERS, 1e200))


def test_columns_that_are_alike_count_once() -> None:
    table = {f"f{number}": np.sort(FLAGS) * number for number in range(1, 10)}
    found = marks(**table)
    assert len(found) == 9
    assert shared(found, [each.digest for each in found]) == []


def test_several_flags_together_are_enough() -> None:
    shares = np.linspace(0.2, 0.6, 10)
    table = {f"f{number}": RNG.random(ROWS) < share for number, share in enumerate(shares)}
    order = RNG.permutation(ROWS)
    known = digests(**table)
    other = marks(**{f"g{name}": column[order] for name, column in table.items()})
    assert len(shared(other, known)) == 10
    assert shared(other[:3], known) == []


def test_pieces_have_the_marks_of_the_whole() -> None:
    frame = normalised(pl.DataFrame({"x": NUMBERS, "age": AGES, "flag": FLAGS, "id": range(ROWS)}))
    fingerprint, pieces = Fingerprint(dict(frame.schema)), ColumnMarks()
    for start in range(0, ROWS, 300):
        piece = frame.slice(start, 300)
        pieces.add(piece, fingerprint.add(piece))
    whole = ColumnMarks()
    whole.add(frame, Fingerprint(dict(frame.schema)).add(frame))
    one, other = ({each.digest for each in marks.found()} for marks in (pieces, whole))
    assert one == other
    assert {each.column for each in pieces.found()} == {"x", "age", "flag"}


def test_files_in_pieces_and_databases_are_recognised_by_the_same_marks(
    tmp_path: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(str(tmp_path))
    frame = pl.DataFrame({"x": NUMBERS, "age": AGES, "flag": FLAGS})
    frame[:400].write_parquet("rows-1.parquet")
    frame[400:].write_parquet("rows-2.parquet")
    known = digests(x=NUMBERS, age=AGES, flag=FLAGS)
    assert {each.digest for each in marked(load("rows-*.parquet")).marks} < known
    duckdb = pytest.importorskip("duckdb")
    with duckdb.connect("rows.duckdb") as link:
        link.sql("CREATE TABLE rows AS SELECT * FROM 'rows-*.parquet'")
    source = load(f"duckdb://{tmp_path}/rows.duckdb#rows")
    assert {each.digest for each in marked(source).marks} < known
    assert {each.column for each in marked(source).marks} == {"x", "age", "flag"}
    source.close()


def test_a_name_that_looks_like_a_pattern_is_a_name() -> None:
    assert marks(**{"^.*$": NUMBERS, "^a.*$": FLAGS, "": AGES}) != []
    texts = [f"city {number % 7}" for number in AGES]
    (values, order) = marks(**{"^.*$": texts})
    assert {values.column, order.column} == {"^.*$"}
