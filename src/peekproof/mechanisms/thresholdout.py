"""Thresholdout, the reusable holdout: a guess that agrees stands, others it corrects with noise.

For a session also its parameters, what a question pays, and what an answer says.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor, frexp, sqrt
from typing import Any, ClassVar, NoReturn, final

from peekproof.core import check
from peekproof.core.certificate import Certificate, Target, Width
from peekproof.core.charge import PureDP
from peekproof.core.errors import EvaluationFailed, InvalidInput, Refusal, RoundsExhausted
from peekproof.core.numerics import float_up, level_down, log_of
from peekproof.core.secret import Exact
from peekproof.mechanisms.base import (
    Ask,
    Draw,
    Limit,
    Mechanism,
    Options,
    Paid,
    Past,
    Run,
    Told,
    Value,
)
from peekproof.mechanisms.checking import checked_width, guess_verdict, need_guess, no_training
from peekproof.mechanisms.sparse import NumericSparse, NumericSparseRun
from peekproof.noise.entropy import Entropy
from peekproof.theory.discrete_noise import (
    discrete_laplace_reach,
    discrete_laplace_shortfall,
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
class Thresholdout(Mechanism):
    """The guess g while |count − rows·g| + M stays below threshold + V, else (count + N)/rows.

    Guarantees: `cost()` = ε for a whole run of at most `questions` counts, of which at most
    `corrections` may be corrected, chosen one by one, each moved by at most 1 when one record is
    replaced; `certify_standing` and `certify_corrected` for the population, all answers of both
    kinds at once (T-thresholdout, T-thresholdout-corrected).
    Proof: a guess is public, so one record moves |count − rows·g| by at most 1; a run is one of
    NumericSparse that compares these distances and tells counts (T-numeric-sparse). Clipping to
    [0, 1] is post-processing. A run is `corrections` runs of `one_round`, one after the other; all
    of it stays true if some are left before they correct anything, for then fewer noises are used.
    Public: all fields, guesses and releases; `threshold` is in rows, `comparing` the part of ε that
    comparisons have.  Secret: the counts and all noise.
    """

    kind: ClassVar[str] = "thresholdout"
    plainly: ClassVar[str] = "A guess that stands within noise, or a noisy correction, a few times."
    place: ClassVar[int] = 7
    options: ClassVar[frozenset[str]] = frozenset({"failures"})
    takes: ClassVar[frozenset[str]] = frozenset({"share"})
    guesses: ClassVar[bool] = True
    rechecked: ClassVar[bool] = True
    volatile: ClassVar[bool] = True
    shareable: ClassVar[bool] = False  # a round is known to the process that opened it alone

    rows: int
    threshold: int
    epsilon: Fraction
    corrections: int
    questions: int
    comparing: Fraction = Fraction(8, 9)

    def __post_init__(self) -> None:
        check.drawable(rows=Fraction(check.positive_integer(rows=self.rows)))
        if check.positive_integer(threshold=self.threshold) > self.rows:
            raise InvalidInput(
                argument="threshold",
                accepted="at most the number of rows, for no guess is further off",
                given="more",
            )
        check.drawable(corrections=Fraction(check.positive_integer(corrections=self.corrections)))
        check.drawable(scale=self.sparse.answer_scale)  # a sparse run checks the other fields

    @classmethod
    def classic(
        cls, *, rows: int, threshold: Fraction, scale: Fraction, corrections: int, questions: int
    ) -> "Thresholdout":
        """The published parameters: V, M and N of scale 2s, 4s and s, in shares like `threshold`.

        On counts these are 2sn, 4sn and sn. A round of comparisons costs 1/(2sn) + 2/(4sn)
        (T-above-threshold) and its count 1/(sn), so a run costs ε = 2B/(sn), as published, of which
        one half is for comparing. Counts are integers, so a threshold between two is the upper one.
        """
        n = check.positive_integer(rows=rows)
        on_counts = check.drawable(scale=scale) * n
        return cls(
            rows=n,
            threshold=ceil(check.unit_fraction(threshold=threshold) * n),
            epsilon=2 * check.positive_integer(corrections=corrections) / on_counts,
            corrections=corrections,
            questions=questions,
            comparing=_HALF,
        )

    @property
    def sparse(self) -> NumericSparse:
        """The sparse vector runs that this is made of."""
        return NumericSparse(
            threshold=self.threshold,
            epsilon=self.epsilon,
            answers=self.corrections,
            questions=self.questions,
            comparing=self.comparing,
        )

    @property
    def one_round(self) -> "Thresholdout":
        """The part of a run up to one correction, as a run of its own."""
        return replace(self, epsilon=self.epsilon / self.corrections, corrections=1)

    def rounded(self, guess: Fraction) -> Fraction:
        """The multiple of 1/rows that is compared in place of a guess: the nearest, or above."""
        return Fraction(floor(check.unit_fraction(guess=guess) * self.rows + _HALF), self.rows)

    def cost(self) -> PureDP:
        return self.sparse.cost()

    def start_run(self, *, rng: Entropy) -> ThresholdoutRun:
        """All of a conversation, in one process."""
        return ThresholdoutRun(self, rng=rng)

    def radius(self, *, beta: Fraction) -> float:
        """How far all releases of a run err from the holdout's shares, except with probability β.

        Guesses that stand and corrections have β/2 each. Rounds: up.
        """
        half = check.probability(beta=beta) / 2
        verdicts = sparse_reach(
            epsilon=self.sparse.round.epsilon,
            sensitivity=1,
            rounds=self.corrections,
            questions=self.questions,
            beta=half,
        )
        noise = discrete_laplace_reach(
            scale=self.sparse.answer_scale, beta=half / min(self.corrections, self.questions)
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
            budget=self.corrections,
            target=target.asking(self.questions),
        )

    def certify_corrected(self, target: Target) -> Certificate:
        """The promise for the shares told instead; it holds together with `certify_standing`."""
        return corrected_certificate(
            rows=self.rows,
            epsilon=self.epsilon,
            comparing=self.comparing,
            budget=self.corrections,
            target=target.asking(self.questions),
        )

    @classmethod
    def plan(cls, rows: int, target: Target, options: Options) -> "Thresholdout":
        failures = options.limit.failures if options.limit else FAILURES
        return best_thresholdout(rows, target, failures=failures)

    def budget(self, target: Target) -> PureDP:  # noqa: ARG002
        return self.cost()  # of the whole conversation

    @property
    def price(self) -> PureDP:
        """What one round costs."""
        return PureDP(self.epsilon / self.corrections)

    def opened(self, past: Past) -> int:
        """How many rounds were ever opened; what was spent is a whole number of them."""
        return int(past.spent / self.price.epsilon)

    def check_target(self, target: Target) -> None:
        if self.questions != target.questions:
            raise ValueError("compares otherwise than it promises")

    def draw(self, ask: Ask, past: Past, *, place: int, batch: int) -> "Compared":  # noqa: ARG002
        """What a guess pays that opens a round; the run of a session knows better.

        The guess is recorded as it is compared, in whole rows.
        """
        ask.without("radius", accepted="left out where guesses are checked")
        need_guess(ask)
        if ask.trained_on is not None:
            check.positive_integer(trained_on=ask.trained_on)
            raise no_training(ask)
        one = "left out: a session by Thresholdout has one threshold for all guesses"
        ask.without("tolerance", accepted=one)
        return Compared(
            rows=self.rows,
            guess=self.rounded(ask.share),
            round=self.opened(past),
            price=self.price.epsilon,
        )

    def fits(self, past: Past, *, room: Fraction, draws: int) -> int:  # noqa: ARG002
        """Without the round that somebody may still have open."""
        return draws if room >= self.price.epsilon else 0

    def rounds_left(self, past: Past, *, room: Fraction) -> int | None:  # noqa: ARG002
        return int(room // self.price.epsilon)

    def refusal(self, asked: int, past: Past, *, remaining: int) -> Refusal:
        if not remaining and past.draws < past.target.questions:
            return RoundsExhausted(asked=asked, rounds=self.corrections)
        return Mechanism.refusal(self, asked, past, remaining=remaining)

    def next_width(self, past: Past, *, radius: float) -> Width:  # noqa: ARG002
        standing, corrected = (
            _certificate(self, past.target, failed=each).radius for each in (False, True)
        )
        return Width.checked(confirmed=standing, failed=corrected)

    def words(self, past: Past, *, radius: float) -> str:
        head, level = (
            self._head(radius, does="compares guesses"),
            level_down(past.target.confidence),
        )
        counted = f"{past.failures:,} of at most {self.corrections:,} corrected"
        return f"{head} at confidence {level}, {counted}"

    def promise(self, target: Target) -> str:
        said = f"{self.corrections:,} of them can be corrected"
        return f"for all of {target.questions:,} guesses {self.together(target)}; {said}"

    def again(self) -> Options:
        return Options(limit=Limit(failures=self.corrections))

    def limited(self, target: Target) -> tuple[str, Limit | None]:  # noqa: ARG002
        return f"{self.corrections:,}", Limit(failures=self.corrections)

    def start(self, *, rng: Entropy) -> "HoldoutRun":
        return HoldoutRun(self, rng)

    def audit(self, target: Target, steps: Iterable[Paid | Told]) -> None:  # noqa: ARG002
        """Refuse a guess that was compared in a round that was over, or not paid for."""
        rounds, closed = 0, True  # closed: the round opened last takes no question now
        for step in steps:
            draw = step.draw
            if not isinstance(draw, Compared):
                raise ValueError("a draw that is no guess")
            if isinstance(step, Paid):
                if draw.price == self.price.epsilon:
                    rounds += 1
                elif draw.price or closed:
                    raise ValueError("a comparison that was not paid for")
                if draw.round != rounds - 1 or self.rounded(draw.guess) != draw.guess:
                    raise ValueError("another round than the one that was open")
                closed = True  # until it is settled
            else:
                draw.shares(step.value)
                if draw.round == rounds - 1:
                    closed = draw.failed(step.value)


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
        corrections=budget,
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


@lru_cache(maxsize=64)
def _certificate(mechanism: Thresholdout, target: Target, *, failed: bool) -> Certificate:
    if failed:
        return mechanism.certify_corrected(target)
    return mechanism.certify_standing(target)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Compared(Draw):
    """A guess compared in round number `round`, from 0; the first of a round pays for all."""

    kind: ClassVar[str] = "thresholdout"

    rows: int
    guess: Fraction
    round: int
    price: Fraction

    @property
    def cost(self) -> PureDP:
        return PureDP(self.price)

    def release(self, exact: Exact[int], *, rng: Entropy) -> Value:  # noqa: ARG002
        raise TypeError("a comparison is made by the run that has its round open")

    def certificate(
        self, promise: Mechanism, target: Target, *, failed: bool = False
    ) -> Certificate:
        if not isinstance(promise, Thresholdout):
            raise ValueError("a comparison where the promise has none")
        return _certificate(promise, target, failed=failed)

    def failed(self, value: Value) -> bool:
        return len(value) == 2 and value[1] == 1

    def verdict(self, value: Value) -> str:
        return guess_verdict(self, value)

    def told(self, value: Value | None) -> int:
        """One thing: noise hides which."""
        return int(value is None or self.failed(value))

    def shares(self, value: Value) -> Value:
        if len(value) != 2 or value[1] not in (0, 1):
            raise ValueError("no comparison gives it")
        answer, corrected = value
        possible = 0 <= answer <= 1 and (answer * self.rows).denominator == 1
        if not (possible if corrected else answer == self.guess):
            raise ValueError("an impossible answer")
        return (answer,)

    def width(
        self, promise: Mechanism, target: Target, scale: Fraction, *, failed: bool | None = None
    ) -> Width:
        return checked_width(self, promise, target, scale, failed=failed)

    def within(self, promise: Mechanism, value: Value) -> Fraction | None:
        """How far corrections err, as likely as not none of them further."""
        if not self.failed(value) or not isinstance(promise, Thresholdout):
            return None
        return Fraction(_told(promise.sparse.answer_scale, promise.corrections), promise.rows)


@final
class HoldoutRun(Run):
    """The round that one session object has opened: it alone knows the noisy threshold.

    A round costs ε/B, paid by its first question; the others cost nothing, up to the first
    correction. A session without an open round opens one, also after a restart, for noise is never
    written down: what a restart loses is one of B rounds, and nothing else.

    Only the round opened last goes on. Rounds of several sessions then never overlap, and the
    ledger is a run of `Thresholdout` in which some rounds were left before they corrected anything.
    Proof. A comparison is made, and recorded with its outcome, under the ledger's write lock, in
    the round opened last or in a new one. So in the order of the ledger the rounds are mechanisms
    of ε/B one after the other, each with noise of its own and chosen by what was released before,
    and pure losses add (T-filter-pure). There are at most B, with k comparisons in all;
    T-thresholdout takes any choice of rounds that the transcript decides. Where comparisons are
    paid for before rows are read, each names its round when it is paid for, and another names that
    round only once it is answered. One that never was may have ended its round, so it does; it
    counts among the k, and its outcome is told to nobody.

    If a write fails, the round is given up: what was drawn in it may be on no record. Forks are
    refused by the ledger, and runs cannot be copied.
    """

    def __init__(self, mechanism: Thresholdout, rng: Entropy) -> None:
        super().__init__(mechanism, rng)
        self._promise = mechanism
        self._run: ThresholdoutRun | None = None
        self._number = self._given_up = -1

    def under_way(self, past: Past) -> bool:
        """Whether this session has the round that was opened last, and may go on with it."""
        waiting = {each.round for each in past.pending if isinstance(each, Compared)}
        last = self._promise.opened(past) - 1
        mine = self._run is not None and self._number == last != self._given_up
        return mine and last not in waiting

    def forget(self) -> None:
        # Nothing is taken away: another thread may be at work in the round, under the lock.
        self._given_up = self._number

    def offer(self, ask: Ask, past: Past, *, place: int = 0, batch: int = 1) -> Draw:
        """What one question pays now: nothing, in a round that is paid for."""
        made = self._promise.offer(ask, past, place=place, batch=batch)
        if not isinstance(made, Compared) or not self.under_way(past):
            return made
        return replace(made, round=self._number, price=Fraction(0))

    def release(self, draws: Sequence[Draw], exact: Sequence[Exact[Any]]) -> list[Value]:
        """The answer to the one question that was paid for, and 1 if it corrects the guess."""
        (draw,), (total,) = draws, exact
        if not isinstance(draw, Compared):
            raise EvaluationFailed()
        if draw.price:
            # Only now: a round that was offered and refused is not this session's.
            self._run, self._number = self._promise.one_round.start_run(rng=self._rng), draw.round
        if self._run is None or draw.round != self._number:
            raise EvaluationFailed()
        told = self._run.release(total, guess=draw.guess)
        if isinstance(told, Corrected):
            self._run = None
            return [(told.share, Fraction(1))]
        return [(told.share, Fraction(0))]
