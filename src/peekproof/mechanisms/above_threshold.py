"""Which count is the first to reach a threshold: counts below it cost nothing more."""

from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import ClassVar, NoReturn, final

from peekproof.core import check
from peekproof.core.charge import PureDP
from peekproof.core.errors import BudgetExhausted, InvalidInput
from peekproof.core.secret import Exact
from peekproof.noise.entropy import Entropy, Pool
from peekproof.noise.laplace import discrete_laplace
from peekproof.theory.sparse_vector import above_threshold, sparse_reach

_MOST_BITS = 4096


def _countable(value: object) -> bool:
    return (
        isinstance(value, int) and not isinstance(value, bool) and value.bit_length() <= _MOST_BITS
    )


@final
class Verdict(Enum):
    """On which side of the noisy threshold a noisy count lies; a tie is above."""

    ABOVE = "above"
    BELOW = "below"


@final
class AboveThresholdRun:
    """One run: a noisy threshold, and how many questions are left. The first above ends it.

    The noisy threshold lives as long as the run, so a run must not be continued in two processes or
    from two threads. Everything else is drawn afresh for each question.
    """

    __slots__ = ("_left", "_level", "_questions", "_rng", "_scale")

    def __init__(self, mechanism: "AboveThreshold", *, rng: Entropy) -> None:
        noise = discrete_laplace(scale=mechanism.threshold_scale, rng=Pool(rng))
        self._level = Exact(mechanism.threshold + noise)
        self._questions = self._left = mechanism.questions
        self._scale, self._rng = mechanism.query_scale, rng

    def release(self, exact: Exact[int]) -> Verdict:
        """The verdict on the next count; refused after the first above or the last question."""
        if self._left == 0:
            raise BudgetExhausted(asked=1, remaining=0, questions=self._questions)
        self._left -= 1  # before anything can fail
        noise = discrete_laplace(scale=self._scale, rng=Pool(self._rng))
        if exact.reveal() + noise >= self._level.reveal():
            self._left = 0
            return Verdict.ABOVE
        return Verdict.BELOW

    def __reduce__(self) -> NoReturn:
        raise TypeError("a run cannot be copied: two copies would answer from the same noise")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class AboveThreshold:
    """Below, below, …, above: each count + M_i against threshold + V, until the first above.

    Guarantees: `cost()` for a whole run, for counts that move by at most Δ = `sensitivity` when one
    record is replaced, chosen one by one.
    Proof: V has scale 2Δ/ε and M_i has 4Δ/ε, so T-above-threshold gives ε/2 + ε/2. It shifts V by
    an integer of at most Δ and the last M_i by one of at most 2Δ; counts, threshold and noise are
    integers, so the shifted noise has the same support, and the two sides of each comparison move
    alike, so ties may be above.
    Public: all fields, and the verdicts.  Secret: the counts, V and every M_i.
    """

    kind: ClassVar[str] = "above-threshold"

    threshold: int
    epsilon: Fraction
    questions: int
    sensitivity: int = 1

    def __post_init__(self) -> None:
        if not _countable(self.threshold):
            raise InvalidInput(
                argument="threshold",
                accepted="an integer number of rows, of at most 4096 bits",
                given=f"a {type(self.threshold).__name__} that is none",
            )
        check.drawable(questions=Fraction(check.positive_integer(questions=self.questions)))
        check.drawable(sensitivity=Fraction(check.positive_integer(sensitivity=self.sensitivity)))
        check.drawable(epsilon=self.epsilon)
        check.drawable(scale=self.query_scale)
        check.drawable(scale=self.threshold_scale)

    @property
    def threshold_scale(self) -> Fraction:
        return 2 * self.sensitivity / self.epsilon

    @property
    def query_scale(self) -> Fraction:
        return 4 * self.sensitivity / self.epsilon

    def cost(self) -> PureDP:
        return above_threshold(
            threshold_scale=self.threshold_scale,
            query_scale=self.query_scale,
            sensitivity=self.sensitivity,
        )

    def start(self, *, rng: Entropy) -> AboveThresholdRun:
        return AboveThresholdRun(self, rng=rng)

    def radius(self, *, beta: Fraction) -> float:
        """How many rows all verdicts of a run err by at most, except with probability β.

        Above means that the count is at least threshold − radius, below that it is less than
        threshold + radius (T-sparse-accuracy). Rounds: up.
        """
        return float(
            sparse_reach(
                epsilon=self.epsilon,
                sensitivity=self.sensitivity,
                rounds=1,
                questions=self.questions,
                beta=beta,
            )
        )

    def describe(self) -> dict[str, str]:
        """What the ledger records, enough to rebuild the mechanism."""
        return {
            "kind": self.kind,
            "threshold": str(self.threshold),
            "epsilon": str(self.epsilon),
            "questions": str(self.questions),
            "sensitivity": str(self.sensitivity),
        }
