"""Rényi to approximate, against mpmath and against the exact Gaussian."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import log, mpf, mpmathify, workdps

from peekproof.core.charge import GDP, RDP
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import MARGIN
from peekproof.theory.conversion import (
    gdp_to_approx,
    gdp_to_rdp,
    rdp_to_approx,
    rdp_to_approx_mironov,
)

orders = st.fractions(Fraction(101, 100), 1000) | st.builds(
    lambda exponent: 1 + Fraction(1, 10**exponent), st.integers(1, 40)
)
losses = st.builds(RDP, order=orders, epsilon=st.fractions(0, 100))
deltas = st.fractions(Fraction(1, 10**12), Fraction(999, 1000)) | st.builds(
    lambda exponent: Fraction(1, 10**exponent), st.integers(1, 300)
)


@given(st.lists(losses, min_size=1, max_size=5), deltas)
def test_both_are_the_least_over_orders_and_never_below(curve: list[RDP], delta: Fraction) -> None:
    sharp = mpmathify(rdp_to_approx(curve, delta=delta).epsilon)
    plain = mpmathify(rdp_to_approx_mironov(curve, delta=delta).epsilon)
    with workdps(100):
        d, exact_sharp, exact_plain = mpmathify(delta), [], []
        for loss in curve:
            a, eps = mpmathify(loss.order), mpmathify(loss.epsilon)
            size = eps + abs(log((a - 1) / a)) + (abs(log(d)) + log(a)) / (a - 1)
            value = eps + log((a - 1) / a) - (log(d) + log(a)) / (a - 1)
            exact_sharp.append((value, value + 3 * MARGIN * size))
            value = eps - log(d) / (a - 1)
            exact_plain.append((value, value * (1 + 3 * mpf(MARGIN))))
        assert max(mpf(0), min(low for low, _ in exact_sharp)) <= sharp
        assert sharp <= max(mpf(0), min(high for _, high in exact_sharp))
        assert min(low for low, _ in exact_plain) <= plain <= min(high for _, high in exact_plain)
        assert sharp <= plain * (1 + 3 * mpf(MARGIN))


@given(st.fractions(Fraction(1, 100), 50), deltas, st.lists(orders, min_size=1, max_size=8))
def test_it_is_never_below_the_exact_gaussian(
    mu_squared: Fraction, delta: Fraction, tried: list[Fraction]
) -> None:
    gaussian = GDP(mu_squared)
    curve = [gdp_to_rdp(gaussian, order=order) for order in tried]
    exact = gdp_to_approx(gaussian, delta=delta).epsilon

    assert rdp_to_approx(curve, delta=delta).epsilon >= exact * (1 - Fraction(1, 10**9))


def test_orders_that_floats_cannot_hold_are_passed_over() -> None:
    good = RDP(order=Fraction(8), epsilon=Fraction(1))
    wild = [
        RDP(order=1 + Fraction(1, 10**400), epsilon=Fraction(0)),
        RDP(order=Fraction(10**400), epsilon=Fraction(0)),
    ]
    delta = Fraction(1, 10**6)
    for convert in (rdp_to_approx, rdp_to_approx_mironov):
        assert convert([good, *wild], delta=delta) == convert([good], delta=delta)
        with pytest.raises(InvalidInput, match=r"^losses must be at least one"):
            convert(wild, delta=delta)
        with pytest.raises(InvalidInput, match=r"^losses must be at least one"):
            convert([], delta=delta)


@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1), Fraction(1, 10**301)])
def test_a_delta_without_a_logarithm_is_refused(delta: Fraction) -> None:
    loss = RDP(order=Fraction(2), epsilon=Fraction(1))
    with pytest.raises(InvalidInput, match=r"^delta must be"):
        rdp_to_approx([loss], delta=delta)


def test_a_loss_beyond_floats_is_refused() -> None:
    with pytest.raises(InvalidInput, match=r"^epsilon must be at most"):
        rdp_to_approx([RDP(order=Fraction(2), epsilon=Fraction(10**400))], delta=Fraction(1, 2))
