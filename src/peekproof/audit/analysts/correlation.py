"""Correlation and weighted majority: learn all agreements, then ask about their best vote."""

from dataclasses import dataclass
from typing import ClassVar, Self, final

import numpy as np

from peekproof.audit.analysts.protocol import (
    Columns,
    Conversation,
    Notes,
    Oracle,
    check_questions,
)
from peekproof.audit.analysts.signs import HALF, LABEL, draw_columns, names, odd_vote
from peekproof.audit.correlation import agreement, predicted_share
from peekproof.core import check

# Whole weights keep sums exact; log-odds of an answer are cut off at 199 to 1.
_FINEST = 1000
_STRONGEST = 0.995


def leanings(shares: list[float]) -> list[int]:
    """The log-odds of each share, in whole thousandths."""
    safe = np.clip(np.array(shares), 1 - _STRONGEST, _STRONGEST)
    return [int(weight) for weight in np.rint(_FINEST * np.log(safe / (1 - safe)))]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Correlation:
    """Asks how often each feature agrees with the label, and then about their weighted vote.

    Each feature votes with the log-odds of its answer. The sample overstates the vote by

        Φ(√(k/n)) − ½                                    k = `features`, n = `rows`

    An agreement deviates from ½ by z/(2√n), z standard normal, and votes with weight 2z/√n. On one
    row of the sample the margin has mean Σ 2z²/n ≈ 2k/n and variance Σ 4z²/n ≈ 4k/n. Dwork et al.
    (2015) let chosen variables vote by their signs; no vote gains more than this one.
    """

    KIND: ClassVar[str] = "correlation"
    FORMULA: ClassVar[str] = "Φ(√(k/n)) − ½"
    SOURCE: ClassVar[str] = "folklore; Dwork et al. (2015) vote with signs"

    rows: int = 200
    features: int = 200

    def __post_init__(self) -> None:
        check.positive_integer(rows=self.rows)
        check.positive_integer(features=self.features)

    @classmethod
    def sized(cls, *, rows: int, questions: int) -> Self:
        most = check_questions(questions, least=2, kind=cls.KIND)
        return cls(rows=rows, features=most - 1)

    @property
    def questions(self) -> int:
        return self.features + 1

    @property
    def predicted(self) -> float:
        return predicted_share(rows=self.rows, questions=self.features) - 0.5

    def data(self, rng: np.random.Generator) -> Columns:
        return draw_columns(self.features, rows=self.rows, rng=rng)

    def play(self, oracle: Oracle, *, rng: np.random.Generator) -> Conversation:  # noqa: ARG002
        notes, features = Notes(oracle), names(self.features)
        shares = [notes.ask(agreement(each, LABEL), truth=HALF, guess=0.5) for each in features]
        vote = odd_vote(features, leanings(shares))
        notes.confirm(vote, truth=HALF, above=self.predicted)
        return notes.conversation()
