from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import exp, findroot, log, mpf, mpmathify, workdps

from peekproof.accounting.calibration import discrete_gaussian_sigma, zcdp_within
from peekproof.core.charge import ZCDP, ApproxDP
from peekproof.core.errors import InvalidInput


def best_delta(rho: mpf, epsilon: mpf) -> mpf:
    """The least δ over all orders, where the slope of its logarithm is 0."""
    x = findroot(
        lambda x: (2 * x + 1) * rho - epsilon + log(x / (1 + x)), (mpf("1e-9"), mpf("1e9")),
        solver="anderson", tol=mpf("1e-40"), maxsteps=500,
    )  # fmt: skip
    return exp(x * ((1 + x) * rho - epsilon)) * (x / (1 + x)) ** (1 + x) / x


@settings(max_examples=25)
@given(
    epsilon=st.fractions(Fraction(1, 10), 10),
    delta=st.fractions(Fraction(1, 10**10), Fraction(1, 100)),
)
def test_the_largest_rho_meets_the_target_and_more_does_not(
    epsilon: Fraction, delta: Fraction
) -> None:
    rho = zcdp_within(ApproxDP(epsilon=epsilon, delta=delta)).rho
    with workdps(50):
        exact, eps = mpmathify(rho), mpmathify(epsilon)
        assert best_delta(exact, eps) <= mpmathify(delta)
        assert best_delta(exact * (1 + mpf("1e-8")), eps) > mpmathify(delta)


@given(st.fractions(Fraction(1, 10**9), 10**9), st.integers(1, 10**6))
def test_the_root_is_above_the_exact_one_by_nothing_that_shows(rho: Fraction, count: int) -> None:
    sigma = discrete_gaussian_sigma(ZCDP(rho), sensitivity=Fraction(3), count=count)
    square = count * Fraction(9) / (2 * rho)

    assert square <= sigma**2 <= square * (1 + Fraction(1, 2**58))


@pytest.mark.parametrize("target", [(0, Fraction(1, 10)), (1, 0), (1, 1)])
def test_targets_that_nothing_or_everything_meets_are_refused(
    target: tuple[int, Fraction | int],
) -> None:
    epsilon, delta = map(Fraction, target)
    with pytest.raises(InvalidInput):
        zcdp_within(ApproxDP(epsilon=epsilon, delta=delta))
