"""Boosting: random submissions, and a majority of those that a leaderboard liked."""

from dataclasses import dataclass
from math import pi, sqrt
from statistics import NormalDist
from typing import ClassVar, Self, final

import numpy as np

from peekproof.audit.analysts.correlation import agreement
from peekproof.audit.analysts.populations import HALF, LABEL, draw_columns, names, odd_vote
from peekproof.audit.analysts.protocol import (
    Columns,
    Conversation,
    Notes,
    Oracle,
    check_questions,
)
from peekproof.core import check


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Boosting:
    """Submits random predictions, and then the majority of those that scored above one half.

    The sample overstates the majority by

        Φ(√(k/(πn))) − ½                              k = `submissions`, n = `rows`

    Half of the submissions stay. Each of them is right more often than ½ by |z|/(2√n), z standard
    normal, so a sum of k/2 signs has mean (k/2)·√(2/π)/√n and variance k/2. This is the attack of
    Blum and Hardt (2015) on leaderboards.
    """

    kind: ClassVar[str] = "boosting"
    FORMULA: ClassVar[str] = "Φ(√(k/(πn))) − ½"
    SOURCE: ClassVar[str] = "Blum and Hardt (2015)"

    rows: int = 200
    submissions: int = 200

    def __post_init__(self) -> None:
        check.positive_integer(rows=self.rows)
        check.positive_integer(submissions=self.submissions)

    @classmethod
    def sized(cls, *, rows: int, questions: int) -> Self:
        most = check_questions(questions, least=2, kind=cls.kind)
        return cls(rows=rows, submissions=most - 1)

    @property
    def questions(self) -> int:
        return self.submissions + 1

    @property
    def predicted(self) -> float:
        return NormalDist().cdf(sqrt(self.submissions / (pi * self.rows))) - 0.5

    def data(self, rng: np.random.Generator) -> Columns:
        return draw_columns(self.submissions, rows=self.rows, rng=rng)

    def play(self, oracle: Oracle, *, rng: np.random.Generator) -> Conversation:  # noqa: ARG002
        notes, submitted = Notes(oracle), names(self.submissions)
        scores = [notes.ask(agreement(each, LABEL), truth=HALF, guess=0.5) for each in submitted]
        majority = odd_vote(submitted, [int(score > 0.5) for score in scores])
        notes.confirm(majority, truth=HALF, above=self.predicted)
        return notes.conversation()
