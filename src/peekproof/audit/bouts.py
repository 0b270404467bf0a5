"""Many fights at once, in as many processes as there are cores."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import as_completed
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from peekproof.audit.analysts.protocol import Analyst
from peekproof.audit.fight import fight
from peekproof.audit.opponents.protocol import Setup
from peekproof.audit.outcome import Outcome
from peekproof.audit.processes import processes
from peekproof.core import check

# Called after each fight with how many are over, and of how many.
Progress = Callable[[int, int], None]

# A process takes as long to start as a fight; for so few there is no use in it.
_FEW = 4


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Pairing:
    """Who fights whom, and with which seed."""

    setup: Setup
    analyst: Analyst
    confidence: Fraction
    seed: int

    def settle(self) -> Outcome:
        bout = fight(self.setup, self.analyst, confidence=self.confidence, seed=self.seed)
        return Outcome.of(bout, seed=self.seed, predicted=self.analyst.predicted)


def silent(done: int, total: int) -> None:
    """Tells nobody."""


def settle(
    pairings: Sequence[Pairing], *, workers: int | None = None, progress: Progress = silent
) -> tuple[Outcome, ...]:
    """What came of each, in their order; `workers=1` stays in this process.

    Opponents and analysts of one's own must be importable by a new process, or stay in this one.
    """
    if workers is not None:
        check.positive_integer(workers=workers)
    elif len(pairings) <= _FEW:
        workers = 1
    most = min(workers or os.cpu_count() or 1, len(pairings))
    if most <= 1:
        return tuple(_in_turn(pairings, progress))
    return _side_by_side(pairings, most, progress)


def _in_turn(pairings: Sequence[Pairing], progress: Progress) -> list[Outcome]:
    found = []
    for pairing in pairings:
        found.append(pairing.settle())
        progress(len(found), len(pairings))
    return found


def _side_by_side(
    pairings: Sequence[Pairing], workers: int, progress: Progress
) -> tuple[Outcome, ...]:
    with processes(workers, task=pairings) as pool:
        running = [pool.submit(pairing.settle) for pairing in pairings]
        for done, each in enumerate(as_completed(running), 1):
            each.result()
            progress(done, len(running))
        return tuple(each.result() for each in running)
