"""Normal tails against mpmath."""

from fractions import Fraction
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import erfc, exp, mpf, mpmathify, pi, quad, sqrt, workdps

from peekproof.theory.divergence import density, mills, mills_difference, upper_tail
from theory.divergence.pairs import few

DIGITS = 50


def tail(x: mpf) -> mpf:
    return erfc(x / sqrt(2)) / 2


def ratio(x: mpf) -> mpf:
    return tail(x) * sqrt(2 * pi) * exp(x * x / 2)


@few
@given(st.fractions(-30, 37))
def test_tails_and_densities_are_exact_far_out(x: Fraction) -> None:
    with workdps(DIGITS):
        at = mpmathify(x)
        assert abs(upper_tail(x) / tail(at) - 1) < 1e-14
        assert abs(density(x) / (exp(-at * at / 2) / sqrt(2 * pi)) - 1) < 2e-15


def test_tails_beyond_the_floats() -> None:
    assert upper_tail(Fraction(10) ** 400) == upper_tail(Fraction(50)) == 0
    assert upper_tail(-(Fraction(10) ** 400)) == 1


@few
@given(st.floats(-0.5, 50) | st.floats(50, 1e12))
def test_mills_ratio(x: float) -> None:
    with workdps(DIGITS):
        at = mpf(x)
        if x < 50:
            exact = ratio(at)
        else:  # 1/(x + 1/(x + 2/(x + …))), where the tails are astronomically small
            below = at
            for k in range(60, 0, -1):
                below = at + k / below
            exact = 1 / below
        assert abs(mills(x) / exact - 1) < 4e-15


@few
@given(x=st.floats(-0.5, 40), step=st.floats(1e-12, 8))
def test_differences_do_not_cancel(x: float, step: float) -> None:
    with workdps(2 * DIGITS):
        exact = ratio(mpf(x)) - ratio(mpf(x) + mpf(step))
        assert abs(mills_difference(x, step=step) / exact - 1) < 1e-14


def test_subtracting_would_cancel() -> None:
    with workdps(DIGITS):
        exact = ratio(mpf(20)) - ratio(mpf(20) + mpf(1e-9))
        assert abs((mills(20.0) - mills(20.0 + 1e-9)) / exact - 1) > 1e-9


@pytest.mark.parametrize("x", [-0.5, 0.0, 3.0])
def test_the_integral_is_the_ratio(x: float) -> None:
    with workdps(20):
        exact = quad(lambda t: exp(-mpf(x) * t - t * t / 2), [0, 1, 4, inf])
        assert abs(mills(x) / exact - 1) < 1e-14
