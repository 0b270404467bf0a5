"""What all guessers share: they say a number before the data is looked at, and learn from answers.

A guess is public. It may depend on the question, on public data and on everything that was
released, never on the rows it is checked against; so a bad guess costs a failed check and cannot
make a promise false.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Protocol, final

from peekproof.core import check
from peekproof.query.question import Question

# Guesses are multiples of 1/GRID, so that a ledger can hold them exactly.
GRID = 2**40


class Guesser(Protocol):
    """Something that guesses the share a question asks for, or a mean on the scale [0, 1]."""

    kind: ClassVar[str]

    def guess(self, question: Question) -> Fraction:
        """A share in [0, 1], the same for the same question and the same lessons."""
        ...

    def learn(self, question: Question, answer: Fraction, *, within: Fraction) -> None:
        """Take note of an answer released after a failed guess; it errs by at most `within`."""
        ...

    def describe(self) -> dict[str, str]:
        """What a ledger records: the parameters, not what was learnt."""
        ...


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A released answer, on the scale [0, 1], that a guesser was told."""

    question: Question
    answer: Fraction
    within: Fraction

    def __post_init__(self) -> None:
        check.unit_fraction(answer=self.answer)
        check.amount(within=self.within)


def replay(guesser: Guesser, lessons: Iterable[Lesson]) -> None:
    """Teach a fresh guesser what another one has learnt, in the same order."""
    for lesson in lessons:
        guesser.learn(lesson.question, lesson.answer, within=lesson.within)


def on_grid(share: float) -> Fraction:
    """The multiple of 1/GRID nearest to `share`, inside [0, 1]."""
    return Fraction(round(min(max(share, 0.0), 1.0) * GRID), GRID)


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
