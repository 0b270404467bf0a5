"""The exact Gaussian curve against mpmath, from the tiniest δ to the largest μ."""

from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mpmath import erfc, exp, mpf, mpmathify, sqrt, workdps

from peekproof.core.charge import GDP, ApproxDP
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import MARGIN
from peekproof.theory.conversion import (
    gdp_to_approx,
    gdp_to_approx_at,
    gdp_to_tv,
    gdp_to_zcdp,
    zcdp_to_approx,
)

mus = st.fractions(Fraction(1, 1000), 1000) | st.builds(
    lambda exponent: Fraction(1, 10**exponent), st.integers(0, 40)
)
deltas = st.fractions(Fraction(1, 10**9), Fraction(999, 1000)) | st.builds(
    lambda exponent: Fraction(1, 10**exponent), st.integers(1, 300)
)


def exact_delta(mu: Fraction, epsilon: Fraction) -> mpf:
    """The theorem as it is printed, with enough digits to survive its cancellation."""
    m, eps = mpmathify(mu), mpmathify(epsilon)

    def tail(x: mpf) -> mpf:
        return erfc(x / sqrt(mpf(2))) / 2

    return tail(eps / m - m / 2) - exp(eps) * tail(eps / m + m / 2)


@given(mus, st.fractions(-20, 38))
@example(Fraction(1000), Fraction(37))
@example(Fraction(1, 10**40), Fraction(37))
@example(Fraction(2), Fraction(-1))
@example(Fraction(1000), Fraction(-500))
def test_delta_is_exact_in_relative_terms_down_to_1e_minus_300(mu: Fraction, a: Fraction) -> None:
    epsilon = max(Fraction(0), mu * a + mu**2 / 2)  # so that a = ε/μ − μ/2
    claimed = mpmathify(gdp_to_approx_at(GDP(mu**2), epsilon=epsilon).delta)
    with workdps(200):
        exact = exact_delta(mu, epsilon)
        if exact < mpf("1e-303"):
            assert exact < claimed < mpf("2e-303")
        else:
            # The chain may use half of the margin, where δ is so small that its logarithm is not.
            low = min(mpf(1), exact * (1 + mpf(MARGIN) / 2))
            assert low <= claimed <= exact * (1 + 3 * mpf(MARGIN) / 2)


@given(mus, deltas)
@example(Fraction(1000), Fraction(1, 10**300))
@example(Fraction(1, 10**40), Fraction(1, 10**300))
def test_epsilon_meets_delta_and_no_smaller_one_does(mu: Fraction, delta: Fraction) -> None:
    epsilon = gdp_to_approx(GDP(mu**2), delta=delta).epsilon
    with workdps(200):
        assert exact_delta(mu, epsilon) <= mpmathify(delta)
        if epsilon > 0:
            # One millionth of μ is where small ε stop mattering; otherwise a relative 1e-10.
            less = epsilon - epsilon / 10**10 - mu * delta / 10**6
            assert less < 0 or exact_delta(mu, less) > mpmathify(delta)


@given(mus)
def test_delta_at_zero_is_the_total_variation(mu: Fraction) -> None:
    at_zero = gdp_to_approx_at(GDP(mu**2), epsilon=Fraction(0)).delta
    distance = gdp_to_tv(GDP(mu**2)).distance

    assert abs(at_zero - distance) <= distance * Fraction(1, 10**12)
    if at_zero < Fraction(9, 10):
        assert gdp_to_approx(GDP(mu**2), delta=at_zero * Fraction(11, 10)).epsilon == 0
        assert gdp_to_approx(GDP(mu**2), delta=at_zero * Fraction(9, 10)).epsilon > 0


@given(st.fractions(Fraction(1, 1000), 50), deltas)
def test_the_detour_through_zcdp_is_never_below(mu: Fraction, delta: Fraction) -> None:
    detour = zcdp_to_approx(gdp_to_zcdp(GDP(mu**2)), delta=delta).epsilon

    assert gdp_to_approx(GDP(mu**2), delta=delta).epsilon <= detour * (1 + Fraction(1, 10**9))


def test_no_loss_is_no_loss() -> None:
    free, delta = GDP(Fraction(0)), Fraction(1, 10**6)

    assert gdp_to_approx(free, delta=delta) == ApproxDP(epsilon=Fraction(0), delta=delta)
    assert gdp_to_approx_at(free, epsilon=Fraction(0)).delta == 0


def test_a_speck_is_not_nothing_and_a_mountain_is_refused() -> None:
    delta = Fraction(1, 10**6)
    speck = GDP(Fraction(1, 10**800))

    assert gdp_to_approx(speck, delta=delta).epsilon == 0  # its total variation is below δ
    assert gdp_to_approx_at(speck, epsilon=Fraction(0)).delta > Fraction(1, 10**400)
    assert gdp_to_approx_at(speck, epsilon=Fraction(10**99)).delta > 0
    with pytest.raises(InvalidInput, match=r"^mu_squared must be at most"):
        gdp_to_approx(GDP(Fraction(10**400)), delta=delta)
    with pytest.raises(InvalidInput, match=r"^epsilon must be at most"):
        gdp_to_approx_at(GDP(Fraction(1)), epsilon=Fraction(10**400))
    with pytest.raises(InvalidInput, match=r"^epsilon must be"):
        gdp_to_approx_at(GDP(Fraction(1)), epsilon=Fraction(-1))


def test_a_loss_that_hides_nothing_says_so() -> None:
    mountain = GDP(Fraction(10**20))

    assert gdp_to_approx_at(mountain, epsilon=Fraction(1)).delta == 1
    assert gdp_to_approx(mountain, delta=Fraction(1, 2)).epsilon >= Fraction(10**20, 2)


@pytest.mark.parametrize("delta", [Fraction(0), Fraction(1), Fraction(-1), Fraction(1, 10**301)])
def test_a_delta_without_a_logarithm_is_refused(delta: Fraction) -> None:
    with pytest.raises(InvalidInput, match=r"^delta must be"):
        gdp_to_approx(GDP(Fraction(1)), delta=delta)
