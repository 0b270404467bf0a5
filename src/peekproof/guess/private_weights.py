"""Multiplicative weights whose guesses are checked privately, by numeric sparse vector."""

from collections.abc import Callable
from fractions import Fraction
from typing import Protocol, final

from peekproof.core import check
from peekproof.core.errors import InvalidInput
from peekproof.core.secret import Exact
from peekproof.guess.weights import MultiplicativeWeights
from peekproof.query.form import Share
from peekproof.query.question import Question

# The exact count of a question, less a public integer; the reverse; made where rows are read.
Differences = Callable[[Question, int], tuple[Exact[int], Exact[int]]]


class SparseRun(Protocol):
    """A run of numeric sparse vector: None below its threshold, a noisy count from there on."""

    def release(self, exact: Exact[int]) -> int | None:
        """What may be known of a count, or a refusal when the run is used up."""
        ...


@final
class PrivateWeights:
    """Shares of the rows, guessed by weights; only a guess that fails costs part of the run.

    The loss is that of the run, whatever is asked, for two comparisons to a question: weights and
    guesses are made of releases. How many guesses fail, and how far answers err, is T-private-mw.
    """

    __slots__ = ("_differences", "_rows", "_run", "_weights", "_within")

    def __init__(
        self,
        *,
        weights: MultiplicativeWeights,
        run: SparseRun,
        differences: Differences,
        rows: int,
        radius: Fraction,
    ) -> None:
        self._weights, self._run, self._differences = weights, run, differences
        self._rows = check.positive_integer(rows=rows)
        self._within = check.amount(radius=radius) / self._rows

    def answer(self, question: Question) -> Fraction:
        """The guess, or the noisy share that the weights then learn from."""
        if not isinstance(question.form, Share):
            raise InvalidInput(
                argument="question",
                accepted="a share",
                given=f"a {type(question.form).__name__.lower()}",
            )
        guess = self._weights.guess(question)
        whole = round(guess * self._rows)
        for side, difference in zip((1, -1), self._differences(question, whole), strict=True):
            noisy = self._run.release(difference)
            if noisy is not None:
                share = Fraction(whole + side * noisy, self._rows)
                answer = min(max(share, Fraction(0)), Fraction(1))
                self._weights.learn(question, answer, within=self._within)
                return answer
        return guess
