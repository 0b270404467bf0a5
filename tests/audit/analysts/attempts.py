"""Many attempts of one analyst at the sample itself, and whether they went as predicted."""

from __future__ import annotations

import re
from functools import cached_property

import numpy as np

from peekproof.audit.analysts.averaging import disguises
from peekproof.audit.analysts.populations import LABEL
from peekproof.audit.analysts.protocol import Analyst, Columns, Conversation, ExactSample, Oracle
from peekproof.testing.statistics import excess_p_value

FALSE_ALARM = 2e-9
RUNS = 36
# Predictions are limits for many rows; at the sizes of these tests they are closer than this.
LIMIT_ERROR = 0.1


class Quick:
    """The sample itself, with agreements and votes worked out here, which is faster."""

    def __init__(self, columns: Columns, *, spellings: int = 1) -> None:
        self._columns = columns
        self._known: dict[str, float] = {}
        if LABEL in columns:
            label = columns[LABEL]
            for name in columns.keys() - {LABEL}:
                share = float(np.mean(columns[name] == label))
                self._known |= dict.fromkeys(disguises(name, LABEL, count=spellings), share)

    @cached_property
    def _sample(self) -> ExactSample:
        return ExactSample(self._columns)

    def __call__(
        self, question: str, *, guess: float | None = None, tolerance: float | None = None
    ) -> float:
        if (known := self._known.get(question)) is not None:
            return known
        if question.startswith("(") and question.endswith(f") * {LABEL} > 0"):
            terms = re.findall(r"([+-]\d+)\*(x\d+)", question)
            sums = sum(int(weight) * self._columns[name].astype(int) for weight, name in terms)
            return float(np.mean(sums * self._columns[LABEL].astype(int) > 0))
        return self._sample(question)


def played(analyst: Analyst, *, seed: int) -> list[Conversation]:
    rng = np.random.default_rng(seed)
    return [analyst.play(Quick(analyst.data(rng)), rng=rng) for _ in range(RUNS)]


def errors(analyst: Analyst, *, seed: int) -> list[float]:
    return [each.decisive.error for each in played(analyst, seed=seed)]


def as_predicted(found: list[float], predicted: float) -> bool:
    """Whether the median of independent errors can lie within LIMIT_ERROR of the prediction.

    Each lies on the wrong side of an end of that range with probability at most ½ if the median
    is inside; so this is wrong with probability at most FALSE_ALARM, whatever the law.
    """
    low, high = predicted * (1 - LIMIT_ERROR), predicted * (1 + LIMIT_ERROR)
    return all(
        excess_p_value(beyond, trials=len(found), probability=0.5) > FALSE_ALARM / 2
        for beyond in (sum(error < low for error in found), sum(error > high for error in found))
    )


class Noisy:
    """The sample with fresh Gaussian noise on every answer."""

    def __init__(self, sample: Oracle, *, sigma: float, rng: np.random.Generator) -> None:
        self._sample, self._sigma, self._rng = sample, sigma, rng

    def __call__(
        self, question: str, *, guess: float | None = None, tolerance: float | None = None
    ) -> float:
        return self._sample(question, guess=guess) + self._sigma * float(self._rng.normal())
