"""The guess of a leaderboard: a new entry scores what the best one has scored."""

from fractions import Fraction
from typing import ClassVar, final

from holdfast.core import check
from holdfast.query.question import Question


@final
class BestSoFar:
    """The highest answer released so far; `start` before the first.

    Most entries of a leaderboard repeat the best one with small changes, so this guess holds
    until an entry is better, or worse, by more than the check tolerates. For a score that is
    better when lower, ask for its complement.
    """

    KIND: ClassVar[str] = "best-so-far"
    __slots__ = ("_best", "_start")

    def __init__(self, *, start: Fraction = Fraction(0)) -> None:
        self._start = self._best = check.unit_fraction(start=start)

    def guess(self, question: Question) -> Fraction:  # noqa: ARG002
        return self._best

    def learn(self, question: Question, answer: Fraction, *, within: Fraction) -> None:  # noqa: ARG002
        check.amount(within=within)
        self._best = max(self._best, check.unit_fraction(answer=answer))

    def describe(self) -> dict[str, str]:
        return {"kind": self.KIND, "start": str(self._start)}
