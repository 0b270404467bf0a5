"""Σρ by hand, and conversions against a dense search."""

from fractions import Fraction

import pytest
from mpmath import exp, log, mpf, mpmathify, tanh, workdps

from peekproof.accounting.accountants import Zcdp
from peekproof.accounting.events import (
    Approximate,
    Concentrated,
    Conversation,
    DiscreteGaussian,
    Exponential,
    Gaussian,
    Laplace,
)
from peekproof.core.errors import InvalidInput

DELTA = Fraction(1, 10**6)
TALK = Conversation.of(
    (Concentrated(rho=Fraction(1, 50)), 3),
    (Gaussian(sigma=Fraction(4), sensitivity=Fraction(2)), 5),
    (DiscreteGaussian(sigma=Fraction(7)), 2),
    (Exponential(epsilon=Fraction(1, 5)), 4),
    (Laplace(scale=Fraction(3)), 6),
)


def by_hand() -> mpf:
    laplace = tanh(mpf(1) / 6) / 3
    return mpf(3) / 50 + mpf(5) / 8 + mpf(1) / 49 + mpf(4) / 200 + 6 * laplace


def test_rho_is_the_sum_of_the_smallest_known() -> None:
    with workdps(50):
        total = mpmathify(Zcdp().total(TALK).rho)
        assert by_hand() <= total <= by_hand() * (1 + mpf("1e-11"))


@pytest.mark.parametrize("digits", [1, 6, 30, 300])
def test_epsilon_is_the_least_over_the_orders(digits: int) -> None:
    with workdps(40):
        rho, least = by_hand(), mpf("inf")
        for thousandths in range(-3000, 6000, 2):
            a = 1 + exp(mpf(thousandths) / 1000)
            bound = a * rho + log((a - 1) / a) - (log(mpf(10) ** -digits) + log(a)) / (a - 1)
            least = min(least, bound)
        claimed = mpmathify(Zcdp().epsilon(TALK, delta=Fraction(1, 10**digits)))
        assert least * (1 - mpf("1e-6")) <= claimed <= least * (1 + mpf("1e-9"))


def test_delta_comes_back() -> None:
    epsilon = Zcdp().epsilon(TALK, delta=DELTA)
    back = Zcdp().delta(TALK, epsilon=epsilon)
    assert DELTA * (1 - Fraction(1, 10**6)) <= back <= DELTA * (1 + Fraction(1, 10**9))


def test_nothing_and_absurd_input() -> None:
    assert Zcdp().epsilon(Conversation.of(), delta=DELTA) == 0
    assert Zcdp().delta(Conversation.of(), epsilon=Fraction(0)) == 0
    for event in (Concentrated(rho=Fraction(10**400)), Gaussian(sigma=Fraction(1, 10**200))):
        with pytest.raises(InvalidInput, match=r"^rho must be at most"):
            Zcdp().epsilon(Conversation.of((event, 10**400)), delta=DELTA)
    with pytest.raises(InvalidInput, match=r"^events must be"):
        Zcdp().epsilon(Conversation.of(Approximate(epsilon=DELTA, delta=DELTA)), delta=DELTA)
    with pytest.raises(InvalidInput, match=r"^epsilon must be"):
        Zcdp().delta(TALK, epsilon=Fraction(-1))
