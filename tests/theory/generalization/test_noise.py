"""Noise around the sample against mpmath."""

from fractions import Fraction
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import erfc, erfinv, exp, log, mpf, mpmathify, pi, quad, sqrt, workdps
from mpmath import inf as infinity

from peekproof.core.errors import InvalidInput
from peekproof.theory.generalization.noise import (
    SampleAccuracy,
    Shortfall,
    gaussian_accuracy,
    gaussian_shortfall,
    laplace_accuracy,
    mean_largest_normal,
)

TIGHT = mpf("1e-9")
TINY = Fraction(1, 10**12)
amounts = st.fractions(Fraction(1, 10**6), 10)
betas = st.fractions(Fraction(1, 10**12), Fraction(99, 100))
counts = st.integers(1, 10**6)


@given(sigma=amounts, count=counts, beta=betas | st.fractions(Fraction(99, 100), 1 - TINY))
def test_gaussian_accuracy_is_the_union_quantile(
    sigma: Fraction, count: int, beta: Fraction
) -> None:
    claimed = gaussian_accuracy(sigma=sigma, count=count, beta=beta)
    with workdps(50):
        exact = mpmathify(sigma) * sqrt(2) * erfinv(1 - mpmathify(beta) / count)

        assert exact <= claimed.radius <= exact * (1 + TIGHT) + mpf("1e-14")
    assert claimed.beta == beta


@given(scale=amounts, count=counts, beta=betas)
def test_laplace_accuracy_is_the_union_quantile(
    scale: Fraction, count: int, beta: Fraction
) -> None:
    claimed = laplace_accuracy(scale=scale, count=count, beta=beta)
    with workdps(50):
        exact = mpmathify(scale) * log(count / mpmathify(beta))

        assert exact <= claimed.radius <= exact * (1 + TIGHT)


@pytest.mark.parametrize("beta", [Fraction(1, 20), Fraction(1, 2)])
def test_gaussian_shortfall_is_the_mean_beyond_the_quantile(beta: Fraction) -> None:
    claimed = gaussian_shortfall(sigma=Fraction(3), count=1, beta=beta)
    with workdps(30):
        start = sqrt(2) * erfinv(1 - mpmathify(beta))
        density = quad(lambda t: t * exp(-t * t / 2) * sqrt(2 / pi), [start, start + 5, infinity])
        exact = 3 * density / mpmathify(beta)

        assert exact <= claimed.radius <= exact * (1 + TIGHT)


@pytest.mark.parametrize("count", [1, 2, 600, 10**8])
def test_mean_of_the_largest_normal_is_within_a_step(count: int) -> None:
    claimed = mean_largest_normal(count=count)
    with workdps(20):
        exact = quad(
            lambda t: 1 - (1 - erfc(t / sqrt(2))) ** count, [i / mpf(2) for i in range(20)]
        )

        assert exact <= claimed <= exact + mpf(1) / 256 + mpf("1e-7")


def test_absurd_noise_is_refused() -> None:
    for radius in (nan, inf, -1.0):
        with pytest.raises(InvalidInput):
            SampleAccuracy(radius=radius, beta=Fraction(1, 20))
        with pytest.raises(InvalidInput):
            Shortfall(radius=radius, beta=Fraction(1, 20))
    with pytest.raises(InvalidInput):
        mean_largest_normal(count=10**16)
    with pytest.raises(InvalidInput):
        gaussian_accuracy(sigma=Fraction(0), count=1, beta=Fraction(1, 20))
    with pytest.raises(InvalidInput):
        laplace_accuracy(scale=Fraction(1), count=0, beta=Fraction(1, 20))
