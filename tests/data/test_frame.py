"""Parts of a split: disjoint, complete, reproducible, and decided by the key alone."""

from __future__ import annotations

import hashlib
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from peekproof.core.errors import InvalidInput
from peekproof.data.frame import BUCKETS, Frame, split
from peekproof.data.load import in_memory
from peekproof.data.table import Table

ROWS = 3_000
KEY = "0123456789abcdef" * 2
HALVES = {"guess": 0.5, "check": 0.5}


def table(rows: int = ROWS, *, seed: int = 1) -> Table:
    rng = np.random.default_rng(seed)
    return in_memory(
        {"id": np.arange(rows), "name": [f"n{i}" for i in range(rows)], "x": rng.random(rows)}
    )


def ids(part: object) -> list[int]:
    assert isinstance(part, Table)
    return sorted(int(each) for each in part._frame["id"])


@pytest.mark.parametrize("by", [None, "id", "name"])
def test_parts_share_no_row_and_cover_all(by: str | None) -> None:
    parts = split(table(), {"a": 0.25, "b": 0.5, "c": 0.25}, by=by)
    assert sorted(each for part in parts.values() for each in ids(part)) == list(range(ROWS))
    assert len({part.fingerprint for part in parts.values()}) == 3


@pytest.mark.parametrize("by", [None, "id", "name"])
def test_the_same_key_draws_the_same_parts_whatever_the_order(by: str | None) -> None:
    shuffled = in_memory(table()._frame.sample(fraction=1, shuffle=True, seed=3))
    one, other = (split(each, HALVES, by=by, key=KEY) for each in (table(), shuffled))
    assert ids(one["check"]) == ids(other["check"])
    assert one["check"].fingerprint == other["check"].fingerprint
    assert ids(split(table(), HALVES, by=by)["check"]) != ids(one["check"])


def test_shuffled_parts_have_exact_sizes_and_leave_out_the_rest() -> None:
    parts = split(table(1001), {"a": Fraction(1, 3), "b": Fraction(1, 3)})
    assert [part.rows for part in parts.values()] == [333, 334]


def test_a_bucket_is_the_first_byte_of_the_digest_of_key_and_value() -> None:
    part = split(table(), {"a": Fraction(1, 4)}, by="name", key=KEY)["a"]
    digests = [hashlib.md5(f"{KEY}:n{i}".encode()).hexdigest() for i in range(ROWS)]
    assert ids(part) == [i for i, each in enumerate(digests) if int(each[:2], 16) < BUCKETS // 4]
    whole = split(table(), {"a": Fraction(1, 4)}, by="id", key=KEY)["a"]
    digests = [hashlib.md5(f"{KEY}:{i}".encode()).hexdigest() for i in range(ROWS)]
    assert ids(whole) == [i for i, each in enumerate(digests) if int(each[:2], 16) < BUCKETS // 4]


def test_equal_rows_are_told_apart_without_a_column() -> None:
    """Wrong variant: by content alone, 500 equal rows would all lie in one part."""
    parts = split(in_memory({"x": [1.0] * 500 + [2.0] * 500}), HALVES)
    for part in parts.values():
        assert isinstance(part, Table)
        assert 150 < part._frame["x"].value_counts().filter(pl.col("x") == 1.0)["count"][0] < 350


@pytest.mark.parametrize(
    "column",
    [[1.0, 1.0, 2.0], [1.0, None, 2.0], [1.0, 2.5, 3.0], [1.0, 2.0, 1e300], ["a", "a", "b"]],
)
def test_a_column_that_cannot_tell_rows_apart_is_refused(column: list[object]) -> None:
    with pytest.raises(InvalidInput, match="by must be"):
        split(in_memory({"id": column}), HALVES, by="id")


@pytest.mark.parametrize("parts", [{}, {"a": 0}, {"a": -0.5}, {"a": 0.7, "b": 0.4}, {"a": "x"}])
def test_shares_are_positive_and_no_more_than_all(parts: dict[str, float]) -> None:
    with pytest.raises(InvalidInput, match="parts must be"):
        split(table(), parts)


@pytest.mark.parametrize(
    "arguments",
    [{"by": "nobody"}, {"key": "short"}, {"key": "Z" * 32}, {"key": 5}],
)
def test_other_arguments_are_checked(arguments: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        split(table(), HALVES, **arguments)  # type: ignore[arg-type]


def test_a_share_below_a_bucket_is_refused_where_buckets_decide() -> None:
    with pytest.raises(InvalidInput, match="1/256"):
        split(table(), {"a": 0.001}, by="id")


def test_a_part_with_no_row_is_refused() -> None:
    with pytest.raises(InvalidInput, match="parts must be"):
        split(in_memory({"x": [1.0, 2.0]}), {"a": 0.1})


def test_a_part_knows_its_frame_and_does_not_show_its_key() -> None:
    whole = table()
    part = split(whole, HALVES, by="id", key=KEY)["check"]
    assert isinstance(part, Table)
    frame = part.frame
    assert frame == Frame(
        of=whole.fingerprint, name="check", key=KEY, by="id", low=Fraction(1, 2), high=Fraction(1)
    )
    assert frame is not None
    assert KEY not in repr(frame)
    assert frame.describe()["key"] == KEY
    assert whole.frame is None
