"""Vectors are made exact or refused, and windows hold exactly the totals that fit."""

from __future__ import annotations

from fractions import Fraction
from typing import cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.errors import InvalidInput
from peekproof.guess.median.constraint import ROOM, Constraint, Values, levels

units = st.fractions(0, 1, max_denominator=50)


@given(values=st.lists(st.one_of(units, st.floats(0, 1), st.booleans()), min_size=1, max_size=6))
def test_levels_are_the_values_exactly(values: list[Fraction | float]) -> None:
    found = levels(values, cells=len(values))

    assert [Fraction(int(n), found.denominator) for n in found.numerators.tolist()] == values
    assert found.floats().tolist() == [float(value) for value in values]
    assert found.numerators.dtype == (np.int64 if found.denominator <= ROOM else np.object_)


halves = st.integers(0, 2**31).map(lambda count: count / 2**31)


@given(
    values=st.one_of(
        st.lists(st.one_of(st.floats(0, 1), halves), min_size=1, max_size=6),
        st.lists(st.one_of(units, halves), min_size=1, max_size=6),
    )
)
def test_on_a_grid_values_are_rounded_to_the_nearest_halves_to_even(
    values: list[Fraction | float],
) -> None:
    found = levels(values, cells=len(values)).on_grid(2**30)

    assert found.tolist() == [round(Fraction(value) * 2**30) for value in values]
    assert found.dtype == np.int64


def test_doubles_of_every_size_are_exact() -> None:
    for exponent in range(1080):
        values = [0.0, 0.75 * 2.0**-exponent, 1.0]
        found = levels(values, cells=3)
        exact = [Fraction(int(n), found.denominator) for n in found.numerators.tolist()]

        assert exact == values
        assert found.denominator == Fraction(values[1]).denominator
        assert found.on_grid(2**30).tolist() == [round(Fraction(each) * 2**30) for each in values]


@pytest.mark.parametrize("kind", [np.bool_, np.int64, np.float64, np.float32, np.uint8])
def test_arrays_of_zeros_and_ones_are_taken_as_they_are(kind: type[np.generic]) -> None:
    found = levels(cast("Values", np.array([0, 1, 1], dtype=kind)), cells=3)

    assert found.numerators.tolist() == [0, 1, 1]
    assert found.denominator == 1


@pytest.mark.parametrize(
    "values",
    [
        [],
        [0.5],
        [0.5, 0.5, 0.5],
        [0.5, float("nan")],
        [0.5, float("inf")],
        [0.5, 1.0000001],
        [Fraction(-1, 10**9), 0],
        [2, 0],
        ["a", "b"],
        [0.5, None],
        [1j, 0],
        [[0, 1]],
        [[0], [1, 0]],
        0.5,
        None,
    ],
)
def test_what_is_not_a_vector_of_shares_is_refused(values: object) -> None:
    with pytest.raises(InvalidInput, match=r"^values must be one number in"):
        levels(cast("Values", values), cells=2)


@given(
    low=st.fractions(-1, 2, max_denominator=30),
    width=st.fractions(0, 2, max_denominator=30),
    denominator=st.integers(1, 9),
    size=st.integers(1, 9),
    spare=st.sampled_from((Fraction(0), Fraction(1, 2))),
)
def test_a_window_holds_exactly_the_totals_within(
    low: Fraction, width: Fraction, denominator: int, size: int, spare: Fraction
) -> None:
    constraint = Constraint(values=[0], low=low, high=low + width)
    first, last = constraint.window(denominator=denominator, size=size, spare=spare)
    unit = denominator * size
    for total in range(unit + 1):
        near = Fraction(total) + spare * size, Fraction(total) - spare * size
        assert (first <= total <= last) == (
            near[0] >= low * unit and near[1] <= (low + width) * unit
        )
    assert last >= -1
    assert first <= unit + 1


def test_ends_are_exact_and_in_order() -> None:
    around = Constraint.around([0, 1], Fraction(1, 3), within=Fraction(1, 2))
    assert (around.low, around.high) == (Fraction(-1, 6), Fraction(5, 6))
    with pytest.raises(InvalidInput, match=r"^low must be at most high"):
        Constraint(values=[0], low=Fraction(1, 2), high=Fraction(1, 3))
    with pytest.raises(InvalidInput, match=r"^high must be a Fraction"):
        Constraint(values=[0], low=Fraction(0), high=cast("Fraction", 0.5))
