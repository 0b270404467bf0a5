"""Whoever chooses predictions by their answers does not make F1 miss what it is of."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

import peekproof
from peekproof.testing.statistics import excess_p_value, statistical

FALSE_ALARM = 1e-9
ROWS, STEPS, TRIALS = 1500, 12, 8

Classes = npt.NDArray[np.int64]
Answers = Callable[[Classes], tuple[float, float, float]]  # a value and the ends of its interval


def promised(truth: Classes) -> Answers:
    """F1 of a holdout. Guesses that are far off make it tell as much of the sample as it does."""
    holdout = peekproof.Holdout(None, truth, metric="f1")

    def answers(said: Classes) -> tuple[float, float, float]:
        found = holdout.score(said, guess=0.02)
        return found.value, found.low, found.high

    return answers


def plain(truth: Classes) -> Answers:
    """F1 of the sample, with twice its standard error, as if nothing had been asked before."""

    def answers(said: Classes) -> tuple[float, float, float]:
        value = 2 * (truth & said).sum() / (truth.sum() + said.sum())
        error = 2 * np.sqrt(0.25 / ROWS)
        return value, value - error, value + error

    return answers


def expected(said: Classes) -> float:
    """For labels that are coins: twice the true positives are s, and half of all are mistaken."""
    share = said.mean()
    return float(share / (share + 0.5))


def broken(seed: int, opened: Callable[[Classes], Answers]) -> bool:
    """Whether an interval misses while predictions are chosen by all answers before."""
    rng = np.random.default_rng(seed)
    answers = opened(rng.integers(0, 2, ROWS))
    votes, missed = np.zeros(ROWS), False
    for step in range(STEPS + 1):
        said = (votes > 0).astype(np.int64) if step == STEPS else rng.integers(0, 2, ROWS)
        value, low, high = answers(said)
        missed |= not low <= expected(said) <= high
        votes += (2 * said - 1) * np.sign(value - expected(said))
    return missed


@statistical(false_alarm=FALSE_ALARM)
def test_f1_holds_under_an_attack_that_breaks_plain_intervals() -> None:
    """Kills the interval of a sample that is taken as if no predictions were chosen by it."""
    held = sum(broken(seed, promised) for seed in range(TRIALS))
    naive = sum(broken(seed, plain) for seed in range(TRIALS))

    assert excess_p_value(held, trials=TRIALS, probability=0.05) > FALSE_ALARM
    assert excess_p_value(naive, trials=TRIALS, probability=0.05) < FALSE_ALARM
