"""Rényi losses of one order."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import cosh, exp, expm1, log, mpf, mpmathify, workdps

from peekproof.core.charge import GDP, RDP, ZCDP, PureDP
from peekproof.core.errors import InvalidInput
from peekproof.theory.conversion import (
    gdp_to_rdp,
    laplace_to_rdp,
    pure_to_rdp,
    zcdp_to_rdp,
)

epsilons = st.fractions(Fraction(1, 10**12), 500)
orders = st.fractions(Fraction(1000001, 1000000), 10**6)


@given(rho=st.fractions(0, 10**6), order=st.fractions(Fraction(10001, 10000), 10**6))
def test_the_line_through_the_origin(rho: Fraction, order: Fraction) -> None:
    assert zcdp_to_rdp(ZCDP(rho), order=order) == RDP(order=order, epsilon=rho * order)


def test_the_gaussian_mechanism_by_hand() -> None:
    # σ = 2 on a value that moves by 1: μ² = 1/4, and D_3 = 3/(2σ²).
    loss = gdp_to_rdp(GDP(Fraction(1, 4)), order=Fraction(3))

    assert loss == RDP(order=Fraction(3), epsilon=Fraction(3, 8))


@pytest.mark.parametrize("order", [Fraction(1), Fraction(0), Fraction(-2)])
def test_an_order_of_at_most_one_is_refused(order: Fraction) -> None:
    with pytest.raises(InvalidInput, match=r"^order must be"):
        zcdp_to_rdp(ZCDP(Fraction(1)), order=order)
    with pytest.raises(InvalidInput, match=r"^order must be"):
        gdp_to_rdp(GDP(Fraction(1)), order=order)


@given(epsilon=epsilons, order=orders)
def test_randomised_response_is_the_bound_of_pure_privacy(
    epsilon: Fraction, order: Fraction
) -> None:
    claimed = pure_to_rdp(PureDP(epsilon), order=order)
    with workdps(60):
        eps, a = mpmathify(epsilon), mpmathify(order)
        odds = exp(eps) / (1 + exp(eps)), 1 / (1 + exp(eps))
        exact = log(odds[0] ** a * odds[1] ** (1 - a) + odds[1] ** a * odds[0] ** (1 - a)) / (a - 1)
        assert exact <= mpmathify(claimed.epsilon) <= exact * (1 + mpf("1e-11"))
    assert claimed.epsilon <= min(epsilon, order * epsilon**2 / 2)


@given(epsilon=epsilons, order=orders)
def test_laplace_noise_has_less_than_randomised_response(
    epsilon: Fraction, order: Fraction
) -> None:
    claimed = laplace_to_rdp(PureDP(epsilon), order=order)
    with workdps(60):
        eps, a = mpmathify(epsilon), mpmathify(order)
        # One plus what is left of the linear parts, which the plain form would have to cancel.
        moment = a * expm1((a - 1) * eps) + (a - 1) * expm1(-a * eps)
        exact = log(1 + moment / (2 * a - 1)) / (a - 1)
        assert exact <= mpmathify(claimed.epsilon) <= exact * (1 + mpf("1e-11"))
        assert exact <= log(cosh((a - mpf(1) / 2) * eps) / cosh(eps / 2)) / (a - 1)


def test_orders_beyond_the_floats_are_bounded_too() -> None:
    one = PureDP(Fraction(1))
    huge, near = Fraction(10**400), 1 + Fraction(1, 10**400)

    assert pure_to_rdp(one, order=huge).epsilon == 1
    assert laplace_to_rdp(one, order=huge).epsilon == 1
    kl = Fraction(462117, 10**6)  # tanh(1/2)
    assert abs(pure_to_rdp(one, order=near).epsilon - kl) < Fraction(1, 10**6)
    assert pure_to_rdp(PureDP(Fraction(0)), order=near).epsilon == 0
    assert laplace_to_rdp(PureDP(Fraction(0)), order=near).epsilon == 0
