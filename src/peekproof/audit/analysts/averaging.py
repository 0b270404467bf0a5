"""Averaging in disguise: one question in many spellings, so that noise averages out."""

from dataclasses import dataclass
from math import sqrt
from statistics import fmean
from typing import ClassVar, Self, final

import numpy as np

from peekproof.audit.analysts.correlation import agreement, leanings, predicted_share
from peekproof.audit.analysts.populations import HALF, LABEL, draw_columns, names, odd_vote
from peekproof.audit.analysts.protocol import (
    Columns,
    Conversation,
    Notes,
    Oracle,
    check_questions,
)
from peekproof.core import check


def disguises(feature: str, label: str, *, count: int) -> list[str]:
    """Spellings of the question how often two signs agree.

    The first three have one canonical form: an order, a double negation. The others are ranges
    that are the same for signs, and that no parser can know to be.
    """
    plain = [agreement(feature, label), f"not {feature} != {label}", agreement(label, feature)]
    ranges = [f"{feature} * {label} > {number / count:.6f}" for number in range(count)]
    return [*plain, *ranges][:count]


# Of each question.
_SPELLINGS = 6


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Averaging:
    """Asks each agreement in many spellings, takes their mean, and then does as Correlation.

    Where every spelling gets fresh Gaussian noise σ the mean of r = `spellings` has σ/√r, and the
    sample overstates the vote by

        Φ(√(k/n) / √(1 + 4nσ²/r)) − ½                 k = `features`, n = `rows`

    Exact answers are their own mean: `predicted` has σ = 0. Asking until noise averages out is as
    old as noise; the disguises are ours.
    """

    kind: ClassVar[str] = "averaging"
    FORMULA: ClassVar[str] = "Φ(√(k/(6n))) − ½"
    SOURCE: ClassVar[str] = "folklore; the disguises are ours"

    rows: int = 100
    features: int = 40
    spellings: int = _SPELLINGS

    def __post_init__(self) -> None:
        check.positive_integer(rows=self.rows)
        check.positive_integer(features=self.features)
        check.positive_integer(spellings=self.spellings)

    @classmethod
    def sized(cls, *, rows: int, questions: int) -> Self:
        most = check_questions(questions, least=3, kind=cls.kind) - 1
        spellings = min(_SPELLINGS, most)
        return cls(rows=rows, features=most // spellings, spellings=spellings)

    @property
    def questions(self) -> int:
        return self.features * self.spellings + 1

    @property
    def predicted(self) -> float:
        return self.predicted_under(0.0)

    def predicted_under(self, sigma: float) -> float:
        """The prediction for answers with fresh Gaussian noise `sigma` each."""
        averaged = sigma / sqrt(self.spellings)
        return predicted_share(rows=self.rows, questions=self.features, sigma=averaged) - 0.5

    def data(self, rng: np.random.Generator) -> Columns:
        return draw_columns(self.features, rows=self.rows, rng=rng)

    def play(self, oracle: Oracle, *, rng: np.random.Generator) -> Conversation:  # noqa: ARG002
        notes, features, shares = Notes(oracle), names(self.features), list[float]()
        for feature in features:
            told: list[float] = []
            for spelling in disguises(feature, LABEL, count=self.spellings):
                # What was learnt so far is the best guess for the next spelling.
                guess = fmean(told) if told else 0.5
                told.append(notes.ask(spelling, truth=HALF, guess=guess))
            shares.append(fmean(told))
        vote = odd_vote(features, leanings(shares))
        notes.confirm(vote, truth=HALF, above=self.predicted)
        return notes.conversation()
