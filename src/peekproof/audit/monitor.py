"""The monitor: an audit of how much a mechanism lets analysts overfit, beside what it claims.

For a population that is known, T conversations on independent samples each end with the question
that the attack aims at; one of them is picked, and how much its sample overstates it is measured.
Repeated often, a mean that a true claim could not reach proves that the claim is false.

`allowances` says how much overfitting a claim allows, by every theorem that applies. `hold` is one
conversation as a monitor sees it: from outside, with the rows and the truth in view. The report
says what was found, for people and for programs.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import expm1, lcm
from statistics import fmean
from typing import final

import numpy as np

from peekproof.audit.analysts.protocol import Columns, ExactSample, Player
from peekproof.audit.evidence import mean_limits
from peekproof.audit.fight import fight, seeded
from peekproof.audit.opponents.protocol import Loss, Opponent, Promise, Setup, Terms, promise_of
from peekproof.core import check
from peekproof.core.charge import GDP, ApproxDP, PureDP
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import argmin, decimal_down, decimal_up, float_up, level_down, up
from peekproof.core.secret import Exact
from peekproof.mechanisms.exponential import Exponential
from peekproof.noise.entropy import Seeded
from peekproof.query.form import FINE
from peekproof.theory.conversion import gdp_to_approx_at
from peekproof.theory.generalization.drift import pure_drift
from peekproof.theory.generalization.monitor import (
    monitored,
    monitored_drift,
    monitored_drift_chosen,
)

_NO_CHOICE = PureDP(Fraction(0))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Allowance:
    """The most that a mean can be if a claim is true, and the theorem that says so."""

    theorem: str
    most: float


def allowances(loss: Loss | None, *, samples: int, choice: PureDP) -> tuple[Allowance, ...]:
    """What the pick of a monitor may overfit by; `choice` is its own ε′, or 0 for a free pick."""
    if loss is None:
        return ()
    if not isinstance(loss, GDP | PureDP):
        raise InvalidInput(
            argument="claim", accepted="PureDP, or the GDP of Gaussian noise", given=repr(loss)
        )
    if isinstance(loss, GDP) and not loss.mu_squared:
        loss = PureDP(Fraction(0))  # either says that nothing depends on the rows
    notes = Allowance(theorem="T-monitor", most=_by_the_notes(loss, samples=samples, choice=choice))
    if isinstance(loss, PureDP):
        # T-drift-pure holds surely, so for every pick; the pick is a part of the conversation.
        return notes, Allowance(theorem="T-drift-pure", most=pure_drift(loss + choice))
    if not choice.epsilon:
        most = monitored_drift(loss, samples=samples)
        return notes, Allowance(theorem="T-monitor-drift", most=most)
    most = monitored_drift_chosen(loss, choice=choice, samples=samples)
    return notes, Allowance(theorem="T-monitor-drift-choice", most=most)


def free_allowances(loss: Loss | None, *, samples: int) -> tuple[Allowance, ...]:
    """The same for a pick that is made from the answers alone."""
    return allowances(loss, samples=samples, choice=_NO_CHOICE)


def _by_the_notes(loss: Loss, *, samples: int, choice: PureDP) -> float:
    if isinstance(loss, PureDP):
        each = ApproxDP(epsilon=loss.epsilon, delta=Fraction(0))
        return monitored(each, choice=choice, samples=samples)
    return monitored(_split(loss, samples=samples), choice=choice, samples=samples)


def _split(loss: GDP, *, samples: int) -> ApproxDP:
    """The ε and δ of a μ-GDP conversation with about the smallest e^ε − 1 + Tδ; any serve."""

    def allowed(epsilon: float) -> float:
        delta = gdp_to_approx_at(loss, epsilon=Fraction(epsilon)).delta
        return expm1(epsilon) + samples * float(delta)

    return gdp_to_approx_at(loss, epsilon=Fraction(argmin(allowed, low=0.0, high=1.0)))


_HALF = Fraction(1, 2)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A question in shares: its value in its sample and in the population, and what was told."""

    sample: Fraction
    truth: Fraction
    told: float | None

    @property
    def score(self) -> Fraction:
        """q(S) − q(P), which one of n rows moves by at most 1/n."""
        return self.sample - self.truth

    @property
    def complement(self) -> "Candidate":
        told = None if self.told is None else 1 - self.told
        return Candidate(sample=1 - self.sample, truth=1 - self.truth, told=told)

    @property
    def overfit(self) -> float:
        """The score of q·min(1, ½/q(P)), a question with a truth of at most ½.

        That is q itself if its truth is no more; and as no score is below −½, fewer conversations
        tell a mean from what is allowed. What is allowed is allowed for every question.
        """
        return float(self.score * min(Fraction(1), _HALF / self.truth if self.truth else 1))

    @property
    def deceit(self) -> float:
        """How much too large the answer is; a refusal deceives nobody."""
        return 0.0 if self.told is None else self.told - float(self.truth)


