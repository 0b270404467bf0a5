"""A search that climbs on the score it is told, with a plain holdout and with one that holds.

Both searches are the same program with the same seed. They differ in who reports the score.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from lab.examples.committees import Committee, Committees, Scene, Signs
from peekproof.audit.opponents.protocol import Reply, reply_of, textbook
from peekproof.core import check
from peekproof.learn.holdout import Holdout
from peekproof.ledger.witness import simulation

Reporting = Callable[[Committee], Reply]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What was told about the best committee so far, and what is true of it."""

    told: Reply
    truth: float


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Searches:
    """The same search twice. `failures` is how many guesses failed where they were checked."""

    scene: Scene
    plain: tuple[Step, ...]
    held: tuple[Step, ...]
    failures: int


def climb(committees: Committees, report: Reporting, *, tries: int, seed: int) -> tuple[Step, ...]:
    """Change a member of the best committee so far; keep the change unless it is told to be worse.

    Whatever is tried is one more look at the holdout.
    """
    rng = np.random.default_rng(seed)
    best = committees.any(rng)
    told = report(best)
    steps = [Step(told=told, truth=best.truth)]
    for _ in range(check.positive_integer(tries=tries) - 1):
        tried = committees.changed(best, rng)
        said = report(tried)
        if said.value >= told.value:
            best, told = tried, said
        steps.append(Step(told=told, truth=best.truth))
    return tuple(steps)


def plainly(labels: Signs) -> Reporting:
    """The share of the holdout, with the interval that is right for one look."""

    def report(committee: Committee) -> Reply:
        share = float(np.mean(committee.predicted == labels))
        return textbook(share, rows=len(labels))

    return report


def checked(holdout: Holdout) -> Reporting:
    """What the holdout says to the guess of cross-validation.

    Once a guess has failed, the next ones are moved by as much as it was off.
    """
    off = 0.0

    def report(committee: Committee) -> Reply:
        nonlocal off
        guess = min(1.0, max(0.0, committee.validated + off))
        answer = holdout.score(committee.predicted, guess=guess)
        if answer.value != guess:
            off = answer.value - committee.validated
        return reply_of(answer)

    return report


@simulation()
def search_twice(scene: Scene, *, tries: int, seed: int) -> Searches:
    """Both searches, on the same rows."""
    committees = Committees(scene, seed=seed)
    plain = climb(committees, plainly(committees.labels), tries=tries, seed=seed)
    with Holdout(None, committees.labels, questions=tries) as holdout:
        held = climb(committees, checked(holdout), tries=tries, seed=seed)
        return Searches(scene=scene, plain=plain, held=held, failures=holdout.failures)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Winners:
    """How good in truth the winners are: with checks, and on fresh rows, half as many, plainly."""

    checked: float
    fresh_half: float


@simulation()
def winners(scene: Scene, *, tries: int, seed: int) -> Winners:
    """What each way to search finds, from the same training rows."""
    committees = Committees(scene, seed=seed)
    with Holdout(None, committees.labels, questions=tries) as holdout:
        held = climb(committees, checked(holdout), tries=tries, seed=seed)
    half = Committees(replace(scene, rows=scene.rows // 2), seed=seed)
    plain = climb(half, plainly(half.labels), tries=tries, seed=seed)
    return Winners(checked=held[-1].truth, fresh_half=plain[-1].truth)
