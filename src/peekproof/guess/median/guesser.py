"""Guessers by the median mechanism: the median of a question over everything still possible."""

from collections.abc import Callable
from fractions import Fraction
from typing import ClassVar, final

from peekproof.core import check
from peekproof.core.errors import InvalidInput
from peekproof.guess.guesser import on_grid
from peekproof.guess.median.constraint import Constraint, Holder, NoneConsistent, Values
from peekproof.guess.median.limit import LimitHolder
from peekproof.guess.median.parameters import MedianParameters
from peekproof.query.question import Question


@final
class ConsistentMedian:
    """Guesses the median over all data sets that a holder has left; each failure rules some out.

    `values` gives a question's value in each cell of a domain. A data set is kept if it agrees with
    every answer to a failed guess up to `slack`, or as far as the answer itself may err.
    Once no data set is left, guesses are ½.
    """

    kind: ClassVar[str] = "median"

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
        return {"kind": self.kind, "slack": str(self._slack), **self._holder.describe()}


# Given the number of cells and of records, a way to hold all data sets.
Hold = Callable[[int, int], Holder]


def in_the_limit(cells: int, size: int) -> Holder:  # noqa: ARG001 (the limit has no size)
    """Hold the limit of large data sets, which costs the same whatever their size."""
    return LimitHolder(cells=cells)


@final
class MedianMechanism:
    """Guesses by the median over all data sets of n′ records that agree with what was released.

    Guarantees: nothing but what `learn` was told enters a guess, so a guess is a function of the
    transcript, and a checker's certificate holds however good or bad it is. With an exact holder
    and parameters that fit, T-median-halving bounds the failures.
    Once no data set is consistent, guesses are ½ and nothing more is learned.
    Public: everything.
    """

    kind: ClassVar[str] = "median"

    def __init__(self, *, holder: Holder, parameters: MedianParameters) -> None:
        if holder.cells != parameters.domain_size:
            raise InvalidInput(
                argument="holder",
                accepted=f"one of {parameters.domain_size} cells",
                given=f"one of {holder.cells}",
            )
        self._holder, self._parameters = holder, parameters
        self._failures = 0

    @classmethod
    def from_lecture(
        cls, *, rows: int, questions: int, domain_size: int, hold: Hold = in_the_limit
    ) -> "MedianMechanism":
        """The mechanism with the textbook's parameters, which are vacuous for moderate samples."""
        parameters = MedianParameters.lecture(
            rows=rows, questions=questions, domain_size=domain_size
        )
        return cls(holder=hold(domain_size, parameters.size), parameters=parameters)

    @property
    def parameters(self) -> MedianParameters:
        return self._parameters

    @property
    def holder(self) -> Holder:
        return self._holder

    @property
    def failures(self) -> int:
        """How many failed guesses it was told of."""
        return self._failures

    def guess(self, values: Values) -> Fraction:
        """The median of the question with these values on the cells; ½ if there is none."""
        found = self._holder.median(values)
        return Fraction(1, 2) if isinstance(found, NoneConsistent) else found

    def learn(self, values: Values, answer: Fraction, *, within: Fraction) -> None:
        """Keep what is within `within` of the answer to a failed guess."""
        check.unit_fraction(answer=answer)
        check.amount(within=within)
        constraint = Constraint.around(values, answer, within=within)
        if self._holder.consistent:
            self._holder.keep(constraint)
        self._failures += 1

    def describe(self) -> dict[str, str]:
        """What a record needs in order to make the same guesses again."""
        return {"kind": self.kind, **self._holder.describe(), **self._parameters.describe()}
