"""The correlation attack: ask for every correlation with the label, then for the best vote.

On features and a label without any relation, each feature agrees with the label on half of the
population, and a little more or less on the sample. The analyst asks for every agreement, lets
each feature vote with the log-odds of its answer, and asks how often the vote is right. Under
exact answers the vote looks right on Φ(√(k/n)) of the sample; in the population it is right
half of the time. With Gaussian noise σ on the answers the effect shrinks to
Φ(√(k/n)/√(1 + 4nσ²)) and never vanishes.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log, sqrt
from statistics import NormalDist
from typing import ClassVar, Self, final

import numpy as np

from peekproof.audit.analysts.populations import HALF, LABEL, draw_columns, names, odd_vote
from peekproof.audit.analysts.protocol import (
    Columns,
    Conversation,
    Notes,
    Oracle,
    check_questions,
)
from peekproof.core import check

# A noisy answer may be 0 or 1; its vote is capped at the log-odds of 199 to 1.
_STRONGEST_CORRELATION = 0.99


def agreement(feature: str, label: str) -> str:
    """The question how often a feature (−1 or 1) agrees with the label (−1 or 1)."""
    return f"{feature} = {label}"


def vote(features: Sequence[str], label: str, agreements: Sequence[float]) -> str:
    """The question how often the weighted vote of `features` agrees with the label.

    `agreements` are the answers to `agreement`, in the same order.
    """
    terms = []
    for feature, share in zip(features, agreements, strict=True):
        correlation = min(_STRONGEST_CORRELATION, max(-_STRONGEST_CORRELATION, 2 * share - 1))
        weight = log((1 + correlation) / (1 - correlation))
        terms.append(f"{weight:+.6f}*{feature}")
    return f"({' '.join(terms)}) * {label} > 0"


def predicted_share(*, rows: int, questions: int, sigma: float = 0.0) -> float:
    """What the vote seems to reach on the sample when answers carry Gaussian noise `sigma`."""
    return NormalDist().cdf(sqrt(questions / rows) / sqrt(1 + 4 * rows * sigma**2))


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

    kind: ClassVar[str] = "correlation"
    FORMULA: ClassVar[str] = "Φ(√(k/n)) − ½"
    SOURCE: ClassVar[str] = "folklore; Dwork et al. (2015) vote with signs"

    rows: int = 200
    features: int = 200

    def __post_init__(self) -> None:
        check.positive_integer(rows=self.rows)
        check.positive_integer(features=self.features)

    @classmethod
    def sized(cls, *, rows: int, questions: int) -> Self:
        most = check_questions(questions, least=2, kind=cls.kind)
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
