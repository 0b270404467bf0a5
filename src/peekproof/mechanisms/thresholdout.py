"""A reusable holdout: guesses that agree with it stand; it speaks, noisily, when one does not."""

from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor
from typing import ClassVar, NoReturn, final

from peekproof.core import check
from peekproof.core.certificate import Certificate, Target
from peekproof.core.charge import PureDP
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import float_up
from peekproof.core.secret import Exact
from peekproof.mechanisms.numeric_sparse import NumericSparse, NumericSparseRun
from peekproof.noise.entropy import Entropy
from peekproof.theory.discrete_noise import discrete_laplace_reach, drawable
from peekproof.theory.generalization.thresholdout import corrected_certificate, standing_certificate
from peekproof.theory.sparse_vector import sparse_reach

_HALF = Fraction(1, 2)


@final
@dataclass(frozen=True, slots=True)
class Stands:
    """The guess, as a share of the rows: the holdout does not contradict it."""

    share: Fraction


@final
@dataclass(frozen=True, slots=True)
class Corrected:
    """A noisy share of the holdout, told because the guess was too far from it."""

    share: Fraction


@final
class ThresholdoutRun:
    """One run: a sparse vector run on distances from guesses. Not for two processes."""

    __slots__ = ("_mechanism", "_run")

    def __init__(self, mechanism: "Thresholdout", *, rng: Entropy) -> None:
        self._mechanism = mechanism
        self._run: NumericSparseRun = mechanism.sparse.start(rng=rng)

    def release(self, exact: Exact[int], *, guess: Fraction = _HALF) -> Stands | Corrected:
        """The guess, rounded to rows, or a noisy share; refused when all is used.

        The guess may come from anywhere but the holdout itself: from training rows, from what was
        released before. Half is a guess too.
        """
        rows, stands = self._mechanism.rows, self._mechanism.rounded(guess)
        guessed = int(stands * rows)
        told = self._run.compare(exact, by=lambda count: abs(count - guessed))
        if told is None:
            return Stands(stands)
        return Corrected(Fraction(min(rows, max(0, told)), rows))

    def __reduce__(self) -> NoReturn:
        raise TypeError("a run cannot be copied: two copies would answer from the same noise")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Thresholdout:
    """The guess g while |count − rows·g| + M stays below threshold + V, else (count + N)/rows.

    Guarantees: `cost()` = ε for a whole run of at most `questions` counts, of which at most
    `budget` may be corrected, chosen one by one, each moved by at most 1 when one record is
    replaced; `certify_standing` and `certify_corrected` for the population, all answers of both
    kinds at once (T-thresholdout, T-thresholdout-corrected).
    Proof: a guess is public, so one record moves |count − rows·g| by at most 1; a run is one of
    NumericSparse that compares these distances and tells counts (T-numeric-sparse). Clipping to
    [0, 1] is post-processing. A run is `budget` runs of `one_round`, one after the other; all of it
    stays true if some are left before they correct anything, for then fewer noises are used.
    Public: all fields, guesses and releases; `threshold` is in rows, `comparing` the part of ε that
    comparisons have.  Secret: the counts and all noise.
    """

    KIND: ClassVar[str] = "thresholdout"

    rows: int
    threshold: int
    epsilon: Fraction
    budget: int
    questions: int
    comparing: Fraction = Fraction(8, 9)

    def __post_init__(self) -> None:
        drawable(rows=Fraction(check.positive_integer(rows=self.rows)))
        if check.positive_integer(threshold=self.threshold) > self.rows:
            raise InvalidInput(
                argument="threshold",
                accepted="at most the number of rows, for no guess is further off",
                given="more",
            )
        drawable(budget=Fraction(check.positive_integer(budget=self.budget)))
        drawable(scale=self.sparse.answer_scale)  # a sparse run checks the other fields

    @classmethod
    def classic(
        cls, *, rows: int, threshold: Fraction, scale: Fraction, budget: int, questions: int
    ) -> "Thresholdout":
        """The published parameters: V, M and N of scale 2s, 4s and s, in shares like `threshold`.

        On counts these are 2sn, 4sn and sn. A round of comparisons costs 1/(2sn) + 2/(4sn)
        (T-above-threshold) and its count 1/(sn), so a run costs ε = 2B/(sn), as published, of which
        one half is for comparing. Counts are integers, so a threshold between two is the upper one.
        """
        n = check.positive_integer(rows=rows)
        on_counts = drawable(scale=scale) * n
        return cls(
            rows=n,
            threshold=ceil(check.unit_fraction(threshold=threshold) * n),
            epsilon=2 * check.positive_integer(budget=budget) / on_counts,
            budget=budget,
            questions=questions,
            comparing=_HALF,
        )

    @property
    def sparse(self) -> NumericSparse:
        """The sparse vector runs that this is made of."""
        return NumericSparse(
            threshold=self.threshold,
            epsilon=self.epsilon,
            answers=self.budget,
            questions=self.questions,
            comparing=self.comparing,
        )

    @property
    def one_round(self) -> "Thresholdout":
        """The part of a run up to one correction, as a run of its own."""
        return replace(self, epsilon=self.epsilon / self.budget, budget=1)

    def rounded(self, guess: Fraction) -> Fraction:
        """The multiple of 1/rows that is compared in place of a guess: the nearest, or above."""
        return Fraction(floor(check.unit_fraction(guess=guess) * self.rows + _HALF), self.rows)

    def cost(self) -> PureDP:
        return self.sparse.cost()

    def start(self, *, rng: Entropy) -> ThresholdoutRun:
        return ThresholdoutRun(self, rng=rng)

    def radius(self, *, beta: Fraction) -> float:
        """How far all releases of a run err from the holdout's shares, except with probability β.

        Guesses that stand and corrections have β/2 each. Rounds: up.
        """
        half = check.probability(beta=beta) / 2
        verdicts = sparse_reach(
            epsilon=self.sparse.round.epsilon,
            sensitivity=1,
            rounds=self.budget,
            questions=self.questions,
            beta=half,
        )
        noise = discrete_laplace_reach(
            scale=self.sparse.answer_scale, beta=half / min(self.budget, self.questions)
        )
        return float_up(Fraction(max(self.threshold - 1 + verdicts, noise), self.rows))

    def certify(self, target: Target) -> Certificate:
        """The wider of the two promises that hold together: all answers keep it."""
        both = self.certify_standing(target), self.certify_corrected(target)
        return max(both, key=lambda each: each.radius)

    def certify_standing(self, target: Target) -> Certificate:
        """The promise for the guesses that stand; it holds together with `certify_corrected`."""
        return standing_certificate(
            rows=self.rows,
            threshold=self.threshold,
            epsilon=self.epsilon,
            comparing=self.comparing,
            budget=self.budget,
            target=target.asking(self.questions),
        )

    def certify_corrected(self, target: Target) -> Certificate:
        """The promise for the shares told instead; it holds together with `certify_standing`."""
        return corrected_certificate(
            rows=self.rows,
            epsilon=self.epsilon,
            comparing=self.comparing,
            budget=self.budget,
            target=target.asking(self.questions),
        )

    def describe(self) -> dict[str, str]:
        """What the ledger records, enough to rebuild the mechanism on the same rows."""
        return {
            "kind": self.KIND,
            "threshold": str(self.threshold),
            "epsilon": str(self.epsilon),
            "budget": str(self.budget),
            "questions": str(self.questions),
            "comparing": str(self.comparing),
        }
