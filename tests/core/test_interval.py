"""Intervals are rounded outward from exact ends and stay inside [0, 1]."""

from fractions import Fraction
from math import inf, nan, nextafter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.certificate import Interval

shares = st.fractions(0, 1)
radii = st.floats(0, 1)


@given(value=shares, radius=radii)
def test_no_share_within_the_radius_is_left_out(value: Fraction, radius: float) -> None:
    interval = Interval.around(value, radius=radius)
    low, high = value - Fraction(radius), value + Fraction(radius)

    assert Fraction(interval.low) <= max(Fraction(0), low)
    assert Fraction(interval.high) >= min(Fraction(1), high)


@given(value=shares, radius=radii)
def test_the_ends_are_the_nearest_floats_outside(value: Fraction, radius: float) -> None:
    interval = Interval.around(value, radius=radius)
    low, high = value - Fraction(radius), value + Fraction(radius)

    assert interval.low == 0 or Fraction(nextafter(interval.low, inf)) > low
    assert interval.high == 1 or Fraction(nextafter(interval.high, -inf)) < high
    assert 0 <= interval.low <= interval.high <= 1


def test_thirds_round_outward_on_both_sides() -> None:
    interval = Interval.around(Fraction(1, 3), radius=0.0)

    assert Fraction(interval.low) < Fraction(1, 3) < Fraction(interval.high)


@given(value=shares, radius=radii, share=st.floats(0, 1))
def test_membership_is_closed(value: Fraction, radius: float, share: float) -> None:
    interval = Interval.around(value, radius=radius)

    assert interval.low in interval
    assert interval.high in interval
    assert (share in interval) == (interval.low <= share and share <= interval.high)


def test_nothing_outside_belongs() -> None:
    interval = Interval(low=0.25, high=0.5)

    for share in (nextafter(0.25, 0), nextafter(0.5, 1), nan):
        assert share not in interval


@pytest.mark.parametrize("radius", [nan, inf])
def test_a_radius_that_is_no_number_makes_no_interval(radius: float) -> None:
    with pytest.raises((ValueError, OverflowError)):
        Interval.around(Fraction(1, 2), radius=radius)
