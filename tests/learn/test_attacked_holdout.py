"""Ten thousand models that know nothing: a plain holdout praises one, this one covers all."""

from __future__ import annotations

import numpy as np

import peekproof
from learn.attackers import Attack, Held, Plain, Told, climb, vote
from learn.models import coins
from peekproof.testing.statistics import statistical
from sizes import sized

MODELS = sized(200, full=10_000)
ROWS = sized(1_000, full=10_000)
FALSE_ALARM = 1e-9
TRUTH = 0.5  # labels are coins: so often is every model right that was made without them


def attacked(attack: Attack, *, seed: int) -> tuple[list[Told], list[Told]]:
    """What a plain holdout tells the attacker, and what ours tells."""
    labels = coins(ROWS, np.random.default_rng(seed))
    plain = Plain(labels, MODELS, beta=0.05)
    fooled = list(attack(plain, ROWS, MODELS, np.random.default_rng(seed + 1)))
    with peekproof.Holdout(None, labels, confidence=1 - FALSE_ALARM, questions=MODELS) as holdout:
        kept = list(attack(Held(holdout), ROWS, MODELS, np.random.default_rng(seed + 1)))
    assert len(fooled) == len(kept) == MODELS
    return fooled, kept


@statistical(false_alarm=FALSE_ALARM)
def test_a_hill_climber_fools_a_plain_holdout_and_not_this_one() -> None:
    """Wrong variant: intervals of questions that were written down beforehand; they miss."""
    fooled, kept = attacked(climb, seed=1)
    assert max(score for score, _ in fooled) > TRUTH + 0.05
    assert any(TRUTH not in interval for _, interval in fooled)
    assert all(TRUTH in interval for _, interval in kept)
    assert max(score for score, _ in kept) < TRUTH + 0.05


@statistical(false_alarm=FALSE_ALARM)
def test_a_vote_of_forced_failures_fools_a_plain_holdout_and_not_this_one() -> None:
    """Wrong variant as above."""
    fooled, kept = attacked(vote, seed=3)
    final, interval = fooled[-1]
    assert final > TRUTH + 0.1
    assert TRUTH not in interval
    assert all(TRUTH in interval for _, interval in kept)
