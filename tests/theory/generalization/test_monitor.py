"""T-monitor: leaks against mpmath, and against a conversation whose overfitting is known."""

from collections.abc import Callable
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import erf, erfc, exp, mpf, mpmathify, pi, quad, sqrt, tanh, workdps

from peekproof.core.certificate import Target
from peekproof.core.errors import InvalidInput
from peekproof.theory.generalization.monitor import (
    monitor,
    monitor_two_sided,
    one_sided_leak,
    two_sided_leak,
)

TIGHT = mpf("1e-9")
mus = st.floats(1e-8, 3)
copies = st.integers(2, 10_000)
TARGET = Target.of(confidence=0.95, questions=10)


def phi(x: mpf) -> mpf:
    return erfc(-x / sqrt(2)) / 2


def root(rising: Callable[[mpf], mpf], low: mpf, high: mpf) -> mpf:
    """Where a rising function crosses 0, by plain bisection to 10⁻²⁵."""
    for _ in range(90):
        middle = (low + high) / 2
        low, high = (low, middle) if rising(middle) > 0 else (middle, high)
    return low


@given(mu=mus, copies=copies)
@settings(max_examples=25)
def test_the_one_sided_leak_is_the_published_one(mu: float, copies: int) -> None:
    claimed = one_sided_leak(mu, copies)
    with workdps(35):
        m = mpf(mu)
        y = min(1 / mpf(copies), phi(-m / 2))
        z = root(lambda z: phi(z) - y, mpf(-50), mpf(0))
        exact = copies * (phi(z + m) - y)

        assert exact <= claimed <= exact * (1 + TIGHT)


@given(mu=mus, copies=copies)
@settings(max_examples=25)
def test_the_two_sided_leak_balances_a_question_and_its_complement(mu: float, copies: int) -> None:
    claimed = two_sided_leak(mu, copies)
    with workdps(35):
        m = mpf(mu)
        z = root(lambda z: phi(z) + phi(z + m) - 1 / mpf(copies), mpf(-50), -m / 2)
        exact = copies * (phi(z + m) - phi(z))

        assert exact <= claimed <= exact * (1 + TIGHT)
    assert claimed <= one_sided_leak(mu, copies) * (1 + 1e-9)


@pytest.mark.parametrize("mu", [1e-6, 0.3, 5.0, 40.0])
def test_one_copy_leaks_the_total_variation(mu: float) -> None:
    with workdps(30):
        exact = erf(mpf(mu) / sqrt(8))

        assert exact <= one_sided_leak(mu, 1) <= exact * (1 + TIGHT)
        assert exact <= two_sided_leak(mu, 1) <= exact * (1 + TIGHT)


@pytest.mark.parametrize("sigma", [0.5, 1.0, 4.0])
@pytest.mark.parametrize("copies", [1, 5, 100])
def test_a_known_conversation_overfits_less_than_the_leak(sigma: float, copies: int) -> None:
    """One record, a fair bit behind noise σ; the copy with the most extreme answer is picked.

    With m = |answer − ½| the bit agrees with the answer's side with chance 1/(1 + e^{−m/σ²}), so
    the pick overfits by ½·tanh(m/(2σ²)) on average.
    """
    with workdps(20):
        s = mpf(sigma)

        def below(m: mpf) -> mpf:  # Pr[|answer − ½| ≤ m]
            return (erf((m - 0.5) / (s * sqrt(2))) + erf((m + 0.5) / (s * sqrt(2)))) / 2

        def slope(m: mpf) -> mpf:
            bells = exp(-((m - 0.5) ** 2) / (2 * s * s)) + exp(-((m + 0.5) ** 2) / (2 * s * s))
            return bells / (s * sqrt(2 * pi))

        def share(m: mpf) -> mpf:
            return tanh(m / (2 * s * s)) / 2 * copies * below(m) ** (copies - 1) * slope(m)

        truth = quad(share, [s * i for i in range(13)])

    assert truth <= two_sided_leak(1 / sigma, copies)
    # A leak that forgot the copies would be refuted.
    assert copies < 100 or sigma < 1 or truth > two_sided_leak(1 / sigma, 1)


@given(
    sigma=st.fractions(Fraction(1, 1000), Fraction(1, 10)),
    rows=st.integers(1000, 10**6),
    copies=st.sampled_from([1, 60]),
)
@settings(max_examples=6)
def test_the_radius_is_the_formula_with_a_step_more_noise(
    sigma: Fraction, rows: int, copies: int
) -> None:
    one = monitor(rows=rows, sigma=sigma, copies=copies, target=TARGET).radius
    two = monitor_two_sided(rows=rows, sigma=sigma, copies=copies, target=TARGET).radius
    with workdps(30):
        s, total = mpmathify(sigma), copies * TARGET.questions
        mu = sqrt(mpf(TARGET.questions)) / (rows * s)
        largest = quad(
            lambda t: 1 - (1 - erfc(t / sqrt(2))) ** total, [i / mpf(2) for i in range(26)]
        )
        chance = 1 - (1 - mpmathify(TARGET.beta)) ** copies
        for leak, radius in ((one_sided_leak, one), (two_sided_leak, two)):
            exact = (s * largest + mpf(leak(float(mu), copies))) / chance

            assert min(1, exact * (1 - mpf("1e-12"))) <= radius
            assert radius <= min(1, exact + s / 256 / chance + mpf("1e-6"))


def test_absurd_arguments_are_refused() -> None:
    with pytest.raises(InvalidInput, match="copies"):
        monitor(rows=10, sigma=Fraction(1), copies=0, target=TARGET)
    with pytest.raises(InvalidInput, match="sigma"):
        monitor_two_sided(rows=10, sigma=Fraction(0), copies=2, target=TARGET)
    with pytest.raises(InvalidInput, match="rows"):
        monitor(rows=0, sigma=Fraction(1), copies=2, target=TARGET)
