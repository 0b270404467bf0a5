"""What a session promises, in the user's words."""

from dataclasses import dataclass
from fractions import Fraction
from typing import final

from peekproof.core import check
from peekproof.core.errors import InvalidInput


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

    def asking(self, questions: int) -> "Target":
        """This target, if it is for as many questions as a run has."""
        if self.questions != questions:
            raise InvalidInput(
                argument="target",
                accepted=f"one of {questions:,} questions, as many as a run has",
                given=f"one of {self.questions:,}",
            )
        return self

    @property
    def beta(self) -> Fraction:
        """The probability that any interval at all misses."""
        return 1 - self.confidence
