"""Exact numbers and their elementary functions against mpmath."""

from fractions import Fraction
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import exp, expm1, log, mpmathify, workdps

from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import log_of
from peekproof.theory import divergence
from theory.divergence.pairs import few, near

DIGITS = 50
CLOSE = 1e-15
exponents = st.fractions(-300, 300) | st.fractions(-1, 1) | st.floats(-1e-9, 1e-9).map(Fraction)


@few
@given(exponents)
def test_exponentials_keep_the_digits_of_their_argument(x: Fraction) -> None:
    with workdps(DIGITS):
        assert abs(divergence.exp_of(x) / exp(mpmathify(x)) - 1) < CLOSE
        assert near(divergence.expm1_of(x), expm1(mpmathify(x)), CLOSE)


def test_a_rounded_argument_would_not_do() -> None:
    x = Fraction(700) + Fraction(1, 2**45)  # half the distance to the next float
    with workdps(DIGITS):
        assert abs(divergence.exp_of(x) / exp(mpmathify(x)) - 1) < CLOSE
        assert abs(exp(mpmathify(float(x))) / exp(mpmathify(x)) - 1) > 10 * CLOSE


@few
@given(st.fractions(Fraction(1, 10**6), 10**6), st.integers(-400, 400))
def test_logarithms_reach_beyond_the_floats(x: Fraction, power: int) -> None:
    far = x * Fraction(10) ** power
    with workdps(DIGITS):
        assert near(log_of(far), log(mpmathify(far)), CLOSE)


@few
@given(st.integers(1, 10**6), st.integers(3, 40))
def test_logarithms_keep_their_digits_near_one(step: int, power: int) -> None:
    for x in (1 + Fraction(step, 10 ** (power + 6)), 1 - Fraction(step, 10 ** (power + 6))):
        with workdps(2 * DIGITS):
            assert abs(log_of(x) / log(mpmathify(x)) - 1) < CLOSE


def test_the_ends_of_the_floats() -> None:
    huge = Fraction(10) ** 400

    assert divergence.as_float(huge) == divergence.exp_of(huge) == divergence.expm1_of(huge) == inf
    assert divergence.as_float(-huge) == -inf
    assert divergence.exp_of(Fraction(710)) == inf
    assert divergence.exp_of(-huge) == 0
    assert divergence.expm1_of(-huge) == -1


@pytest.mark.parametrize("value", [nan, inf, -inf, True, "1", None, 1j])
def test_what_is_no_finite_number_is_refused(value: object) -> None:
    for accept in (divergence.number, divergence.positive, divergence.order_of, divergence.unit):
        with pytest.raises(InvalidInput, match=r"^given must be a finite number"):
            accept(given=value)


def test_floats_stand_for_their_binary_value() -> None:
    assert divergence.number(value=0.1) == Fraction(0.1) != Fraction(1, 10)
    assert divergence.number(value=3) == 3


def test_ranges_are_kept() -> None:
    assert divergence.unit(delta=0) == 0
    assert divergence.unit(delta=1) == 1
    assert divergence.order_of(order=1) == 1
    assert divergence.order_of(order=1 + Fraction(1, 2**200)) == divergence.NEXT_ORDER
    for refused, accept in (
        (0, divergence.positive),
        (-0.5, divergence.unit),
        (0.999, divergence.order_of),
    ):
        with pytest.raises(InvalidInput, match=r"^x must be"):
            accept(x=refused)
