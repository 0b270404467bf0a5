"""T-azuma against mpmath, and against the exact tails of sums that reach it."""

from fractions import Fraction
from math import comb, inf

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import exp, log, mpf, mpmathify, sqrt, workdps

from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import MARGIN
from peekproof.theory.composition import azuma_deviation, azuma_tail

DIGITS = 50
counts = st.integers(1, 10**6)
bounds = st.fractions(Fraction(1, 10**3), 10)
shares = st.fractions(-1, 1)
betas = st.builds(lambda power: Fraction(1, 10**power), st.integers(1, 150)) | st.fractions(
    Fraction(1, 1000), Fraction(999, 1000)
)


def biased_tail(*, count: int, up: Fraction, threshold: Fraction) -> Fraction:
    """Pr[sum > threshold] for independent ±1 that are +1 with probability `up`."""
    return sum(
        (
            comb(count, k) * up**k * (1 - up) ** (count - k)
            for k in range(count + 1)
            if 2 * k - count > threshold
        ),
        Fraction(0),
    )


@given(count=counts, bound=bounds, share=shares, t=st.fractions(0, 30))
def test_the_tail_to_fifty_digits(
    count: int, bound: Fraction, share: Fraction, t: Fraction
) -> None:
    mean = share * bound
    threshold = count * mean + t * bound
    claimed = azuma_tail(threshold=threshold, count=count, bound=bound, mean=mean)
    with workdps(DIGITS):
        # t in the theorem is t/√k here: rational, so that the exponent is exact.
        exact = exp(-(mpmathify(t) ** 2) / (2 * count))
        assert min(mpf(1), exact * (1 + 7 * mpf(MARGIN) / 8)) <= claimed
        assert claimed <= min(mpf(1), exact * (1 + 2 * mpf(MARGIN)))


@given(count=counts, bound=bounds, share=shares, beta=betas)
def test_the_deviation_to_fifty_digits(
    count: int, bound: Fraction, share: Fraction, beta: Fraction
) -> None:
    claimed = azuma_deviation(count=count, bound=bound, mean=share * bound, beta=beta)
    with workdps(DIGITS):
        drift = count * mpmathify(share * bound)
        spread = mpmathify(bound) * sqrt(-2 * count * log(mpmathify(beta)))
        assert drift + spread * (1 + 7 * mpf(MARGIN) / 8) <= claimed
        assert claimed <= drift + (spread + abs(drift)) * (1 + 2 * mpf(MARGIN)) - abs(drift)


@given(count=st.integers(1, 1000), bound=bounds, share=shares, beta=betas)
def test_each_inverts_the_other(
    count: int, bound: Fraction, share: Fraction, beta: Fraction
) -> None:
    mean = share * bound
    level = Fraction(azuma_deviation(count=count, bound=bound, mean=mean, beta=beta))
    tail = azuma_tail(threshold=level, count=count, bound=bound, mean=mean)

    assert tail == pytest.approx(float(beta), rel=1e-8)


@given(
    count=st.integers(1, 40), up=st.fractions(0, 1, max_denominator=50), level=st.integers(-40, 40)
)
def test_no_sum_of_signs_exceeds_it(count: int, up: Fraction, level: int) -> None:
    exact = biased_tail(count=count, up=up, threshold=Fraction(level))
    claimed = azuma_tail(threshold=Fraction(level), count=count, bound=Fraction(1), mean=2 * up - 1)
    assert exact <= claimed


def test_a_larger_exponent_would_be_a_false_claim() -> None:
    # A fair walk far out: e^{−t²/2} cannot be e^{−0.7t²}.
    exact = biased_tail(count=400, up=Fraction(1, 2), threshold=Fraction(80))
    claimed = azuma_tail(threshold=Fraction(80), count=400, bound=Fraction(1), mean=Fraction(0))

    assert claimed**1.4 < exact < claimed


def test_the_root_does_not_cover_the_bound() -> None:
    # The notes print t√(kα) for t√k·α. Steps of ±4, k = 400, t = 3: 120 is passed too often.
    exact = biased_tail(count=400, up=Fraction(1, 2), threshold=Fraction(120, 4))
    claimed = azuma_tail(threshold=Fraction(120), count=400, bound=Fraction(4), mean=Fraction(0))

    assert exp(-mpf(9) / 2) < exact < claimed


def test_nothing_is_claimed_below_the_drift() -> None:
    one, half = Fraction(1), Fraction(1, 2)

    assert azuma_tail(threshold=Fraction(5), count=10, bound=one, mean=half) == 1
    assert azuma_tail(threshold=Fraction(-5), count=10, bound=one, mean=half) == 1
    assert 0 < azuma_tail(threshold=Fraction(10**9), count=10, bound=one, mean=half) < 1e-300
    assert azuma_deviation(count=10**400, bound=one, mean=half, beta=half) == inf


@pytest.mark.parametrize(
    ("named", "value"),
    [
        ("count", 0),
        ("count", True),
        ("bound", Fraction(0)),
        ("bound", 1.0),
        ("mean", Fraction(2)),
        ("mean", Fraction(-2)),
        ("mean", 0.5),
    ],
)
def test_absurd_terms_are_refused(named: str, value: object) -> None:
    terms = {"count": 3, "bound": Fraction(1), "mean": Fraction(0), named: value}
    with pytest.raises(InvalidInput, match=f"^{named} must be"):
        azuma_tail(threshold=Fraction(1), **terms)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match=f"^{named} must be"):
        azuma_deviation(beta=Fraction(1, 2), **terms)  # type: ignore[arg-type]


def test_absurd_levels_are_refused() -> None:
    one = Fraction(1)
    with pytest.raises(InvalidInput, match=r"^threshold must be"):
        azuma_tail(threshold=0.5, count=1, bound=one, mean=one)  # type: ignore[arg-type]
    for beta in (Fraction(0), one):
        with pytest.raises(InvalidInput, match=r"^beta must be"):
            azuma_deviation(count=1, bound=one, mean=one, beta=beta)
