"""Outward rounding, held against exact rationals."""

from fractions import Fraction
from math import inf, isnan, nan, nextafter

from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.numerics import (
    MARGIN,
    decimal_down,
    decimal_up,
    down,
    float_down,
    float_up,
    level_up,
    up,
)

finite = st.floats(allow_nan=False, allow_infinity=False)
rationals = st.fractions() | st.builds(
    # Fractions far below and just beside the floats, where rounding has most to do.
    lambda base, nudge, sign: Fraction(base) + sign * Fraction(1, 2**nudge),
    st.floats(-1e300, 1e300),
    st.integers(1, 1200),
    st.sampled_from((-1, 0, 1)),
)


@given(rationals)
def test_float_up_is_the_smallest_float_not_below(exact: Fraction) -> None:
    rounded = float_up(exact)

    assert Fraction(nextafter(rounded, -inf)) < exact <= Fraction(rounded)


@given(rationals)
def test_float_down_is_the_largest_float_not_above(exact: Fraction) -> None:
    rounded = float_down(exact)

    assert Fraction(rounded) <= exact < Fraction(nextafter(rounded, inf))


@given(finite)
def test_a_float_is_its_own_rounding(value: float) -> None:
    assert float_up(Fraction(value)) == value == float_down(Fraction(value))


def test_the_smallest_amounts_do_not_vanish() -> None:
    speck = Fraction(1, 10**400)

    assert float_up(speck) == 5e-324
    assert float_down(-speck) == -5e-324
    assert float_down(speck) == 0 == float_up(-speck)


def test_beyond_the_largest_float_upward_is_infinity() -> None:
    largest = nextafter(inf, 0)

    assert float_up(Fraction(largest) + 1) == inf
    assert float_down(Fraction(largest) + 1) == largest
    assert float_down(-Fraction(largest) - 1) == -inf


@given(st.floats(-1e300, 1e300))
def test_up_and_down_leave_the_promised_margin(value: float) -> None:
    exact = Fraction(value)
    reach = abs(exact) * Fraction(MARGIN)

    # Product and sum each round by half a unit in the last place at most, which is 2⁻¹³ of the
    # margin, and one whole unit is added on top.
    unit = abs(exact) * Fraction(2) ** -52 + Fraction(5e-324)
    assert exact + reach < Fraction(up(value)) <= exact + reach + 2 * unit
    assert exact - reach > Fraction(down(value)) >= exact - reach - 2 * unit


@given(finite)
def test_down_mirrors_up(value: float) -> None:
    assert down(value) == -up(-value)


def test_what_is_not_a_number_stays_so() -> None:
    assert isnan(up(nan))
    assert isnan(down(nan))
    assert up(inf) == inf


@given(value=st.floats(0, 1), places=st.integers(0, 6))
def test_printed_decimals_enclose_the_value_as_tightly_as_they_can(
    value: float, places: int
) -> None:
    low, high = decimal_down(value, places=places), decimal_up(value, places=places)

    assert Fraction(low) <= Fraction(value) <= Fraction(high)
    assert Fraction(high) - Fraction(low) in (0, Fraction(1, 10**places))
    assert (low == high) == ((Fraction(value) * 10**places).denominator == 1)
    assert {len(text.partition(".")[2]) for text in (low, high)} == {places}


def test_four_decimals_are_printed_unless_told_otherwise() -> None:
    assert (decimal_down(0.06244), decimal_up(0.06244)) == ("0.0624", "0.0625")
    assert (decimal_down(0.5), decimal_up(0.5)) == ("0.5000", "0.5000")
    assert decimal_up(1e-9) == "0.0001"


@given(st.fractions(Fraction(1, 10**30), 10**30))
def test_a_printed_level_is_not_below(value: Fraction) -> None:
    printed = level_up(value)

    assert Fraction(repr(printed)) >= value
    assert printed <= float_up(value) * (1 + 2**-50)
