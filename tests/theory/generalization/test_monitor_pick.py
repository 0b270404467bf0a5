"""T-monitor, T-monitor-least, T-monitor-chance, T-monitor-drift, T-monitor-drift-choice.

Formulas against mpmath, and bounds against monitors whose pick can be worked out.
"""

from fractions import Fraction
from itertools import product
from math import exp as real_exp

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mpmath import (
    acosh,
    cosh,
    erfc,
    exp,
    expm1,
    inf,
    log,
    mpf,
    mpmathify,
    pi,
    quad,
    sin,
    sqrt,
    tanh,
    workdps,
)

from peekproof.core.charge import GDP, ApproxDP, PureDP
from peekproof.core.errors import InvalidInput
from peekproof.theory.generalization.drift import mean_gaussian_drift, pure_drift
from peekproof.theory.generalization.monitor import (
    least_pick,
    monitored,
    monitored_drift,
    monitored_drift_chosen,
    overfitting_chance,
)

TIGHT = mpf("1e-10")
NO_CHOICE = PureDP(Fraction(0))
HALF = Fraction(1, 2)
epsilons = st.fractions(Fraction(1, 1000), 2, max_denominator=10**6)
deltas = st.fractions(0, Fraction(1, 1000), max_denominator=10**9)
shares = st.fractions(Fraction(1, 1000), 1, max_denominator=10**4)
counts = st.integers(1, 1000)
sizes = st.integers(1, 10**6)
squares = st.fractions(Fraction(1, 10**4), 4, max_denominator=10**6)


@given(epsilon=epsilons, delta=deltas, choice=epsilons, samples=counts)
@settings(max_examples=50)
def test_the_allowance_of_the_notes(
    epsilon: Fraction, delta: Fraction, choice: Fraction, samples: int
) -> None:
    claimed = monitored(
        ApproxDP(epsilon=epsilon, delta=delta), choice=PureDP(choice), samples=samples
    )
    with workdps(40):
        exact = min(mpf(1), expm1(mpmathify(epsilon + choice)) + mpmathify(samples * delta))

        assert min(mpf(1), exact) <= claimed <= min(mpf(1), exact * (1 + TIGHT))


def lost(samples: int, rows: int, choice: Fraction) -> mpf:
    return 2 / (mpmathify(choice) * rows) * log(2 * samples)


@given(overfit=shares, chance=shares, samples=counts, rows=sizes, choice=epsilons)
@settings(max_examples=50)
def test_the_least_pick(
    overfit: Fraction, chance: Fraction, samples: int, rows: int, choice: Fraction
) -> None:
    claimed = least_pick(
        overfit=overfit, chance=chance, samples=samples, rows=rows, choice=PureDP(choice)
    )
    with workdps(40):
        some = mpmathify(overfit) * (1 - (1 - mpmathify(chance)) ** samples)
        exact = some - lost(samples, rows, choice)

        assert exact - TIGHT * (some + lost(samples, rows, choice)) <= claimed <= exact


@given(score=st.floats(-1, 1), overfit=shares, samples=counts, rows=sizes, choice=epsilons)
@settings(max_examples=50)
def test_the_probability_that_a_score_allows(
    score: float, overfit: Fraction, samples: int, rows: int, choice: Fraction
) -> None:
    claimed = overfitting_chance(
        score, overfit=overfit, samples=samples, rows=rows, choice=PureDP(choice)
    )
    with workdps(40):
        s = max(mpf(0), mpf(score) + lost(samples, rows, choice)) / mpmathify(overfit)
        exact = mpf(1) if s >= 1 else 1 - (1 - s) ** (1 / mpf(samples))
        slack = 1e-9 if 1 - s > 1e-3 else 1  # near 1 the root is steep

        assert exact <= claimed <= exact + slack


@given(overfit=shares, chance=shares, samples=st.integers(1, 50))
@settings(max_examples=50)
def test_what_a_score_allows_is_what_it_needs(
    overfit: Fraction, chance: Fraction, samples: int
) -> None:
    known = {"overfit": overfit, "samples": samples, "rows": 1000, "choice": PureDP(HALF)}
    score = least_pick(chance=chance, **known)  # type: ignore[arg-type]

    assert overfitting_chance(score, **known) >= float(chance) - 1e-6  # type: ignore[arg-type]


def pick_of_coins(epsilon: Fraction, choice: Fraction, samples: int) -> float:
    """The mean score of the pick, by all outcomes.

    Each sample is one fair coin, told through randomised response; the question is whether a coin
    shows what was told, so the scores of it and of its complement are ±½.
    """
    honest = real_exp(epsilon) / (1 + real_exp(epsilon))
    mean = 0.0
    for right in product((True, False), repeat=samples):
        chance = np.prod([honest if each else 1 - honest for each in right])
        scores = np.array([sign * (0.5 if each else -0.5) for each in right for sign in (1, -1)])
        weights = np.exp(float(choice) * scores / 2)  # Δ = 1/n = 1
        mean += float(chance * (weights @ scores) / weights.sum())
    return mean


