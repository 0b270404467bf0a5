"""The passage between exact amounts and floats, at its ends."""

from fractions import Fraction
from math import inf, isinf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import exp, log, mpf, mpmathify, workdps

from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import MARGIN, log_of
from peekproof.theory.conversion import (
    LEAST_DELTA,
    amount_above,
    exp_up,
    failure,
    float_above,
    least_holding,
    sum_up,
)

sizes = st.builds(
    lambda digits, exponent: digits * Fraction(10) ** exponent,
    st.fractions(Fraction(1, 2), 5),
    st.integers(-2000, 2000),
)
near_one = st.builds(
    lambda sign, exponent: 1 + sign * Fraction(1, 10**exponent),
    st.sampled_from([-1, 1]),
    st.integers(1, 250),
)


@given(sizes | near_one)
def test_the_logarithm_of_any_size_is_good_to_a_sixteenth_of_the_margin(exact: Fraction) -> None:
    with workdps(300):
        true = log(mpmathify(exact))
        assert abs(log_of(exact) - true) <= abs(true) * MARGIN / 16


@given(sizes)
def test_a_float_above_is_above_or_refused(exact: Fraction) -> None:
    if exact > 10**100:
        with pytest.raises(InvalidInput, match=r"^rho must be at most 1e\+100"):
            float_above(rho=exact)
    else:
        raised = Fraction(float_above(rho=exact))
        assert exact <= raised <= max(Fraction(1e-100), exact * (1 + Fraction(1, 2**52)))


def test_nothing_stays_nothing() -> None:
    assert float_above(rho=Fraction(0)) == 0


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=6))
def test_a_sum_that_cancels_is_still_rounded_up(terms: list[float]) -> None:
    exact = sum(map(Fraction, terms))
    room = sum(abs(Fraction(term)) for term in terms)

    # Every term may itself be off by nearly a margin, whatever the sum is.
    assert Fraction(sum_up(*terms)) >= exact + room * Fraction(MARGIN) * Fraction(1023, 1024)
    assert Fraction(sum_up(*terms)) <= exact + 3 * room * Fraction(MARGIN) + Fraction(1e-300)


@given(st.floats(-690, 0))
def test_exp_up_is_above_and_close(logarithm: float) -> None:
    with workdps(50):
        exact = exp(mpf(logarithm))
        assert exact <= exp_up(logarithm) <= min(mpf(1), exact * (1 + 2 * mpf(MARGIN)))


def test_exp_up_ends_at_one_and_above_zero() -> None:
    assert exp_up(5.0) == 1
    assert 0 < exp_up(-1e9) < 1e-303


@pytest.mark.parametrize(
    "delta", [Fraction(0), Fraction(1), Fraction(-1), LEAST_DELTA / 2, 0.5, nan, True, None]
)
def test_a_delta_outside_its_range_is_refused(delta: object) -> None:
    with pytest.raises(InvalidInput, match=r"^delta must be a Fraction from 1e-300 to below 1"):
        failure(delta=delta)


def test_a_delta_of_thousands_of_digits_is_refused_in_a_short_message() -> None:
    with pytest.raises(InvalidInput, match=r"about 2\^-33219$"):
        failure(delta=Fraction(1, 10**10_000))


@pytest.mark.parametrize("value", [inf, nan])
def test_a_bound_that_overflowed_is_refused(value: float) -> None:
    with pytest.raises(InvalidInput, match=r"^rho must be small enough"):
        amount_above(value, argument="rho")


def test_an_amount_is_never_negative() -> None:
    assert amount_above(-0.5, argument="rho") == 0
    assert amount_above(0.5, argument="rho") == Fraction(1, 2)


@given(st.floats(1e-9, 1e9), st.floats(1, 1e6))
def test_the_search_returns_the_threshold_and_never_less(threshold: float, room: float) -> None:
    found = least_holding(lambda x: x >= threshold, high=threshold * room, argument="delta")

    assert threshold <= found <= threshold * (1 + 1e-14)


@pytest.mark.parametrize("high", [0.0, 1.0, inf, nan])
def test_a_bracket_that_misses_is_refused(high: float) -> None:
    with pytest.raises(InvalidInput, match=r"^delta must be within reach"):
        least_holding(lambda x: x >= 2 and not isinf(x), high=high, argument="delta")


def test_a_condition_that_always_holds_costs_nothing() -> None:
    assert least_holding(lambda x: True, high=1.0, argument="delta") == 0


def test_a_threshold_too_small_to_find_is_overstated() -> None:
    found = least_holding(lambda x: x >= 1e-300, high=1.0, argument="delta")

    assert 1e-300 <= found <= 2.0**-199
