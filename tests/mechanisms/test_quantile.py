"""The quantile mechanism: its scores, its law, its cost."""

from fractions import Fraction
from math import exp

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.charge import PureDP
from peekproof.core.errors import InvalidInput
from peekproof.core.secret import Exact
from peekproof.mechanisms.exponential import Quantile
from peekproof.noise.entropy import Seeded
from peekproof.testing.statistics import fit_p_value, statistical

FALSE_ALARM = 1e-9


def scores(counts: list[int], level: Fraction) -> list[Fraction]:
    """By definition: how many rows would have to move for the cell to hold the quantile."""
    rows = sum(counts)
    found = []
    for cell in range(len(counts)):
        before, upto = sum(counts[:cell]), sum(counts[: cell + 1])
        found.append(-max(Fraction(0), before - rows * level, rows * level - upto))
    return found


def law(counts: list[int], level: Fraction, epsilon: float) -> list[float]:
    weights = [exp(epsilon * float(score) / 2) for score in scores(counts, level)]
    return [weight / sum(weights) for weight in weights]


levels = st.fractions(Fraction(1, 50), Fraction(49, 50), max_denominator=50)
histograms = st.lists(st.integers(0, 6), min_size=2, max_size=6).filter(any)


@given(counts=histograms, level=levels, data=st.data())
def test_moving_one_row_changes_no_probability_by_more_than_epsilon(
    counts: list[int], level: Fraction, data: st.DataObject
) -> None:
    source = data.draw(st.sampled_from([i for i, count in enumerate(counts) if count]))
    goal = data.draw(st.integers(0, len(counts) - 1))
    moved = list(counts)
    moved[source] -= 1
    moved[goal] += 1
    epsilon = 1.5
    for one, other in zip(law(counts, level, epsilon), law(moved, level, epsilon), strict=True):
        assert one <= other * exp(epsilon) * (1 + 1e-9)


@given(counts=histograms, level=levels)
def test_some_cell_holds_the_quantile(counts: list[int], level: Fraction) -> None:
    assert max(scores(counts, level)) == 0


@statistical(false_alarm=FALSE_ALARM)
def test_choices_follow_the_law_and_not_one_of_other_noise() -> None:
    counts, level, epsilon = [3, 1, 4, 1, 5, 9, 2, 6], Fraction(2, 5), Fraction(1, 2)
    mechanism = Quantile(rows=sum(counts), cells=len(counts), level=level, epsilon=epsilon)
    rng = Seeded(4)
    seen = [mechanism.release(Exact(tuple(counts)), rng=rng) for _ in range(40_000)]

    def fits(level: Fraction, epsilon: float) -> bool:
        chances = law(counts, level, epsilon)
        return fit_p_value(seen, lambda cell: sum(chances[: cell + 1])) > FALSE_ALARM

    assert fits(level, 0.5)
    assert not fits(level, 0.55)
    assert not fits(level, 0.45)
    assert not fits(1 - level, 0.5)


def test_the_cost_is_its_epsilon() -> None:
    mechanism = Quantile(rows=10, cells=4, level=Fraction(1, 3), epsilon=Fraction(1, 7))

    assert mechanism.cost() == PureDP(Fraction(1, 7))
    assert mechanism.describe()["level"] == "1/3"


@pytest.mark.parametrize(
    "wrong",
    [
        {"rows": 0},
        {"cells": 0},
        {"level": Fraction(0)},
        {"level": Fraction(1)},
        {"level": float("nan")},
        {"epsilon": Fraction(0)},
        {"epsilon": float("inf")},
    ],
)
def test_absurd_parameters_are_refused(wrong: dict[str, object]) -> None:
    usual = {"rows": 10, "cells": 4, "level": Fraction(1, 2), "epsilon": Fraction(1)}
    with pytest.raises(InvalidInput):
        Quantile(**{**usual, **wrong})  # type: ignore[arg-type]
