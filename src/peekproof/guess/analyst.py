"""A guess that whoever asks has made."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from peekproof.core import check
from peekproof.query.question import Question


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Analyst:
    """The same share for every question: what the analyst believes, say from a training set."""

    kind: ClassVar[str] = "analyst"

    share: Fraction

    def __post_init__(self) -> None:
        check.unit_fraction(share=self.share)

    def guess(self, question: Question) -> Fraction:  # noqa: ARG002
        return self.share

    def learn(self, question: Question, answer: Fraction, *, within: Fraction) -> None:
        """Nothing: the analyst learns outside."""

    def describe(self) -> dict[str, str]:
        return {"kind": self.kind, "share": str(self.share)}
