"""The numbers of a median mechanism, and what its checker's certificate makes of them."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log, sqrt
from typing import final

from peekproof.core import check
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import float_up, up
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
