"""Thresholdout, the reusable holdout: a guess that agrees stands, others it corrects with noise.

For a session also its parameters, what a question pays, and what an answer says.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, frexp, sqrt
from typing import ClassVar, NoReturn, final

from peekproof.core import check
from peekproof.core.certificate import Certificate, Target
from peekproof.core.charge import Charge, Offer, PureDP, amount_of
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import float_up, log_of
from peekproof.core.secret import Exact
from peekproof.mechanisms.numeric_sparse import NumericSparse, NumericSparseRun
from peekproof.noise.entropy import Entropy
from peekproof.theory.discrete_noise import (
    discrete_laplace_reach,
    discrete_laplace_shortfall,
    drawable,
)
from peekproof.theory.generalization.thresholdout import (
    corrected_certificate,
    standing_certificate,
    verdict_shortfall,
)
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


# How many corrections a new ledger allows unless told otherwise.
FAILURES = 10

# Noise at this ε has a scale of thousands of rows, where it is as good as continuous.
_UNIT = Fraction(1, 1000)
# Beyond it the drift alone is above 0.99.
_MOST_EPSILON = 16.0
# The level of what is only hoped for: that no good guess fails by noise.
_EVEN = Fraction(1, 2)


def best_thresholdout(rows: int, target: Target, *, failures: int = FAILURES) -> Thresholdout:
    """The holdout with about the smallest radius that lets good guesses stand and teaches well.

    A guess equal to the population's share is at most d rows off the sample's, d by Hoeffding's
    inequality for all k questions; the threshold T is d and the h/(c·e) that noise hides as likely
    as not, with c the part of ε for comparing and e = ε/B. The radius of guesses that stand is then
    about (d + a/(c·e))/n + ε/4, that of corrections b/((1 − c)·e·n) + ε/4. The least is at
    ε² = 4·B·a/(c·n), and at a c where both are equal; but c is smaller if the noise of corrections,
    w/((1 − c)·e) as likely as not, would exceed T/2, for then guessers could learn from them no
    guess that stands. That costs a few hundredths of width. What comes out is certified as it is.
    """
    budget, k = min(failures, target.questions), target.questions
    unit, half = float(_UNIT), target.beta / 2
    h = unit * _hidden(_UNIT, k)
    a = h + unit * verdict_shortfall(epsilon=_UNIT, rounds=budget, questions=k, beta=half)
    b = unit * discrete_laplace_shortfall(scale=1 / _UNIT, beta=half, count=budget)
    w = unit * _told(1 / _UNIT, budget)
    room = ceil(sqrt(rows * log_of(2 * k / target.beta) / 2))
    comparing = a / (a + b)
    for _ in range(6):
        epsilon = min(_MOST_EPSILON, 2 * sqrt(budget * a / (comparing * rows)))
        d = room * epsilon / budget
        comparing = min(_balance(d, a, b), _balance(d, h, 2 * w))
    part = Fraction(min(255, max(1, round(256 * comparing))), 256)
    rounded = _rounded(epsilon)
    threshold = 1 + room + _hidden(part * rounded / budget, k)
    return Thresholdout(
        rows=rows,
        threshold=min(rows, threshold),
        epsilon=rounded,
        budget=budget,
        questions=k,
        comparing=part,
    )


def _balance(d: float, a: float, b: float) -> float:
    """The c between 0 and 1 where d + a/c = b/(1 − c)."""
    linear = d - a - b
    return (linear + sqrt(linear * linear + 4 * d * a)) / (2 * d)


def _hidden(epsilon: Fraction, questions: int) -> int:
    """How many rows the noise of comparisons moves any of them by, as likely as not."""
    return sparse_reach(epsilon=epsilon, sensitivity=1, rounds=1, questions=questions, beta=_EVEN)


def _told(scale: Fraction, corrections: int) -> int:
    """How many rows the noise of corrections moves any of them by, as likely as not."""
    return discrete_laplace_reach(scale=scale, beta=_EVEN / corrections)


def _rounded(value: float) -> Fraction:
    """A fraction of few bits nearby."""
    mantissa, exponent = frexp(value)
    return round(256 * mantissa) * Fraction(2) ** (exponent - 8)


def rounds_paid(mechanism: Thresholdout, spent: Charge) -> int:
    """How many rounds were ever opened; what was spent is a whole number of them."""
    return int(amount_of(spent) * mechanism.budget / mechanism.epsilon)


def held_offer(mechanism: Thresholdout, *, guess: Fraction, number: int) -> Offer:
    """What a guess pays that opens the round of this number, from 0.

    The guess is recorded as it is compared, in whole rows.
    """
    whole = mechanism.rounded(guess)
    terms = {"kind": mechanism.KIND, "round": str(number), "guess": str(whole)}
    return Offer(cost=mechanism.one_round.cost(), terms=terms)


def within_round(offer: Offer, *, number: int) -> Offer:
    """The same in a round that is paid for: nothing more."""
    return Offer(cost=PureDP(Fraction(0)), terms={**offer.terms, "round": str(number)})


def held_possible(terms: Mapping[str, str], value: object, *, rows: int) -> bool:
    """Whether a guess under these terms can have been settled with this value."""
    match value:
        case (Fraction() as answer, 0):
            return answer == Fraction(terms["guess"])
        case (Fraction() as answer, 1):
            return 0 <= answer <= 1 and (answer * rows).denominator == 1
        case _:
            return False


def told_within(mechanism: Thresholdout) -> Fraction:
    """How far corrections err from the sample's shares, as likely as not none of them further.

    For guessers: what they make of it is never relied on.
    """
    return Fraction(_told(mechanism.sparse.answer_scale, mechanism.budget), mechanism.rows)


def held_certificate(
    mechanism: Thresholdout, terms: Mapping[str, str], target: Target
) -> Certificate:
    """What the outcome of a comparison, named in the terms, says about the population."""
    return _certificate(mechanism, target, terms.get("outcome", "passed"))


@lru_cache(maxsize=64)
def _certificate(mechanism: Thresholdout, target: Target, outcome: str) -> Certificate:
    if outcome == "failed":
        return mechanism.certify_corrected(target)
    return mechanism.certify_standing(target)
