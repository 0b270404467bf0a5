"""Searches that take what a holdout tells for the truth, and run up a score on it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import log, sqrt

import numpy as np

import peekproof
from learn.models import Bits, coins
from peekproof.core.certificate import Interval

# Predictions, and a guess, for a score and its interval.
Told = tuple[float, Interval]
Scorer = Callable[[Bits, float], Told]
Attack = Callable[[Scorer, int, int, np.random.Generator], Iterator[Told]]


@dataclass
class Plain:
    """A holdout that tells the mean, with the interval of questions written down beforehand."""

    labels: Bits
    questions: int
    beta: float

    def __call__(self, predictions: Bits, guess: float) -> Told:
        del guess
        share = float(np.mean(predictions == self.labels))
        radius = sqrt(log(2 * self.questions / self.beta) / (2 * len(self.labels)))
        return share, Interval(low=max(0.0, share - radius), high=min(1.0, share + radius))


@dataclass
class Held:
    """A Peekproof holdout."""

    holdout: peekproof.Holdout

    def __call__(self, predictions: Bits, guess: float) -> Told:
        answer = self.holdout.score(predictions, guess=guess)
        return answer.value, Interval(low=answer.low, high=answer.high)


def climb(score: Scorer, rows: int, models: int, rng: np.random.Generator) -> Iterator[Told]:
    """Change a few predictions at a time, keep what scores higher, and guess the best so far."""
    best = coins(rows, rng)
    told = score(best, 0.5)
    yield told
    highest = told[0]
    for _ in range(models - 1):
        tried = best.copy()
        tried[rng.integers(0, rows, max(1, rows // 100))] ^= 1
        told = score(tried, highest)
        yield told
        if told[0] > highest:
            highest, best = told[0], tried


def vote(score: Scorer, rows: int, models: int, rng: np.random.Generator) -> Iterator[Told]:
    """Score random models by guesses far off, which fail and so tell a bin each; then all vote.

    With enough of them intervals hold everything, and even such guesses pass and tell nothing.
    """
    ballots = np.zeros(rows)
    for _ in range(models - 1):
        tried = coins(rows, rng)
        told = score(tried, 1.0)
        yield told
        ballots += (told[0] - 0.5) * (2.0 * tried - 1)
    yield score((ballots > 0).astype(np.int8), 0.5)