@pytest.mark.parametrize("samples", [1, 2, 5])
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1, 2)])
@pytest.mark.parametrize("choice", [Fraction(1, 5), Fraction(2)])
def test_a_monitor_of_coins_lies_between_its_bounds(
    samples: int, epsilon: Fraction, choice: Fraction
) -> None:
    mean = pick_of_coins(epsilon, choice, samples)
    each = ApproxDP(epsilon=epsilon, delta=Fraction(0))
    picks = PureDP(choice)

    # One of a question and its complement always overfits by ½.
    least = least_pick(overfit=HALF, chance=Fraction(1), samples=samples, rows=1, choice=picks)
    assert least <= mean <= monitored(each, choice=picks, samples=samples)
    assert mean <= pure_drift(PureDP(epsilon) + picks)


def test_a_pick_by_scores_needs_an_allowance_of_its_own() -> None:
    """The allowance without ε′ is too small: the choice itself overfits."""
    each = ApproxDP(epsilon=Fraction(1, 100), delta=Fraction(0))
    mean = pick_of_coins(Fraction(1, 100), Fraction(2), 1)

    assert mean > monitored(each, choice=NO_CHOICE, samples=1)


def bound_at(rate: mpf, square: Fraction, samples: int) -> mpf:
    angle = acosh(samples * exp((rate * rate + 1) * mpmathify(square) / 32)) / rate
    return sin(min(angle, pi / 2))


@given(square=squares, samples=st.integers(1, 10**6))
@settings(max_examples=20)
def test_the_drift_of_a_pick_is_the_least_over_all_rates(square: Fraction, samples: int) -> None:
    claimed = monitored_drift(GDP(square), samples=samples)
    with workdps(30):
        rates = [mpf(10) ** (mpf(each) / 10) for each in range(-20, 50)]
        best = min(rates, key=lambda rate: bound_at(rate, square, samples))
        nearby = (
            bound_at(best * (1 + mpf(each) / 100), square, samples) for each in range(-30, 31)
        )

        assert all(bound_at(rate, square, samples) >= claimed * (1 - TIGHT) for rate in rates)
        assert claimed <= min(nearby) * (1 + mpf("1e-4"))


@given(square=squares, choice=epsilons, samples=st.integers(1, 1000))
@settings(max_examples=40)
def test_a_pick_by_scores_costs_the_lesser_of_two(
    square: Fraction, choice: Fraction, samples: int
) -> None:
    claimed = monitored_drift_chosen(GDP(square), choice=PureDP(choice), samples=samples)
    with workdps(40):
        charged = mpf(monitored_drift(GDP(square + choice**2), samples=samples))
        moved = monitored_drift(GDP(square), samples=samples) + tanh(mpmathify(choice) / 4)
        exact = min(mpf(1), charged, moved)

        assert exact <= claimed * (1 + mpf("1e-15"))
        assert claimed <= exact * (1 + TIGHT)


def most_extreme(mu: float, samples: int) -> mpf:
    """How much the pick overfits if each sample is one fair coin behind noise 1/μ.

    With m = |answer − ½|·μ the coin agrees with the side of the answer with chance
    1/(1 + e^{−mμ}); of the picks the one with the largest m overfits most, by ½·tanh(mμ/2).
    """

    def phi(x: mpf) -> mpf:
        return erfc(-x / sqrt(2)) / 2

    def below(m: mpf) -> mpf:
        return phi(m - mpf(mu) / 2) - phi(-m - mpf(mu) / 2)

    # E g(M) = ∫ g′(m)·Pr[M > m] dm
    def slope(m: mpf) -> mpf:
        return mpf(mu) / 4 / cosh(m * mpf(mu) / 2) ** 2

    return quad(lambda m: slope(m) * (1 - below(m) ** samples), [0, 1, 2, 4, 8, inf])


@pytest.mark.parametrize("mu", [Fraction(1, 10), Fraction(3, 5), Fraction(2)])
@pytest.mark.parametrize("samples", [1, 5, 100])
def test_coins_behind_noise_overfit_within_the_drift(mu: Fraction, samples: int) -> None:
    with workdps(25):
        overfit = most_extreme(float(mu), samples)

        assert overfit <= monitored_drift(GDP(mu**2), samples=samples)
        assert overfit >= monitored_drift(GDP(mu**2), samples=samples) / mpf("2.5")


def test_the_best_of_many_picks_overfits_more_than_one_may() -> None:
    """The allowance of a single conversation is too small for a pick."""
    loss = GDP(Fraction(9, 25))
    with workdps(25):
        assert most_extreme(0.6, 100) > mean_gaussian_drift(loss)


def test_one_conversation_needs_no_pick() -> None:
    loss = GDP(Fraction(9, 25))

    assert monitored_drift(loss, samples=1) == mean_gaussian_drift(loss)


def test_bounds_refuse_what_they_do_not_mean() -> None:
    each = ApproxDP(epsilon=HALF, delta=Fraction(0))
    known = {"overfit": HALF, "samples": 2, "rows": 10, "choice": PureDP(HALF)}
    with pytest.raises(InvalidInput, match="samples"):
        monitored(each, choice=NO_CHOICE, samples=0)
    with pytest.raises(InvalidInput, match="samples"):
        monitored_drift(GDP(HALF), samples=0)
    with pytest.raises(InvalidInput, match="epsilon"):
        overfitting_chance(0.1, **{**known, "choice": NO_CHOICE})  # type: ignore[arg-type]
    for score in (float("nan"), -2.0, float("inf"), True):
        with pytest.raises(InvalidInput, match="score"):
            overfitting_chance(score, **known)  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="chance"):
        least_pick(chance=Fraction(2), **known)  # type: ignore[arg-type]
