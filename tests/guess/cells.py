"""Small domains, questions about their cells, and multiplicative weights said a second time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from peekproof.guess.domain import Weighing
from peekproof.query.question import Question, parse_question
from peekproof.query.schema import Kind, Schema

NUMBERED = Schema({"x": Kind.NUMBER})


def question(number: int) -> Question:
    """One of many questions that only their number tells apart."""
    return parse_question(f"x > {number}", NUMBERED)


class Listed:
    """The values of numbered questions, from a list."""

    def __init__(self, values: Sequence[Weighing]) -> None:
        self.questions = [question(number) for number in range(len(values))]
        self._held = dict(zip((each.digest for each in self.questions), values, strict=True))

    def __call__(self, asked: Question) -> Weighing:
        return self._held[asked.digest]


class Naive:
    """Weights in a list, one exponential a cell and exactly rounded sums."""

    def __init__(self, cells: int) -> None:
        self.p = [1 / cells] * cells

    def guess(self, q: Sequence[float]) -> float:
        return math.fsum(p * each for p, each in zip(self.p, q, strict=True))

    def learn(self, q: Sequence[float], answer: float, within: float, error: float) -> None:
        g = self.guess(q)
        if abs(answer - g) <= within or g in (0, 1):
            return
        low, high = answer - within, answer + within
        t = min(high, max(low, g + error)) if answer > g else max(low, min(high, g - error))
        if not 0 < t < 1:
            rho = 8.0 if t >= 1 else -8.0
        else:
            rho = max(-8.0, min(8.0, math.log(t / (1 - t)) - math.log(g / (1 - g))))
        self.p = [
            # For zeros and ones the factor of the literature.
            p * (math.exp(rho * each) if each in (0, 1) else 1 + math.expm1(rho) * each)
            for p, each in zip(self.p, q, strict=True)
        ]
        total = math.fsum(self.p)
        self.p = [p / total for p in self.p]


def entropy(target: npt.NDArray[np.float64], p: npt.NDArray[np.float64]) -> float:
    """The relative entropy of a target to weights."""
    pairs = zip(target.tolist(), p.tolist(), strict=True)
    return math.fsum(d * (math.log(d) - math.log(w)) for d, w in pairs if d > 0)


def exact(share: float) -> Fraction:
    return Fraction(min(max(share, 0.0), 1.0))
