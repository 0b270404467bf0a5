from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest

from peekproof.audit.analysts.protocol import Columns
from peekproof.audit.evidence import chance
from peekproof.audit.population import Listed
from peekproof.core.errors import InvalidInput
from peekproof.testing.statistics import statistical

COLUMNS: Columns = {"a": np.array([1.0, 2.0, 3.0, 6.0]), "b": np.array([10, 20, 30, 60])}
EVERYBODY = Listed(COLUMNS)


@pytest.mark.parametrize(
    ("question", "truth"),
    [("a > 1", Fraction(3, 4)), ("mean(b, 0, 64, 0)", 30), ("a > 2 and b < 60", Fraction(1, 4))],
)
def test_truths_are_those_of_all_rows_exactly(question: str, truth: Fraction) -> None:
    assert EVERYBODY.truth(question) == truth
    assert EVERYBODY.size == 4


def test_a_sample_is_whole_rows_and_may_be_larger_than_the_table() -> None:
    drawn = EVERYBODY.draw(rows=1000, rng=np.random.default_rng(1))

    assert list(drawn) == ["a", "b"]
    assert np.array_equal(10 * drawn["a"].astype(float), drawn["b"])
    assert set(drawn["a"].tolist()) == {1.0, 2.0, 3.0, 6.0}
    assert len(drawn["a"]) == 1000


def test_samples_repeat_with_their_generator_alone() -> None:
    one, same, other = (
        EVERYBODY.draw(rows=50, rng=np.random.default_rng(seed))["a"].tolist() for seed in (1, 1, 2)
    )

    assert one == same != other


@statistical(false_alarm=4 * 2e-9)
def test_every_row_is_as_likely_as_another() -> None:
    drawn = EVERYBODY.draw(rows=4000, rng=np.random.default_rng(3))["a"].tolist()

    for value in (1.0, 2.0, 3.0, 6.0):
        found = chance(drawn.count(value), trials=4000, false_alarm=2e-9)
        assert found.low <= 1 / 4 <= found.high
        # The mutant: one row more or less in the list.
        assert not found.low <= 1 / 3 <= found.high
        assert not found.low <= 1 / 5 <= found.high


@pytest.mark.parametrize(
    "columns", [{}, {"a": np.array([])}, {"a": np.array([1, 2]), "b": np.array([1])}]
)
def test_a_table_has_rows_and_columns_of_one_length(columns: Columns) -> None:
    with pytest.raises(InvalidInput, match="columns of one length"):
        Listed(columns)


def test_a_sample_has_at_least_one_row() -> None:
    with pytest.raises(InvalidInput, match="rows must be an integer of at least 1, got 0"):
        EVERYBODY.draw(rows=0, rng=np.random.default_rng(1))


@pytest.mark.parametrize(
    "table",
    [
        {"a": [1.0, 2.0, 3.0, 6.0], "b": (10, 20, 30, 60)},
        pd.DataFrame(COLUMNS),
        pl.DataFrame(COLUMNS),
    ],
    ids=["lists", "pandas", "Polars"],
)
def test_a_table_may_be_lists_or_a_frame(table: object) -> None:
    everybody = Listed(table)

    assert everybody.truth("a > 2 and b < 60") == Fraction(1, 4)
    one, other = (
        each.draw(rows=9, rng=np.random.default_rng(1)) for each in (everybody, EVERYBODY)
    )
    assert one["a"].tolist() == other["a"].tolist()


@pytest.mark.parametrize("wrong", ["people.csv", 5, None, np.zeros((2, 2))])
def test_what_is_no_table_is_refused(wrong: object) -> None:
    with pytest.raises(InvalidInput, match="columns must be a table"):
        Listed(wrong)
