"""Total variation against mpmath, and against pairs that attain it."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st
from mpmath import erf, exp, mpf, mpmathify, sqrt, workdps

from peekproof.core.charge import GDP, TV, ApproxDP, PureDP
from peekproof.core.numerics import MARGIN
from peekproof.theory.conversion import approx_to_tv, gdp_to_tv, pure_to_tv

amounts = st.fractions(Fraction(1, 10**6), 60) | st.builds(
    lambda exponent: Fraction(1, 10**exponent), st.integers(0, 90)
)
deltas = st.fractions(0, 1) | st.builds(lambda e: Fraction(1, 10**e), st.integers(1, 320))
EIGHTH = mpf(MARGIN) / 8


def assert_just_above(claimed: TV, exact: mpf) -> None:
    distance = mpmathify(claimed.distance)
    assert min(mpf(1), exact * (1 + 7 * EIGHTH)) <= distance <= exact * (1 + 9 * EIGHTH)


@given(amounts)
def test_pure_is_the_total_variation_of_randomised_response(epsilon: Fraction) -> None:
    with workdps(150):
        eps = mpmathify(epsilon)
        truth, lie = exp(eps) / (1 + exp(eps)), 1 / (1 + exp(eps))
        assert_just_above(pure_to_tv(PureDP(epsilon)), truth - lie)


@given(amounts, deltas)
def test_approx_is_attained_by_a_response_that_sometimes_tells_all(
    epsilon: Fraction, delta: Fraction
) -> None:
    # With probability δ the record itself, else randomised response: (ε, δ)-DP, and no less.
    with workdps(150):
        eps, d = mpmathify(epsilon), mpmathify(delta)
        exact = d + (1 - d) * (exp(eps) - 1) / (exp(eps) + 1)
        assert_just_above(approx_to_tv(ApproxDP(epsilon=epsilon, delta=delta)), exact)


@given(amounts)
def test_gaussian_is_that_of_two_normals(mu_squared: Fraction) -> None:
    with workdps(150):
        exact = erf(sqrt(mpmathify(mu_squared) / 8))
        assert_just_above(gdp_to_tv(GDP(mu_squared)), exact)


def test_the_ends() -> None:
    zero, huge = Fraction(0), Fraction(10**400)

    assert pure_to_tv(PureDP(zero)) == gdp_to_tv(GDP(zero)) == TV(zero)
    assert approx_to_tv(ApproxDP(epsilon=zero, delta=Fraction(1, 3))) == TV(Fraction(1, 3))
    assert pure_to_tv(PureDP(huge)) == gdp_to_tv(GDP(huge)) == TV(Fraction(1))
    assert approx_to_tv(ApproxDP(epsilon=huge, delta=zero)) == TV(Fraction(1))


@given(st.integers(324, 2000))
def test_a_speck_is_not_nothing(exponent: int) -> None:
    speck = Fraction(1, 10**exponent)

    assert pure_to_tv(PureDP(speck)).distance >= speck / 2
    assert gdp_to_tv(GDP(speck**2)).distance >= speck / 3
    assert approx_to_tv(ApproxDP(epsilon=speck, delta=speck)).distance >= speck
