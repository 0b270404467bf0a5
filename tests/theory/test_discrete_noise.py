"""How far noise on integers reaches: mpmath, enumeration, and the laws it must not be taken for."""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate
from math import ceil, log

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import exp, mpf, mpmathify, pi, sinh, sqrt, workdps

from peekproof.core import check
from peekproof.core.errors import InvalidInput
from peekproof.theory.discrete_noise import (
    discrete_gaussian_reach,
    discrete_laplace_reach,
    discrete_laplace_shortfall,
)
from peekproof.theory.generalization.drift import laplace_shortfall

scales = st.fractions(Fraction(1, 50), 10**6) | st.fractions(Fraction(1, 5), 20)
levels = st.fractions(Fraction(1, 10**12), Fraction(99, 100))
CLOSE = mpf("1e-11")


def tail(scale: Fraction, r: int) -> mpf:
    """Pr[|N| > r], by the closed form that the naive sum below confirms."""
    p = exp(-1 / mpmathify(scale))
    return mpf(1) if r < 0 else 2 * p ** (r + 1) / (1 + p)


@pytest.mark.parametrize("scale", [Fraction(1, 3), Fraction(1), Fraction(17, 4)])
def test_the_tail_is_the_sum_of_its_terms(scale: Fraction) -> None:
    with workdps(40):
        weights = {z: exp(-abs(z) / mpmathify(scale)) for z in range(-400, 401)}
        whole = sum(weights.values())
        for r in (0, 1, 2, 7):
            naive = sum(w for z, w in weights.items() if abs(z) > r) / whole
            assert abs(naive / tail(scale, r) - 1) < mpf("1e-30")


@given(scale=scales, beta=levels)
def test_laplace_noise_stays_within_reach_and_the_reach_is_the_smallest(
    scale: Fraction, beta: Fraction
) -> None:
    r = discrete_laplace_reach(scale=scale, beta=beta)
    with workdps(50):
        level = mpmathify(beta)
        assert tail(scale, r) <= level
        assert tail(scale, r - 1) > level * (1 - CLOSE)


def test_the_reach_of_continuous_noise_would_be_too_short() -> None:
    scale, beta = Fraction(10), Fraction(1, 20)
    continuous = ceil(float(scale) * log(1 / beta)) - 1

    assert tail(scale, continuous) > beta
    assert discrete_laplace_reach(scale=scale, beta=beta) == continuous + 1


@given(scale=scales, beta=levels, count=st.integers(1, 10**9))
def test_the_shortfall_is_the_least_of_its_bounds_and_never_below(
    scale: Fraction, beta: Fraction, count: int
) -> None:
    claimed = discrete_laplace_shortfall(scale=scale, beta=beta, count=count)
    with workdps(50):
        t, level = mpmathify(scale), count / mpmathify(beta)

        def bound(c: int) -> mpf:
            return c + level * exp(-c / t) / sinh(1 / t)

        # The slope turns where level·Pr[|N| > c] passes 1; look on both sides of it.
        turn = next(
            c
            for c in range(max(0, ceil(float(scale) * log(count / beta)) - 2), 10**9)
            if level * tail(scale, c) <= 1
        )
        least = min(bound(c) for c in range(max(0, turn - 2), turn + 3))
        assert least <= claimed <= least * (1 + CLOSE) + mpf(5e-324)


@given(scale=scales, beta=levels, count=st.integers(1, 10**9))
def test_it_is_never_more_than_what_continuous_noise_has(
    scale: Fraction, beta: Fraction, count: int
) -> None:
    discrete = discrete_laplace_shortfall(scale=scale, beta=beta, count=count)
    continuous = float(scale) * laplace_shortfall(beta=beta, count=count)

    assert discrete <= continuous * (1 + 1e-11)


@pytest.mark.parametrize(("beta", "count"), [("0.05", 1), ("0.05", 10), ("0.3", 3), ("0.001", 40)])
@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(1), Fraction(6)])
def test_it_covers_the_exact_shortfall_of_independent_noise(
    scale: Fraction, beta: str, count: int
) -> None:
    """The mean of the worst β-fraction of max |N_j|, by walking down from the largest value."""
    with workdps(40):
        level, missing, sum_ = mpf(beta), mpf(beta), mpf(0)
        for m in range(400, -1, -1):
            chance = (1 - tail(scale, m)) ** count - (1 - tail(scale, m - 1)) ** count
            taken = min(missing, chance)
            sum_ += m * taken
            missing -= taken
        exact = sum_ / level
        claimed = discrete_laplace_shortfall(scale=scale, beta=Fraction(beta), count=count)

        assert missing == 0
        assert exact <= claimed * (1 + mpf("1e-20"))
        assert claimed <= exact * (1 + (level / 4 if count > 1 else mpf("1e-10")))


