from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import inf, nan, ulp

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from peekproof.core.errors import InvalidInput
from peekproof.query.form import FINE, Edges, Form, Histogram, Mean, Quantile, Share, Values
from peekproof.query.tree import Column, Flag

A, S = Column("a"), Column("s")
LATE = Flag(Column("f"), False)
CELLS = Values(S, ("x", "y", "z"))
HALF = Fraction(1, 2)
LARGEST = 1.7976931348623157e308

FINITE = st.floats(allow_nan=False, allow_infinity=False)


@pytest.mark.parametrize(
    ("form", "dimension", "span"),
    [
        (Share(LATE), 1, (0.0, 1.0)),
        (Mean(A, -20.0, 120.0, 0.0), 1, (-20.0, 120.0)),
        (Histogram(CELLS), 3, (0.0, 1.0)),
        (Histogram(Edges(A, (0.0,)), LATE), 2, (0.0, 1.0)),
        (Histogram(CELLS, Mean(A, -20.0, 120.0, 0.0)), 3, (-20.0, 120.0)),
        (Histogram(CELLS, Mean(A, 10.0, 120.0, 10.0)), 3, (0.0, 120.0)),
        (Histogram(CELLS, Mean(A, -20.0, -10.0, -10.0)), 3, (-20.0, 0.0)),
        (Quantile(A, HALF, -20.0, 120.0), 256, (-20.0, 120.0)),
        (Quantile(A, HALF, 0.0, 1.0, 10), 10, (0.0, 1.0)),
    ],
)
def test_dimension_and_span_are_known_without_data(
    form: Form, dimension: int, span: tuple[float, float]
) -> None:
    assert form.dimension == dimension
    assert form.span == span
    if isinstance(form, Histogram):
        assert form.extent == span
        assert len(form.cells) == len(form.labels) == dimension


def refused(argument: str, accepted: str, make: type[Form], *fields: object) -> None:
    with pytest.raises(InvalidInput) as caught:
        make(*fields)  # type: ignore[arg-type]
    assert caught.value.argument == argument
    assert accepted in caught.value.accepted


BAD_RANGES = [
    (1.0, 1.0, "above low = 1"),
    (2.0, 1.0, "above low = 2"),
    (nan, 1.0, "above"),
    (0.0, nan, "above"),
    (-inf, 0.0, "within the largest double"),
    (0.0, inf, "within the largest double"),
    (-1e308, 1e308, "within the largest double of low = -1e+308"),
    (-LARGEST, LARGEST, "within the largest double"),
]


@pytest.mark.parametrize(("low", "high", "accepted"), BAD_RANGES)
def test_a_range_has_a_finite_width_above_zero(low: float, high: float, accepted: str) -> None:
    refused("high", accepted, Mean, A, low, high, low)
    refused("high", accepted, Quantile, A, HALF, low, high)


@pytest.mark.parametrize("missing", [-0.5, 1.5, nan, inf, -inf])
def test_a_missing_value_counts_as_one_within_the_bounds(missing: float) -> None:
    refused("missing", "from 0 to 1", Mean, A, 0.0, 1.0, missing)


@pytest.mark.parametrize("level", [Fraction(0), Fraction(1), Fraction(-1, 2), Fraction(3, 2)])
def test_a_level_is_strictly_between_0_and_1(level: Fraction) -> None:
    refused("level", "strictly between 0 and 1", Quantile, A, level, 0.0, 1.0)


@pytest.mark.parametrize("steps", [-1, 0, 1, 65537])
def test_steps_are_limited(steps: int) -> None:
    refused("steps", "from 2 to 65,536", Quantile, A, HALF, 0.0, 1.0, steps)
    for most in (2, 65536):
        assert Quantile(A, HALF, 0.0, 1.0, most).dimension == most


def test_a_grid_that_doubles_cannot_tell_apart_is_refused() -> None:
    high = 1.0 + 2**-40
    assert len(set(Quantile(A, HALF, 1.0, high, 256).values)) == 256
    refused("steps", "so few", Quantile, A, HALF, 1.0, high, 257)
    refused("steps", "so few", Quantile, A, HALF, 0.0, 5e-324, 2)


@given(FINITE, FINITE, st.sampled_from([2, 3, 7, 10, 256]))
def test_the_grid_increases_up_to_high_and_is_nearly_even(
    one: float, other: float, steps: int
) -> None:
    low, high = sorted([one, other])
    largest = max(abs(low), abs(high))
    assume(high - low < inf and (high - low) / steps >= 16 * ulp(largest))
    grid = Quantile(A, HALF, low, high, steps).values
    assert grid[-1] == high
    assert low < grid[0]
    assert all(one < other for one, other in pairwise(grid))
    width = (Fraction(high) - Fraction(low)) / steps
    for index, value in enumerate(grid):
        assert abs(Fraction(value) - Fraction(low) - (index + 1) * width) <= 7 * Fraction(
            ulp(largest)
        )


def test_a_grid_may_end_at_the_largest_double() -> None:
    for low in (0.0, 1.0, 1e292, 9.9792015476736e291 * 3, 1e308, -1e291):
        grid = Quantile(A, HALF, low, LARGEST, 5).values
        assert grid[-1] == LARGEST
        assert all(one < other for one, other in pairwise(grid))


def test_values_are_listed_by_their_index() -> None:
    quantile = Quantile(A, HALF, 0.0, 1.0, 4)
    assert quantile.values == (0.25, 0.5, 0.75, 1.0)
    assert tuple(map(quantile.value, range(4))) == quantile.values


def test_levels_are_a_power_of_two() -> None:
    """Multiplying by it is exact, on which the bound of a contribution rests."""
    assert FINE == 2**24
