"""The monitor: how much a mechanism lets analysts overfit, beside how much it claims to allow.

For a population that is known, T conversations on independent samples each end with the question
that the attack aims at; one of them is picked, and how much its sample overstates it is measured.
Repeated often, a mean that a true claim could not reach proves that the claim is false.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from math import lcm
from typing import final

import numpy as np

from peekproof.audit.analysts.protocol import Player
from peekproof.audit.monitoring.allowances import allowances, free_allowances
from peekproof.audit.monitoring.held import Candidate, hold
from peekproof.audit.monitoring.report import Measure, MonitorReport, answered, measured
from peekproof.audit.opponents.promises import Loss, Promise
from peekproof.audit.opponents.protocol import Setup
from peekproof.audit.seeding import seeded
from peekproof.core import check
from peekproof.core.charge import PureDP
from peekproof.core.errors import InvalidInput
from peekproof.core.secret import Exact
from peekproof.mechanisms.exponential import Exponential
from peekproof.noise.entropy import Seeded

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
        analyst=analyst.KIND,
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
