"""Hundreds of sessions under attack: how often does any interval miss the population?"""

from __future__ import annotations

import numpy as np
import pytest

import peekproof
from peekproof.audit.analysts.correlation import agreement, vote
from peekproof.audit.demonstration import HeldFast, Holdout, PlainHoldout
from peekproof.data.load import in_memory
from peekproof.noise.entropy import Seeded
from peekproof.testing.statistics import excess_p_value, statistical
from sizes import sized

SESSIONS = sized(400, full=2_000)  # one that misses in 17 of 100 is caught; at full size, in 10
ROWS = 1_000
FEATURES = [f"x{number}" for number in range(1, 25)]
LABEL = "y"
TRUTH = 0.5  # of every agreement, and of every vote: features and label are independent coins
CONFIDENCE = 0.95
FALSE_ALARM = 1e-8

Columns = dict[str, np.ndarray]


def draw_sample(rng: np.random.Generator) -> Columns:
    values = rng.integers(0, 2, (len(FEATURES) + 1, ROWS)).astype(float) * 2 - 1
    return dict(zip([*FEATURES, LABEL], values, strict=True))


def misses(holdout: Holdout) -> bool:
    """Whether any interval of an adaptive analyst's conversation misses the truth."""
    replies = holdout.reply([agreement(feature, LABEL) for feature in FEATURES])
    agreements = [reply.value for reply in replies]
    replies += holdout.reply([vote(FEATURES, LABEL, agreements)])
    return any(TRUTH not in reply for reply in replies)


@statistical(false_alarm=FALSE_ALARM)
def test_sessions_miss_no_more_often_than_they_promise() -> None:
    rng = np.random.default_rng(1)
    missed = 0
    for session_number in range(SESSIONS):
        with peekproof.open(
            draw_sample(rng),
            confidence=CONFIDENCE,
            questions=len(FEATURES) + 1,
            entropy=Seeded(session_number),
        ) as session:
            missed += misses(HeldFast(session))

    beta = 1 - CONFIDENCE
    assert missed / SESSIONS < beta
    assert excess_p_value(missed, trials=SESSIONS, probability=beta) > FALSE_ALARM


@statistical(false_alarm=FALSE_ALARM)
def test_the_same_test_rejects_a_plain_holdout() -> None:
    """The mutant: exact answers with textbook intervals."""
    rng = np.random.default_rng(2)
    trials = 50
    missed = sum(misses(PlainHoldout(in_memory(draw_sample(rng)))) for _ in range(trials))

    assert excess_p_value(missed, trials=trials, probability=1 - CONFIDENCE) < FALSE_ALARM


@pytest.mark.parametrize("spread", [0.1, 0.5, 0.9])
def test_intervals_are_not_wider_than_certified(spread: float) -> None:
    """Coverage alone would accept infinite intervals: the width must be the planned one."""
    data = {"u": np.linspace(0, 1, ROWS)}
    with peekproof.open(data, confidence=CONFIDENCE, questions=25, entropy=Seeded(7)) as session:
        answer = session.ask(f"u < {spread}")
        planned = session.plan.radius

    assert answer.high - answer.low <= 2 * planned + 1e-12
    assert planned < 0.22
