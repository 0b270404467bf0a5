"""Analysts who try to make a session say something false about a population that is known.

Every record has independent signs x1, x2, … and y, and a number u that is uniform on [0, 1). An
attack asks a session its questions and returns the answers, each with the share of the
population that it is about.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from peekproof.audit.analysts.correlation import agreement
from peekproof.core.answer import Answer
from peekproof.core.charge import GDP
from peekproof.derive.conditional import ConditionalAnswer
from peekproof.mechanisms.truncation import Truncation
from peekproof.session import Session
from peekproof.theory.generalization.gaussian import own_drift

LABEL = "y"

Columns = dict[str, npt.NDArray[np.float64]]
Told = list[tuple[Answer | ConditionalAnswer, float]]
Attack = Callable[[Session], Told]


def features(count: int) -> list[str]:
    return [f"x{number}" for number in range(1, count + 1)]


def draw_sample(rows: int, count: int, rng: np.random.Generator) -> Columns:
    signs = rng.integers(0, 2, (count + 1, rows)).astype(float) * 2 - 1
    return dict(zip([*features(count), LABEL], signs, strict=True)) | {"u": rng.random(rows)}


def vote(names: Sequence[str], weights: Sequence[int]) -> tuple[str, float]:
    """The question how often a weighted vote agrees with the label, and the true share.

    Weights are whole numbers, so that sums are exact; the truth is counted over all signs, for
    a vote may tie.
    """
    terms = " ".join(f"{weight:+d}*{name}" for name, weight in zip(names, weights, strict=True))
    sums = np.zeros(1, np.int64)
    for weight in weights:
        sums = np.concatenate([sums - weight, sums + weight])
    return f"({terms}) * {LABEL} > 0", float(np.mean(sums > 0))


def leanings(shares: Sequence[float]) -> list[int]:
    """Log-odds of the answers as whole weights; the first breaks the tie if all are one half."""
    safe = np.clip(np.array(shares), 0.005, 0.995)
    weights = np.rint(1000 * np.log(safe / (1 - safe))).astype(int).tolist()
    return [weights[0] or 1, *weights[1:]]


def one_question(session: Session) -> Told:
    """Nothing adaptive: a share of one half, where samples scatter most."""
    return [(session.ask(agreement("x1", LABEL)), 0.5)]


def correlation(session: Session) -> Told:
    """All agreements, then the vote weighted by their log-odds."""
    names = features(session.plan.target.questions - 1)
    asked = session.ask_many([agreement(name, LABEL) for name in names])
    question, truth = vote(names, leanings([answer.value for answer in asked]))
    return [*((answer, 0.5) for answer in asked), (session.ask(question), truth)]


def boosting(session: Session) -> Told:
    """Random submissions; those that score below one half are turned round, and all vote."""
    names = features(session.plan.target.questions - 1)
    asked = session.ask_many([agreement(name, LABEL) for name in names])
    question, truth = vote(names, [1 if answer.value >= 0.5 else -1 for answer in asked])
    return [*((answer, 0.5) for answer in asked), (session.ask(question), truth)]


def climbing(session: Session) -> Told:
    """Shares put on the edge of two bins, so that a midpoint tells on which side the sample lies.

    One half is an edge if the number of bins is even. Otherwise `or u < t` moves it to one.
    """
    mechanism = session.plan.mechanism
    if not isinstance(mechanism, Truncation):
        raise TypeError("only truncation has bins")
    shift = Fraction(mechanism.bins % 2, mechanism.bins)
    edge = Fraction(1, 2) + shift / 2
    names = features(session.plan.target.questions - 1)
    told: Told = []
    signs: list[int] = []
    for name in names:
        answer = session.ask(f"{agreement(name, LABEL)} or u < {float(shift)!r}")
        told.append((answer, float(edge)))
        signs.append(1 if answer.released > edge else -1)
    question, truth = vote(names, signs)
    return [*told, (session.ask(question), truth)]


def rebuilding(session: Session) -> Told:
    """One feature after another, and after each the vote of all that was learnt so far."""
    told: Told = []
    shares: list[float] = []
    for count in range(1, session.plan.target.questions // 2 + 1):
        name = f"x{count}"
        told.append((session.ask(agreement(name, LABEL)), 0.5))
        shares.append(told[-1][0].value)
        weights = leanings(shares)
        weights[0] += 1 if len(weights) == 1 else 0
        question, truth = vote([*features(count), "x1"], [*weights, 1])
        told.append((session.ask(question), _doubled(weights, truth)))
    return told


def _doubled(weights: list[int], truth: float) -> float:
    """The truth of a vote in which x1 votes twice."""
    return vote(features(len(weights)), [weights[0] + 1, *weights[1:]])[1]


RARE = (0.002, 0.02, 0.2, 0.8, 0.98, 0.998)


def rare_shares(session: Session) -> Told:
    """Shares near 0 and 1, where intervals are narrow."""
    answers = session.ask_many([f"u < {share!r}" for share in RARE])
    return list(zip(answers, RARE, strict=True))


_COARSEST = 0.49  # wider ones are refused


def own_radii(session: Session) -> Told:
    """Cheap answers first, narrow ones for what looked best, a narrow vote; rare shares between."""
    plan, told = session.plan, Told()
    assert isinstance(plan.budget, GDP)
    drift = own_drift(plan.budget, plan.target)  # what no noise takes away
    narrow = (plan.radius + drift) / 2
    coarse = [min(times * plan.radius, _COARSEST) for times in (1.5, 2, 3)]
    names = features(plan.target.questions - 3)
    for number, name in enumerate(names):
        radius = (None, coarse[0], coarse[1])[number % 3]
        told.append((session.ask(agreement(name, LABEL), radius=radius), 0.5))
    question, truth = vote(names, leanings([answer.value for answer, _ in told]))
    affordable = session.price(narrow).questions <= session.remaining
    told.append((session.ask(question, radius=narrow if affordable else None), truth))
    told.append((session.ask("u < 0.01", radius=coarse[2]), 0.01))
    return told
