"""The median of everything that is still possible, as a guesser of questions."""

from collections.abc import Callable
from fractions import Fraction
from typing import ClassVar, final

from peekproof.core import check
from peekproof.guess.guesser import on_grid
from peekproof.guess.median.constraint import Constraint, Values
from peekproof.guess.median.holder import Holder, NoneConsistent
from peekproof.query.question import Question


@final
class ConsistentMedian:
    """Guesses the median over all data sets that a holder has left; each failure rules some out.

    `values` gives a question's value in each cell of a domain. A data set is kept if it agrees with
    every answer to a failed guess up to `slack`, or as far as the answer itself may err.
    Once no data set is left, guesses are ½.
    """

    KIND: ClassVar[str] = "median"

    def __init__(
        self, *, holder: Holder, values: Callable[[Question], Values], slack: Fraction
    ) -> None:
        self._holder, self._values = holder, values
        self._slack = check.positive_fraction(slack=slack)

    def guess(self, question: Question) -> Fraction:
        found = self._holder.median(self._values(question))
        return Fraction(1, 2) if isinstance(found, NoneConsistent) else on_grid(float(found))

    def learn(self, question: Question, answer: Fraction, *, within: Fraction) -> None:
        """Keep the data sets that are near the answer."""
        if self._holder.consistent:
            near = max(self._slack, check.amount(within=within))
            values = self._values(question)
            self._holder.keep(Constraint.around(values, answer, within=near))

    def describe(self) -> dict[str, str]:
        return {"kind": self.KIND, "slack": str(self._slack), **self._holder.describe()}