@final
class _Watched:
    """A setup that keeps the rows it was opened with, and what the opponent promised."""

    def __init__(self, setup: Setup) -> None:
        self._setup = setup
        self.name, self.certified = setup.name, setup.certified
        self.sample: ExactSample | None = None
        self.promise = Promise()

    def open(self, columns: Columns, *, terms: Terms) -> Opponent:
        opponent = self._setup.open(columns, terms=terms)
        self.sample, self.promise = ExactSample(columns), promise_of(opponent)
        return opponent


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """One conversation: its decisive question, how far its answer errs, and what was promised."""

    candidate: Candidate
    error: float
    promise: Promise
    rows: int


def hold(setup: Setup, analyst: Player, *, confidence: Fraction, seed: int) -> Held:
    """Let an analyst talk to an opponent about a new sample, and look at both from outside."""
    watched = _Watched(setup)
    bout = fight(watched, analyst, confidence=confidence, seed=seed)
    if bout.refusal is not None:
        raise bout.refusal
    if watched.sample is None or bout.conversation is None:
        accepted = f"an attack whose questions {setup.name} answers"
        raise InvalidInput(argument="analyst", accepted=accepted, given=analyst.kind)
    asked, sample = bout.conversation.decisive, watched.sample
    found = sample.measure(asked.question)
    truth = found.span.share(asked.truth)
    if not 0 <= truth <= 1:
        raise InvalidInput(
            argument="truth",
            accepted="a value that the question can have",
            given=f"{asked.truth} of {asked.question}"[:80],
        )
    candidate = Candidate(
        sample=sample.share(found),
        truth=truth,
        told=None if asked.told is None else float(found.span.share(Fraction(asked.told))),
    )
    claim = bout.decisive
    # No two shares are further apart than 1; who is refused is told nothing wrong.
    error = min(1.0, claim.error / float(found.span.width)) if claim else 0.0
    return Held(candidate=candidate, error=error, promise=watched.promise, rows=sample.rows)


# The score of a question whose truth is at most ½ lies between these.
_LEAST, _MOST = -0.5, 1.0

# What rows contribute to a mean is rounded to one part in FINE before it is added up.
_ROUNDED = 1 / FINE

HEAD = ("overfitting", "mean", "between", "allowed", "by", "verdict")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """The mean of something in shares, where it lies, and the most that the claim allows."""

    name: str
    count: int
    estimate: float
    low: float
    high: float
    allowances: tuple[Allowance, ...]

    @property
    def allowance(self) -> Allowance | None:
        """The smallest that applies: if the claim is true, all of them hold."""
        return min(self.allowances, key=lambda each: each.most, default=None)

    @property
    def flagged(self) -> bool:
        return self.allowance is not None and self.low > self.allowance.most

    def to_dict(self) -> dict[str, object]:
        return {
            "name": self.name,
            "count": self.count,
            "estimate": self.estimate,
            "low": self.low,
            "high": self.high,
            "allowances": {each.theorem: each.most for each in self.allowances},
            "flagged": self.flagged,
        }

    def row(self) -> list[str]:
        """The cells of a table; ends are rounded outward."""
        allowed = self.allowance
        ends = f"{decimal_down(self.low)} … {decimal_up(self.high)}"
        verdict = "too much" if self.flagged else "no excess seen"
        return [
            self.name,
            f"{self.estimate:.4f}",
            ends,
            decimal_up(allowed.most) if allowed else "nothing claimed",
            allowed.theorem if allowed else "",
            verdict if allowed else "",
        ]


