"""T-drift-gdp: its closed form by quadrature, exact posteriors, and the map."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt as root
from time import perf_counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import erfc, exp, findroot, log, mpf, mpmathify, npdf, quad, sqrt, workdps

from peekproof.core.certificate import Target
from peekproof.core.charge import FREE, GDP
from peekproof.core.errors import InvalidInput
from peekproof.theory.generalization.drift import best_gdp_sigma, gdp_certificate, gdp_drift
from theory.generalization.conversations import (
    Control,
    alternating,
    constant,
    conversation,
    steepest,
)
from theory.generalization.radius_map import RADII

STEP = Fraction(1, 2**60)


def target(questions: int) -> Target:
    return Target.of(confidence=0.95, questions=questions)


def exact_shortfall(mu: mpf, beta: mpf) -> mpf:
    """ES_β(½|e^L − 1|), its quantile by root finding and its tail mean by quadrature over L."""

    def tail(s: mpf) -> mpf:
        above = erfc((log(1 + 2 * s) / mu + mu / 2) / sqrt(2)) / 2
        if 2 * s >= 1:
            return above
        return above + erfc((-log(1 - 2 * s) / mu - mu / 2) / sqrt(2)) / 2

    low, high = mpf(0), mpf(50)
    for _ in range(120):
        middle = (low + high) / 2
        low, high = (middle, high) if tail(middle) > beta else (low, middle)
    s = low

    def mean(start: mpf, end: mpf) -> mpf:
        points = [start + (end - start) * i / 8 for i in range(9)]
        return quad(lambda z: abs(exp(mu * z - mu**2 / 2) - 1) / 2 * npdf(z), points)

    right = log(1 + 2 * s) / mu + mu / 2
    total = mean(right, right + 14 + mu)
    if 2 * s < 1:
        left = log(1 - 2 * s) / mu + mu / 2
        total += mean(left - 14 - mu, left)
    return total / beta


@settings(max_examples=12)
@given(
    mu_squared=st.fractions(Fraction(1, 10**6), 2),
    beta=st.fractions(Fraction(1, 10**6), Fraction(9, 10)),
)
def test_it_is_the_exact_shortfall_and_never_below(mu_squared: Fraction, beta: Fraction) -> None:
    claimed = gdp_drift(GDP(mu_squared), beta=beta)
    with workdps(25):
        exact = exact_shortfall(sqrt(mpmathify(mu_squared)), mpmathify(beta))
        assert min(mpf(1), exact) <= claimed <= min(mpf(1), exact * (1 + mpf("1e-9")))


def test_small_losses_drift_like_half_a_normal_tail() -> None:
    mu = 1e-5
    with workdps(25):
        c = findroot(lambda c: erfc(c / sqrt(2)) - mpf("0.05"), 2)
        shortfall = 2 * npdf(c) / mpf("0.05")
    drift = gdp_drift(GDP(Fraction(mu) ** 2), beta=Fraction(1, 20))
    assert drift == pytest.approx(mu / 2 * float(shortfall), rel=1e-4)


@given(
    mu_squared=st.fractions(Fraction(1, 10**9), 4),
    beta=st.fractions(Fraction(1, 10**9), Fraction(9, 10)),
    factor=st.fractions(Fraction(11, 10), 50),
)
def test_it_grows_with_the_loss_and_the_confidence(
    mu_squared: Fraction, beta: Fraction, factor: Fraction
) -> None:
    drift = gdp_drift(GDP(mu_squared), beta=beta)
    more_loss = gdp_drift(GDP(mu_squared * factor), beta=beta)
    more_confidence = gdp_drift(GDP(mu_squared), beta=beta / factor)

    assert 0 < drift <= 1
    assert more_loss > drift or drift == 1
    assert more_confidence > drift or drift == 1


@pytest.mark.parametrize("mu_squared", [Fraction(99), Fraction(101), Fraction(10) ** 400])
def test_a_loss_that_hides_nothing_certifies_nothing(mu_squared: Fraction) -> None:
    assert gdp_drift(GDP(mu_squared), beta=Fraction(1, 20)) == 1


@pytest.mark.parametrize("mu", [0.3, 1.0])
@pytest.mark.parametrize("control", [constant, alternating, steepest])
@pytest.mark.parametrize("prior", [(0.5, 0.5), (0.2, 0.8), (0.6, 0.3, 0.1)])
def test_exact_posteriors_keep_to_it_on_every_event(
    mu: float, control: Control, prior: tuple[float, ...]
) -> None:
    """The mean of D over its worst β-fraction is at most the bound: that is every event."""
    found = conversation(
        np.array(prior),
        rows=1,
        times=[mu**2 / 2, mu**2 / 2],
        control=control,
        nodes=151,
    )
    order = np.argsort(-found.variation)
    weight, drift = found.weight[order], found.variation[order]
    upto = np.cumsum(weight)
    for beta in (0.01, 0.1, 0.5):
        inside = np.clip(beta - (upto - weight), 0, weight)
        worst = float(inside @ drift) / beta
        assert worst <= gdp_drift(GDP(Fraction(mu) ** 2), beta=Fraction(str(beta)))
        if prior == (0.5, 0.5) and mu < 1:
            # The mutant: a claim for a third of the loss μ. (For large μ the bound is slack.)
            assert worst > gdp_drift(GDP(Fraction(mu / 3) ** 2), beta=Fraction(str(beta)))


@pytest.mark.parametrize(("rows", "questions"), RADII)
def test_the_best_radius_is_below_the_map_which_splits_the_level(rows: int, questions: int) -> None:
    sigma = best_gdp_sigma(rows=rows, target=target(questions))
    certificate = gdp_certificate(rows=rows, sigma=sigma, step=STEP, target=target(questions))
    expected = RADII[rows, questions][3]

    assert 0.9 * expected < certificate.radius < 0.96 * expected
    assert certificate.theorems == ("T-joint-gdp", "T-noise", "T-drift-gdp", "T-rounding")


def test_no_other_noise_is_better() -> None:
    def radius(sigma: Fraction) -> float:
        return gdp_certificate(rows=10**5, sigma=sigma, step=STEP, target=target(1000)).radius

    best = best_gdp_sigma(rows=10**5, target=target(1000))
    assert radius(best) <= min(radius(best * Fraction(i, 20)) for i in range(8, 60)) * (1 + 1e-4)


def test_planning_takes_milliseconds() -> None:
    start = perf_counter()
    for rows, questions in ((10, 1), (10**9, 10**6), (10**18, 10**12)):
        assert best_gdp_sigma(rows=rows, target=target(questions)) > 0
    assert perf_counter() - start < 0.5


def test_the_parts_are_the_theorems() -> None:
    sigma = Fraction(1, 50)
    certificate = gdp_certificate(rows=10**4, sigma=sigma, step=STEP, target=target(100))
    total = GDP(100 / (10**4 * sigma) ** 2)

    assert certificate.parts[1].radius == gdp_drift(total, beta=Fraction(1, 20))
    assert dict(certificate.parts[1].numbers)["mu"] == pytest.approx(root(total.mu_squared))


def test_nonsense_is_refused() -> None:
    level = Fraction(1, 20)
    for refused in (
        lambda: gdp_drift(FREE, beta=level),
        lambda: gdp_drift(GDP(Fraction(1)), beta=Fraction(0)),
        lambda: gdp_drift(GDP(Fraction(1)), beta=Fraction(1)),
        lambda: gdp_certificate(rows=0, sigma=level, step=STEP, target=target(1)),
        lambda: gdp_certificate(rows=1, sigma=Fraction(0), step=STEP, target=target(1)),
        lambda: best_gdp_sigma(rows=0, target=target(1)),
    ):
        with pytest.raises(InvalidInput):
            refused()
