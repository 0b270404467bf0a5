"""The float curve: above the exact one always, and close to it where nothing cancels."""

from fractions import Fraction
from math import inf

from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import exp, mpf, ncdf, sqrt, workdps

from peekproof.theory.conversion import delta_above, epsilon_near, mu_near
from sizes import sized


def exact(mu_squared: float, epsilon: float) -> mpf:
    mu, eps = sqrt(mpf(mu_squared)), mpf(epsilon)
    return ncdf(-eps / mu + mu / 2) - exp(eps) * ncdf(-eps / mu - mu / 2)


@settings(max_examples=sized(500, full=1500))
@given(st.floats(-12, 8), st.floats(-12, 6.5))
def test_the_bound_is_above(log_square: float, log_epsilon: float) -> None:
    square, epsilon = float(exp(log_square)), float(exp(log_epsilon))
    with workdps(60):
        assert mpf(delta_above(square, epsilon)) >= exact(square, epsilon)


@settings(max_examples=sized(100, full=200))
@given(st.floats(0.3, 6), st.floats(0.05, 3))
def test_the_bound_is_close_where_nothing_cancels(mu: float, ratio: float) -> None:
    square, epsilon = mu * mu, ratio * mu
    with workdps(60):
        assert mpf(delta_above(square, epsilon)) <= exact(square, epsilon) * (1 + mpf("1e-11"))


def test_where_floats_end_it_says_nothing() -> None:
    assert delta_above(5e-324, 1.0) == inf
    assert delta_above(1.0, 701.0) == inf
    assert delta_above(0.0, 1.0) == inf


@settings(max_examples=sized(100, full=200))
@given(st.floats(0.05, 8), st.floats(-25, -1))
def test_guesses_meet_the_level(mu: float, log_delta: float) -> None:
    delta = float(exp(log_delta))
    epsilon = epsilon_near(mu, delta)
    with workdps(60):
        if epsilon > 1e-3:
            assert abs(exact(mu * mu, epsilon) / delta - 1) < mpf("1e-6")


@settings(max_examples=sized(100, full=200))
@given(st.fractions(Fraction(1, 100), 20), st.floats(-25, -1))
def test_guesses_of_mu_meet_the_level(epsilon: Fraction, log_delta: float) -> None:
    delta = float(exp(log_delta))
    mu = mu_near(float(epsilon), delta)
    with workdps(60):
        assert abs(exact(mu * mu, float(epsilon)) / delta - 1) < mpf("1e-6")