def measured(
    name: str, scores: Sequence[float], allowed: tuple[Allowance, ...], level: float
) -> Measure:
    """The mean of scores of at least −½, between limits that fail with probability `level`."""
    limits = mean_limits(scores, low=_LEAST, high=_MOST, false_alarm=level)
    return Measure(
        name=name,
        count=len(scores),
        estimate=fmean(scores),
        low=max(_LEAST, limits.low - _ROUNDED),
        high=min(_MOST, limits.high + _ROUNDED),
        allowances=allowed,
    )


def answered(
    errors: Sequence[float], *, radius: float | None, confidence: Fraction, level: float
) -> Measure:
    """The mean distance of answers from the population, beside the radius that was promised.

    E|a − q(P)| ≤ radius + (1 − confidence): it is within the radius unless the promise fails, which
    it may with the second probability, and then the distance is at most 1.
    """
    limits = mean_limits(errors, low=0.0, high=1.0, false_alarm=level)
    allowed: tuple[Allowance, ...] = ()
    if radius is not None:
        most = min(1.0, up(radius + float_up(1 - confidence)))
        allowed = (Allowance(theorem="the certificate", most=most),)
    return Measure(
        name="error of answers",
        count=len(errors),
        estimate=fmean(errors),
        low=limits.low,
        high=limits.high,
        allowances=allowed,
    )


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class MonitorReport:
    """All measures of one monitor; together their limits fail with probability at most `level`."""

    mechanism: str
    analyst: str
    rows: int
    questions: int
    samples: int
    repeats: int
    epsilon: Fraction
    confidence: Fraction
    level: float
    seed: int
    loss: Loss | None
    measures: tuple[Measure, ...]

    @property
    def flagged(self) -> bool:
        """Whether something overfits more than the claim allows.

        Of a mechanism whose claims are true that is said with probability at most `level`.
        """
        return any(each.flagged for each in self.measures)

    def __getitem__(self, name: str) -> Measure:
        for each in self.measures:
            if each.name == name:
                return each
        raise InvalidInput(
            argument="name",
            accepted=f"one of {', '.join(each.name for each in self.measures)}",
            given=repr(name),
        )

    def to_dict(self) -> dict[str, object]:
        return {
            "mechanism": self.mechanism,
            "analyst": self.analyst,
            "rows": self.rows,
            "questions": self.questions,
            "samples": self.samples,
            "repeats": self.repeats,
            "epsilon": float(self.epsilon),
            "confidence": level_down(self.confidence),
            "level": self.level,
            "seed": self.seed,
            "claim": self.loss and {self.loss.unit: float(self.loss.amount)},
            "measures": [each.to_dict() for each in self.measures],
            "flagged": self.flagged,
        }

    @property
    def verdict(self) -> str:
        """One sentence."""
        if self.flagged:
            return (
                f"{self.mechanism} overfits more than it claims to allow; of an honest mechanism "
                f"this is said with probability at most {self.level:g}."
            )
        if not any(each.allowances for each in self.measures):
            return f"{self.mechanism} claims nothing that could be held against it."
        return f"No sign that {self.mechanism} overfits more than it claims to allow."

    def __str__(self) -> str:
        rows = [list(HEAD), *(each.row() for each in self.measures)]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = (
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        )
        return "\n".join((*lines, self.verdict))


# Called after each conversation with how many were held.
Progress = Callable[[int], None]


