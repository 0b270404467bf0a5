"""Sparse vector: comparisons with a noisy threshold, of which only those above it are paid for."""

from collections.abc import Callable
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
from peekproof.theory.discrete_noise import discrete_laplace_reach, laplace
from peekproof.theory.sparse_vector import above_threshold, numeric_sparse, sparse_reach

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


@final
class NumericSparseRun:
    """One run: rounds of AboveThreshold, each ended by a noisy count. Not for two processes."""

    __slots__ = ("_answers", "_asked", "_each", "_questions", "_rng", "_round", "_scale")

    def __init__(self, mechanism: "NumericSparse", *, rng: Entropy) -> None:
        self._answers, self._questions, self._asked = mechanism.answers, mechanism.questions, 0
        self._scale, self._each, self._rng = mechanism.answer_scale, mechanism.round, rng
        self._round: AboveThresholdRun | None = None

    def release(self, exact: Exact[int]) -> int | None:
        """A noisy count if the count reached the threshold, or None; refused when all is used."""
        return self.compare(exact, by=lambda count: count)

    def compare(self, exact: Exact[int], *, by: Callable[[int], int]) -> int | None:
        """A noisy count if by(count) reached the threshold, or None; refused when all is used.

        A run costs the same if one record moves neither by more than the sensitivity, for
        T-numeric-sparse asks nothing about how the two are related. `by` must not fail.
        """
        if self._answers == 0 or self._asked == self._questions:
            raise BudgetExhausted(asked=1, remaining=0, questions=self._questions)
        self._asked += 1  # before anything can fail
        if self._round is None:
            self._round = self._each.start(rng=self._rng)
        # Drawn whatever the verdict, and never the noise that was compared.
        noise = discrete_laplace(scale=self._scale, rng=Pool(self._rng))
        if self._round.release(Exact(by(exact.reveal()))) is Verdict.BELOW:
            return None
        self._answers -= 1
        self._round = None
        return exact.reveal() + noise

    def __reduce__(self) -> NoReturn:
        raise TypeError("a run cannot be copied: two copies would answer from the same noise")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class NumericSparse:
    """For each count None, or count + N if count + M reaches threshold + V; `answers` counts.

    Guarantees: `cost()` = ε for a whole run, for counts that move by at most Δ = `sensitivity` when
    one record is replaced, chosen one by one.
    Proof: a run is at most c = `answers` rounds, each an AboveThreshold of ε₁ = `comparing`·ε/c
    with its own noisy threshold, and then the discrete Laplace release of one count, N of scale
    Δ/ε₂, ε₂ = (1 − `comparing`)·ε/c. Pure losses add: c·(ε₁ + ε₂) = ε (T-numeric-sparse).
    Public: all fields and releases.  Secret: the counts and all noise.

    Variants that have been published and are not private, as Lyu, Su and Li (2017) found; the tests
    measure them:
    - no noise on the counts that are compared: two counts that swap places at the threshold make a
      transcript impossible;
    - releasing the noisy count that was compared: it tells what the noisy threshold is below, and
      the shift of the threshold that the proof needs is lost, for any number of belows;
    - going on after an above with the noise of a single one: the loss grows with every above.
    Keeping the noisy threshold after an above is sound if the noise of comparisons grows with c, as
    it does here; it is drawn anew because then rounds are independent and the proof is a sum.
    """

    kind: ClassVar[str] = "numeric-sparse"

    threshold: int
    epsilon: Fraction
    answers: int
    questions: int
    sensitivity: int = 1
    comparing: Fraction = Fraction(8, 9)

    def __post_init__(self) -> None:
        check.drawable(epsilon=self.epsilon)
        check.drawable(answers=Fraction(check.positive_integer(answers=self.answers)))
        if check.drawable(comparing=self.comparing) >= 1:
            raise InvalidInput(
                argument="comparing",
                accepted="a Fraction strictly between 0 and 1",
                given=str(self.comparing),
            )
        check.drawable(scale=self.round.query_scale)  # a round checks the other fields
        check.drawable(scale=self.answer_scale)

    @property
    def round(self) -> AboveThreshold:
        """The comparisons up to one above."""
        return AboveThreshold(
            threshold=self.threshold,
            epsilon=self.comparing * self.epsilon / self.answers,
            questions=self.questions,
            sensitivity=self.sensitivity,
        )

    @property
    def answer_scale(self) -> Fraction:
        return self.sensitivity * self.answers / ((1 - self.comparing) * self.epsilon)

    def cost(self) -> PureDP:
        answering = laplace(scale=self.answer_scale, sensitivity=Fraction(self.sensitivity))
        return numeric_sparse(
            comparing=self.round.cost(), answering=answering, answers=self.answers
        )

    def start(self, *, rng: Entropy) -> NumericSparseRun:
        return NumericSparseRun(self, rng=rng)

    def radius(self, *, beta: Fraction) -> float:
        """How many rows all releases of a run err by at most, except with probability β.

        A released count is that close to its count, which is at least threshold − radius; None
        means less than threshold + radius. Each half has β/2. Rounds: up.
        """
        half = check.probability(beta=beta) / 2
        verdicts = sparse_reach(
            epsilon=self.round.epsilon,
            sensitivity=self.sensitivity,
            rounds=self.answers,
            questions=self.questions,
            beta=half,
        )
        counts = discrete_laplace_reach(scale=self.answer_scale, beta=half / self.answers)
        return float(max(verdicts, counts))

    def describe(self) -> dict[str, str]:
        """What the ledger records, enough to rebuild the mechanism."""
        return {
            "kind": self.kind,
            "threshold": str(self.threshold),
            "epsilon": str(self.epsilon),
            "answers": str(self.answers),
            "questions": str(self.questions),
            "sensitivity": str(self.sensitivity),
            "comparing": str(self.comparing),
        }
