"""The median mechanism: its parameters, and its guess, the median over all that is possible."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log, sqrt
from typing import ClassVar, final

from peekproof.core import check
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import float_up, up
from peekproof.guess.guesser import on_grid
from peekproof.guess.median.constraint import Constraint, Holder, NoneConsistent, Values
from peekproof.guess.median.limit import LimitHolder
from peekproof.query.question import Question
from peekproof.theory.generalization.checking import log_checked_transcripts
from peekproof.theory.generalization.description_length import hoeffding_radius
from peekproof.theory.median import most_failures, subsample_size

# The best level there is; a radius that says nothing here never says anything.
_SURE_TO_FAIL = Fraction(10**9 - 1, 10**9)

# Beyond this a number of rows is a mistake, and soon not a float.
_MOST_ROWS = 10**100


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class MedianParameters:
    """Tolerance η, size n′ of the imagined data sets, and the most failures m.

    Guesses within η of the sample pass; a failed one is answered by the middle of the bin of width
    η/2 that holds the sample's value. Any numbers are valid: `radius` is computed for those
    given. `suffice` says whether they fit each other.
    """

    rows: int
    questions: int
    domain_size: int
    tolerance: Fraction
    size: int
    failures: int

    def __post_init__(self) -> None:
        for name in ("rows", "questions", "domain_size", "size", "failures"):
            check.positive_integer(**{name: getattr(self, name)})
        if check.positive_fraction(tolerance=self.tolerance) > 1:
            raise InvalidInput(
                argument="tolerance", accepted="at most 1", given=str(self.tolerance)
            )

    @staticmethod
    def lecture(*, rows: int, questions: int, domain_size: int) -> "MedianParameters":
        """The parameters of the textbook mechanism.

            η = (ln(4k)/(2n))^{1/4}    n′ = ⌈8 ln(4k)/η²⌉ = ⌈8√(2n ln 4k)⌉    m = ⌈n′ log₂|X|⌉

        Rounds: η and n′ up. A tolerance above 1 accepts every guess, so it is cut to 1.
        """
        if check.positive_integer(rows=rows) > _MOST_ROWS:
            raise InvalidInput(argument="rows", accepted="at most 10¹⁰⁰", given="more")
        check.positive_integer(questions=questions)
        check.positive_integer(domain_size=domain_size)
        worst = log(4 * questions)
        size = ceil(up(8 * sqrt(2 * rows * worst)))
        failures = most_failures(size=size, domain=domain_size)
        # A whole number of bits is its own ceiling; otherwise ⌊·⌋ + 1 is.
        whole = domain_size & (domain_size - 1) == 0
        return MedianParameters(
            rows=rows,
            questions=questions,
            domain_size=domain_size,
            tolerance=Fraction(min(1.0, up((worst / (2 * rows)) ** 0.25))),
            size=size,
            failures=max(1, failures if whole else failures + 1),
        )

    @property
    def within(self) -> Fraction:
        """η/2: how near to the answer of a failed guess a data set must be to stay."""
        return self.tolerance / 2

    @property
    def values(self) -> int:
        """How many answers a failed guess can have: the bins of width η/2."""
        return ceil(2 / self.tolerance)

    @property
    def suffice(self) -> bool:
        """Whether exact medians fail at most m times, whatever is asked, by T-median-halving."""
        if self.tolerance == 1:  # every guess passes
            return True
        enough = subsample_size(questions=self.questions, tolerance=self.tolerance / 4)
        halvings = most_failures(size=self.size, domain=self.domain_size)
        return self.size >= enough and self.failures >= min(halvings, self.questions)

    def log_transcripts(self) -> float:
        """ln of the number of questions that could be asked. Rounds: up."""
        return log_checked_transcripts(
            questions=self.questions, failures=self.failures, values=self.values
        )

    def radius(self, *, beta: Fraction) -> float:
        """η + √((ln #transcripts + ln(2/β))/(2n)), by T-length; 1 at most. Rounds: up."""
        sampling = hoeffding_radius(rows=self.rows, beta=beta, log_count=self.log_transcripts())
        return min(1.0, up(float_up(self.tolerance) + sampling))

    @property
    def vacuous(self) -> bool:
        """Whether intervals say nothing, with half-width ½ or more, at any confidence."""
        return self.radius(beta=_SURE_TO_FAIL) >= 0.5

    def describe(self) -> dict[str, str]:
        names = ("rows", "questions", "domain_size", "tolerance", "size", "failures")
        return {name: str(getattr(self, name)) for name in names}


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
