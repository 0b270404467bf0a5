"""Spans hold any number, and round outward at every ulp and beyond the floats."""

import re
from fractions import Fraction
from math import inf, nan, nextafter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.errors import InvalidInput
from peekproof.derive.derived import LARGEST, Range, nearest_float

numbers = st.fractions() | st.fractions(-1, 1)


@given(numbers, numbers)
def test_the_ends_are_the_nearest_floats_outside(one: Fraction, other: Fraction) -> None:
    low, high = sorted((one, other))
    found = Range.outward(low, high)

    assert Fraction(found.low) <= low < Fraction(nextafter(found.low, inf))
    assert Fraction(nextafter(found.high, -inf)) < high <= Fraction(found.high)
    assert low in found
    assert high in found


def test_thirds_round_outward_on_both_sides() -> None:
    for third in (Fraction(1, 3), Fraction(-1, 3)):
        found = Range.outward(third, third)
        assert Fraction(found.low) < third < Fraction(found.high)
        assert nextafter(found.low, inf) == found.high


def test_nothing_is_minus_zero() -> None:
    assert str(Range.outward(Fraction(0), Fraction(0))) == "[0.0000, 0.0000]"


def test_what_no_float_reaches_is_unbounded() -> None:
    huge = Fraction(10) ** 400

    assert Range.outward(-huge, huge) == Range(low=-inf, high=inf) == Range.outward(None, None)
    assert Range.outward(huge, huge) == Range(low=LARGEST, high=inf)
    assert Range.outward(-huge, -huge) == Range(low=-inf, high=-LARGEST)
    largest = Fraction(LARGEST)
    assert Range.outward(-largest, largest) == Range(low=-LARGEST, high=LARGEST)
    assert Range.outward(1 / huge, 1 / huge) == Range(low=0.0, high=5e-324)
    assert (nearest_float(huge), nearest_float(-huge)) == (LARGEST, -LARGEST)


@pytest.mark.parametrize(
    ("low", "high"), [(1.0, 0.5), (nan, 1.0), (0.0, nan), (inf, inf), (-inf, -inf)]
)
def test_what_holds_no_number_is_no_span(low: float, high: float) -> None:
    with pytest.raises(InvalidInput, match=r"^interval must be two numbers, the lower one first"):
        Range(low=low, high=high)


@given(numbers, numbers, numbers)
def test_the_nearest_number_is_in_the_span_and_nothing_in_it_is_nearer(
    one: Fraction, other: Fraction, number: Fraction
) -> None:
    low, high = sorted((one, other))
    found = Range.outward(low, high)
    nearest = found.nearest(number)

    assert nearest in found
    assert (nearest == number) == (number in found)
    assert all(abs(nearest - number) <= abs(Fraction(end) - number) for end in (low, high))


def test_the_nearest_number_of_an_unbounded_span_is_finite() -> None:
    assert Range(low=2.0, high=inf).nearest(Fraction(0)) == 2
    assert Range(low=-inf, high=-2.0).nearest(Fraction(0)) == -2
    assert Range(low=-inf, high=inf).nearest(Fraction(10) ** 400) == Fraction(10) ** 400


def test_nothing_outside_belongs() -> None:
    found = Range(low=-0.5, high=2.0)

    for number in (
        nextafter(-0.5, -1),
        nextafter(2.0, 3),
        nan,
        Fraction(-1, 2) - Fraction(1, 10**30),
    ):
        assert number not in found


@given(numbers, numbers)
def test_the_text_never_narrows_the_range(one: Fraction, other: Fraction) -> None:
    low, high = sorted((one, other))
    found = Range.outward(low, high)
    shown_low, shown_high = re.findall(r"[-\d.e+]+", str(found))

    assert Fraction(shown_low) <= low
    assert Fraction(shown_high) >= high


def test_infinite_ends_are_shown_as_such() -> None:
    assert str(Range(low=0.25, high=inf)) == "[0.2500, ∞]"
    assert str(Range(low=-inf, high=1e200)) == "[−∞, 1e+200]"
