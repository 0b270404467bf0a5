"""What choices promise of the population: the parts, and a population where they are needed."""

from fractions import Fraction
from math import log

import numpy as np
import pytest

from peekproof.core.certificate import Target
from peekproof.core.charge import GDP
from peekproof.core.errors import InvalidInput
from peekproof.core.secret import Exact
from peekproof.mechanisms.exponential import Exponential, Quantile
from peekproof.noise.entropy import Seeded
from peekproof.theory.generalization.choice import choice_certificate, quantile_certificate
from peekproof.theory.generalization.gaussian import own_drift

TARGET = Target(confidence=Fraction(19, 20), questions=200)
BUDGET = GDP(Fraction(1, 400))


def test_a_choice_adds_its_loss_and_the_drift_of_both_sides() -> None:
    certificate = choice_certificate(
        rows=50_000, candidates=40, epsilon=Fraction(1, 50), budget=BUDGET, target=TARGET, draws=7
    )
    loss, drift = (part.radius for part in certificate.parts)
    level = 0.05 / 16 * 7 / 200

    assert loss == pytest.approx(2 * 50 / 50_000 * (log(40 / level) + 1), rel=1e-9)
    assert drift == pytest.approx(2 * own_drift(BUDGET, TARGET), rel=1e-9)
    assert certificate.radius >= loss + drift


def test_a_quantile_has_one_side_only() -> None:
    both, one = (
        certify(
            rows=50_000,
            candidates=40,
            epsilon=Fraction(1, 50),
            budget=BUDGET,
            target=TARGET,
            draws=1,
        )
        for certify in (choice_certificate, quantile_certificate)
    )

    assert one.parts[0] == both.parts[0]
    assert both.parts[1].radius == pytest.approx(2 * one.parts[1].radius, rel=1e-9)


@pytest.mark.parametrize("epsilon", [Fraction(0), Fraction(-1), 0.5])
def test_a_choice_without_noise_has_no_certificate(epsilon: Fraction) -> None:
    with pytest.raises(InvalidInput, match="epsilon"):
        choice_certificate(
            rows=10, candidates=2, epsilon=epsilon, budget=BUDGET, target=TARGET, draws=1
        )


def test_the_choice_keeps_its_promise_where_all_candidates_are_equal_in_truth() -> None:
    """Hundreds of coins: the best of the sample is no better, and the promise must allow it.

    Deterministic (seeded): the gap of an honest promise is far from broken, and a promise without
    the drift, which forgets that the sample was looked at, would be broken by the naive choice.
    """
    rows, candidates = 400, 300
    rng = np.random.default_rng(1)
    counts = tuple(int(count) for count in rng.binomial(rows, 0.5, candidates))
    chosen = Exponential(candidates=candidates, epsilon=Fraction(1)).release(
        Exact(counts), rng=Seeded(1)
    )
    lucky = counts[chosen] / rows - 0.5

    assert lucky > 0.03  # what the sample says of the chosen one is not the truth
    assert max(counts) / rows - counts[chosen] / rows < 2 / 400 * (log(candidates / 1e-3) + 1)


@pytest.mark.parametrize("level", [Fraction(1, 10), Fraction(1, 2), Fraction(9, 10)])
def test_a_chosen_quantile_has_few_rows_between_it_and_the_true_one(level: Fraction) -> None:
    counts = tuple(int(count) for count in np.random.default_rng(2).integers(0, 200, 64))
    rows = sum(counts)
    mechanism = Quantile(rows=rows, cells=64, level=level, epsilon=Fraction(1))
    reach = mechanism.radius(beta=Fraction(1, 10**9))
    for seed in range(50):
        index = mechanism.release(Exact(counts), rng=Seeded(seed))
        before, upto = sum(counts[:index]), sum(counts[: index + 1])
        distance = max(Fraction(0), before - rows * level, rows * level - upto)

        assert distance <= reach
    assert reach < rows / 20
