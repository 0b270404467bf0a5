"""What a session promises, in the user's words."""

from dataclasses import dataclass
from fractions import Fraction
from typing import final

from holdfast.core import check


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """All of `questions` adaptively chosen answers hold together with this confidence."""

    confidence: Fraction
    questions: int

    @classmethod
    def of(cls, *, confidence: float | Fraction, questions: int) -> "Target":
        return cls(
            confidence=check.probability(confidence=confidence),
            questions=check.positive_integer(questions=questions),
        )

    @property
    def beta(self) -> Fraction:
        """The probability that any interval at all misses."""
        return 1 - self.confidence