@pytest.mark.parametrize("sigma", ["1/5", "1/2", "1", "7/3", "10", "60"])
@pytest.mark.parametrize("beta", ["1/2", "1/20", "1/1000000", "1/1000000000000000"])
def test_gaussian_noise_stays_within_reach_and_the_reach_is_nearly_the_smallest(
    sigma: str, beta: str
) -> None:
    spread, level = Fraction(sigma), Fraction(beta)
    r = discrete_gaussian_reach(sigma=spread, beta=level)
    with workdps(40):
        variance = 2 * mpmathify(spread) ** 2
        weights = [exp(-(mpf(z) ** 2) / variance) for z in range(900)]
        # Pr[|N| > i], up to the normaliser, from the far end inward.
        beyond = list(accumulate(2 * weight for weight in reversed(weights[1:])))[::-1]
        limit = mpmathify(level) * (beyond[0] + 1)

        assert beyond[r] <= limit
        smallest = next(i for i in range(900) if beyond[i] <= limit)
        assert smallest <= r <= smallest + 1


def test_poisson_summation_is_used_the_right_way_round() -> None:
    with workdps(30):
        for sigma in (mpf("0.3"), mpf("0.7"), mpf(1)):
            sums = [
                sum(exp(-((x - a) ** 2) / (2 * sigma**2)) for x in range(-40, 41))
                for a in (mpf(0), mpf("0.25"), mpf("0.5"))
            ]
            assert sums[0] > max(sums[1:])
            assert sums[0] > sigma * sqrt(2 * pi) > sums[2]


def test_extreme_sizes_are_finite() -> None:
    tiny, huge = Fraction(1, 10**100), Fraction(10**100)
    level = Fraction(1, 10**200)

    assert discrete_laplace_reach(scale=tiny, beta=level) == 0
    assert 0 < discrete_laplace_shortfall(scale=tiny, beta=level, count=10**9) < 1e-300
    assert discrete_laplace_reach(scale=huge, beta=level) > 460 * 10**100
    assert 4.8e102 < discrete_laplace_shortfall(scale=huge, beta=level, count=10**9) < 4.9e102
    assert discrete_gaussian_reach(sigma=tiny, beta=level) == 0
    assert 3e101 < discrete_gaussian_reach(sigma=huge, beta=level) < 4e101


@pytest.mark.parametrize(
    "absurd",
    [
        Fraction(0),
        Fraction(-1),
        Fraction(10**100 + 1),
        Fraction(1, 10**100 + 1),
        Fraction(2**4096 + 1, 2**4096),
        1,
        1.5,
        float("nan"),
        True,
    ],
)
def test_absurd_noise_is_refused(absurd: Fraction) -> None:
    for refused in (
        lambda: check.drawable(scale=absurd),
        lambda: discrete_laplace_reach(scale=absurd, beta=Fraction(1, 2)),
        lambda: discrete_laplace_shortfall(scale=absurd, beta=Fraction(1, 2), count=1),
    ):
        with pytest.raises(InvalidInput, match=r"^scale must be "):
            refused()
    with pytest.raises(InvalidInput, match=r"^sigma must be "):
        discrete_gaussian_reach(sigma=absurd, beta=Fraction(1, 2))


def test_absurd_levels_and_counts_are_refused() -> None:
    one = Fraction(1)
    for refused in (
        lambda: discrete_laplace_reach(scale=one, beta=Fraction(0)),
        lambda: discrete_laplace_reach(scale=one, beta=one),
        lambda: discrete_laplace_shortfall(scale=one, beta=Fraction(1, 2), count=0),
        lambda: discrete_laplace_shortfall(scale=one, beta=Fraction(1, 10**201), count=1),
        lambda: discrete_gaussian_reach(sigma=one, beta=Fraction(2)),
    ):
        with pytest.raises(InvalidInput):
            refused()