def picked(
    candidates: Sequence[Candidate], *, rows: int, epsilon: Fraction, seed: int
) -> Candidate:
    """The choice of the exponential mechanism among questions and their complements."""
    both = _both(candidates)
    # Scores as whole numbers, of a unit that divides all of them and 1/n.
    units = lcm(rows, *(each.score.denominator for each in both))
    chooser = Exponential(candidates=len(both), epsilon=epsilon, sensitivity=units // rows)
    scores = Exact(tuple(int(each.score * units) for each in both))
    return both[chooser.release(scores, rng=Seeded(seed))]


def picked_by_answers(candidates: Sequence[Candidate]) -> Candidate:
    """The question or complement of which the answer is most too large: no row is looked at."""
    return max(_both(candidates), key=lambda each: each.deceit)


def _both(candidates: Sequence[Candidate]) -> list[Candidate]:
    return [each for one in candidates for each in (one, one.complement)]


@final
@dataclass(slots=True)
class _Gathered:
    """By how much each conversation and each pick overfits, and how far answers are off."""

    every: list[float] = field(default_factory=list)
    by_answers: list[float] = field(default_factory=list)
    by_scores: list[float] = field(default_factory=list)
    errors: list[float] = field(default_factory=list)
    promise: Promise = field(default_factory=Promise)
    rows: int = 0


def monitor(
    setup: Setup,
    analyst: Player,
    *,
    samples: int = 5,
    repeats: int = 40,
    epsilon: Fraction = Fraction(1, 10),
    confidence: Fraction = Fraction(19, 20),
    level: float = 0.001,
    seed: int = 0,
    claim: Loss | None = None,
    progress: Progress = lambda _: None,
) -> MonitorReport:
    """Measure how much a mechanism lets an analyst overfit, and hold its claim against it.

    All limits of the report hold together except with probability `level`, so a mechanism whose
    claims are true is flagged no more often. `epsilon` is that of the exponential mechanism that
    picks; `claim` replaces what the opponent says of its own loss. GDP is the claim that all noise
    is Gaussian with Σ 1/(nσ)² ≤ μ²; what is μ-GDP by other means may be flagged though it is true.
    """
    check.positive_integer(samples=samples)
    check.positive_integer(repeats=repeats)
    check.positive_fraction(epsilon=epsilon)
    check.probability(level=level)
    if claim is not None and not isinstance(claim, Loss):
        raise InvalidInput(argument="claim", accepted="GDP or PureDP", given=repr(claim)[:80])
    found = _Gathered()
    state = seeded(seed).generate_state(repeats * (samples + 1), np.uint64)
    for seeds in state.reshape(repeats, samples + 1).tolist():
        group: list[Candidate] = []
        for each in seeds[1:]:
            held = hold(setup, analyst, confidence=confidence, seed=each)
            group.append(held.candidate)
            found.errors.append(held.error)
            # The same for all: a promise is made from the number of rows alone.
            found.promise, found.rows = held.promise, held.rows
            progress(len(found.errors))
        chosen = picked(group, rows=found.rows, epsilon=epsilon, seed=seeds[0])
        found.every.extend(each.overfit for each in group)
        found.by_answers.append(picked_by_answers(group).overfit)
        found.by_scores.append(chosen.overfit)
    loss = found.promise.loss if claim is None else claim
    return MonitorReport(
        mechanism=setup.name,
        analyst=analyst.kind,
        rows=found.rows,
        questions=analyst.questions,
        samples=samples,
        repeats=repeats,
        epsilon=epsilon,
        confidence=confidence,
        level=level,
        seed=seed,
        loss=loss,
        measures=_measures(
            found, loss, samples=samples, epsilon=epsilon, confidence=confidence, level=level / 4
        ),
    )


def _measures(
    found: _Gathered,
    loss: Loss | None,
    *,
    samples: int,
    epsilon: Fraction,
    confidence: Fraction,
    level: float,
) -> tuple[Measure, ...]:
    """Four means, each between limits that fail with probability `level`."""
    chosen = allowances(loss, samples=samples, choice=PureDP(epsilon))
    return (
        measured("every conversation", found.every, free_allowances(loss, samples=1), level),
        measured(
            "pick by answers", found.by_answers, free_allowances(loss, samples=samples), level
        ),
        measured("pick by scores", found.by_scores, chosen, level),
        answered(found.errors, radius=found.promise.radius, confidence=confidence, level=level),
    )
