"""T-drift-pure and the Laplace certificate: extremes found by search, mpmath, and the map."""

from __future__ import annotations

from fractions import Fraction
from math import exp as e_to
from math import tanh as hyperbolic
from time import perf_counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import exp, inf, log, mpf, mpmathify, quad, tanh, workdps

from peekproof.core.certificate import Target
from peekproof.core.charge import PureDP
from peekproof.core.errors import InvalidInput
from peekproof.theory.generalization.drift import (
    best_laplace_scale,
    laplace_certificate,
    laplace_shortfall,
    pure_drift,
)
from theory.generalization.radius_map import RADII

CLOSE = mpf("1e-11")
STEP = Fraction(1, 2**60)
levels = st.fractions(Fraction(1, 10**9), Fraction(99, 100))


def target(questions: int) -> Target:
    return Target.of(confidence=0.95, questions=questions)


@given(st.fractions(Fraction(1, 10**9), 300) | st.fractions(Fraction(1, 1000), 2))
def test_it_is_tanh_of_a_quarter_and_never_below(epsilon: Fraction) -> None:
    claimed = pure_drift(PureDP(epsilon))
    with workdps(50):
        exact = tanh(mpmathify(epsilon) / 4)
        assert min(mpf(1), exact) <= claimed or claimed == 1
        assert claimed <= exact * (1 + CLOSE)


def test_nothing_spent_drifts_nothing_and_everything_spent_says_nothing() -> None:
    assert pure_drift(PureDP(Fraction(0))) == 0
    assert pure_drift(PureDP(Fraction(10**400))) == 1


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
def test_no_posterior_drifts_further_and_one_gets_there(epsilon: float) -> None:
    """Random likelihoods with ratios up to e^ε, and the extreme one: two values, prior 1/(1+√c)."""
    rng = np.random.default_rng(7)
    prior = rng.dirichlet(np.full(4, 0.5), size=20_000)
    likelihood = np.exp(epsilon * rng.beta(0.3, 0.3, size=prior.shape))
    posterior = prior * likelihood
    posterior /= posterior.sum(axis=1, keepdims=True)
    variation = np.abs(posterior - prior).sum(axis=1) / 2
    bound = pure_drift(PureDP(Fraction(epsilon)))

    assert variation.max() <= bound
    likely = 1 / (1 + e_to(epsilon / 2))
    after = likely * e_to(epsilon) / (likely * e_to(epsilon) + 1 - likely)
    assert after - likely == pytest.approx(bound, rel=1e-9)
    # A quarter of ε is not a sixth of it: the mutant would be violated by that posterior.
    assert after - likely > hyperbolic(epsilon / 6)


@given(beta=levels, count=st.integers(1, 10**12))
def test_the_shortfall_is_its_formula_and_never_below(beta: Fraction, count: int) -> None:
    claimed = laplace_shortfall(beta=beta, count=count)
    with workdps(50):
        exact = 1 + log(count / mpmathify(beta))
        assert exact <= claimed <= exact * (1 + CLOSE)


@pytest.mark.parametrize(("beta", "count"), [("0.05", 1), ("0.05", 10), ("0.3", 3), ("0.001", 40)])
def test_it_covers_the_exact_shortfall_of_independent_noise(beta: str, count: int) -> None:
    """ES_β = c + ∫_c^∞ Pr[max > t] dt / β with Pr[max ≤ c] = 1 − β, by quadrature."""
    with workdps(30):
        level = mpf(beta)
        c = -log(1 - (1 - level) ** (mpf(1) / count))
        exact = c + quad(lambda t: 1 - (1 - exp(-t)) ** count, [c, c + 5, c + 40, inf]) / level
        claimed = laplace_shortfall(beta=Fraction(beta), count=count)

        assert exact <= claimed * (1 + mpf("1e-20"))
        # One variable has no union to lose by; for many the loss is of the order of β.
        assert claimed <= exact * (1 + (level / 5 if count > 1 else mpf("1e-10")))


@given(
    rows=st.integers(1, 10**9),
    scale=st.fractions(Fraction(1, 10**5), 1),
    questions=st.integers(1, 10**6),
)
def test_the_certificate_is_the_sum_of_its_parts(
    rows: int, scale: Fraction, questions: int
) -> None:
    certificate = laplace_certificate(rows=rows, scale=scale, step=STEP, target=target(questions))
    noise, drift, rounding = certificate.parts
    with workdps(50):
        b = mpmathify(scale)
        exact_noise = b * (1 + log(20 * mpf(questions)))
        exact_drift = tanh(questions / (4 * rows * b))
        assert exact_noise <= noise.radius <= exact_noise * (1 + CLOSE)
        assert exact_drift * (1 - mpf("1e-16")) <= drift.radius <= exact_drift * (1 + CLOSE)
    assert Fraction(rounding.radius) == STEP / 2
    assert certificate.theorems == (
        "T-joint-laplace",
        "T-noise-laplace",
        "T-drift-pure",
        "T-rounding",
    )


@pytest.mark.parametrize(("rows", "questions"), RADII)
def test_the_best_radius_is_the_one_of_the_map(rows: int, questions: int) -> None:
    scale = best_laplace_scale(rows=rows, target=target(questions))
    found = laplace_certificate(rows=rows, scale=scale, step=STEP, target=target(questions))

    # The map integrates the exact shortfall of independent noise: at most 0.1 % less.
    expected = RADII[rows, questions][2]
    assert expected * (1 - 1e-4) <= found.radius <= min(1, expected * 1.0012)


@pytest.mark.parametrize(("rows", "questions"), [(1000, 10), (1000, 100), (10**6, 10**4)])
def test_no_other_scale_is_better(rows: int, questions: int) -> None:
    def radius(scale: Fraction) -> float:
        return laplace_certificate(
            rows=rows, scale=scale, step=STEP, target=target(questions)
        ).radius

    best = best_laplace_scale(rows=rows, target=target(questions))
    others = [best * Fraction(i, 100) for i in range(20, 400, 3)]
    assert radius(best) <= min(map(radius, others)) * (1 + 1e-6)


def test_planning_takes_milliseconds_at_any_size() -> None:
    start = perf_counter()
    for rows in (1, 10**9, 10**18):
        for questions in (1, 10**6, 10**12):
            assert best_laplace_scale(rows=rows, target=target(questions)) > 0
    assert perf_counter() - start < 0.2


def test_nonsense_is_refused() -> None:
    for refused in (
        lambda: laplace_shortfall(beta=Fraction(0), count=1),
        lambda: laplace_shortfall(beta=Fraction(1, 2), count=0),
        lambda: laplace_certificate(rows=0, scale=Fraction(1), step=STEP, target=target(1)),
        lambda: laplace_certificate(rows=1, scale=Fraction(0), step=STEP, target=target(1)),
        lambda: laplace_certificate(rows=1, scale=Fraction(1), step=Fraction(0), target=target(1)),
        lambda: best_laplace_scale(rows=0, target=target(1)),
    ):
        with pytest.raises(InvalidInput):
            refused()
