"""Parts of a split inside a database are those of the same rows in memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import numpy as np
import polars as pl
import pytest

import peekproof
from engines.opening import in_duckdb, in_postgres
from peekproof.core.errors import InvalidInput
from peekproof.data.frame import split
from peekproof.data.load import in_memory
from peekproof.data.source import Source

ROWS = 1_500
KEY = "5" * 32
PARTS = {"a": 0.25, "b": 0.75}


def frame() -> pl.DataFrame:
    rng = np.random.default_rng(1)
    return pl.DataFrame(
        {
            "id": np.arange(ROWS, dtype=float) - 700,
            "name": [f"é{i}'\\" for i in range(ROWS)],
            "x": rng.random(ROWS),
            "c": rng.choice(["a", "b"], ROWS),
            "gap": pl.Series([None, *range(1, ROWS)], dtype=pl.Float64),
        }
    )


@pytest.fixture(params=["duckdb", "postgres"])
def source(request: pytest.FixtureRequest) -> Iterator[Source]:
    made = (
        in_duckdb if request.param == "duckdb" else in_postgres(request.getfixturevalue("database"))
    )
    with closing(made(frame())) as opened:
        yield opened


def test_engines_agree_on_the_rows_of_each_part(source: Source) -> None:
    for by in ("id", "name"):
        inside = split(source, PARTS, by=by, key=KEY)
        beside = split(in_memory(frame()), PARTS, by=by, key=KEY)
        for name in PARTS:
            with closing(inside[name]) as part:
                assert part.rows == beside[name].rows
                assert part.fingerprint == beside[name].fingerprint
        assert sum(part.rows for part in inside.values()) == ROWS


@pytest.mark.parametrize(
    ("by", "why"),
    [("c", "two rows"), ("x", "not whole"), ("gap", "missing"), (None, "not in memory")],
)
def test_a_column_that_cannot_tell_rows_apart_is_refused(
    source: Source, by: str | None, why: str
) -> None:
    with pytest.raises(InvalidInput, match=why):
        split(source, PARTS, by=by)


def test_one_part_guesses_and_the_other_checks(source: Source) -> None:
    parts = split(source, {"guess": 0.5, "check": 0.5}, by="id", key=KEY)
    session = peekproof.open(
        parts["check"],
        questions=40,
        mechanisms=[peekproof.Checking],
        guesser=peekproof.Training(parts["guess"]),
    )
    assert 0.3 in session.ask("x < 0.3")
    assert 0.5 in session.ask("mean(x, 0, 1)")
    assert session.failures == 0
    for part in parts.values():
        part.close()
