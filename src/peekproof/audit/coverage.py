"""How often all intervals of a conversation hold together, over many fresh samples.

What is promised is about the conversation and not about a question: with the confidence, none of
its intervals misses. So a run is one sample, one analyst who asks about it, and one verdict.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import final

import numpy as np

from peekproof.audit.analysts.protocol import Player
from peekproof.audit.evidence import Chance, chance, excess_p_value
from peekproof.audit.fight import Bout, fight, processes, seeded
from peekproof.audit.opponents.protocol import Setup
from peekproof.core import check
from peekproof.core.errors import InvalidInput

# Called after each run with how many are done.
Progress = Callable[[int], None]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """What one conversation came to."""

    intervals: int
    missed: int
    unanswered: int
    radii: float  # their sum
    widest: float
    furthest: float


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Coverage:
    """In how many runs all intervals held, and in how many there were none.

    A run without intervals misses nothing and breaks no promise, so it counts as a run. It is no
    evidence of anything else: look at `refused`. Radii and errors are in the units of answers.
    """

    setup: str
    analyst: str
    questions: int
    confidence: Fraction
    false_alarm: float
    runs: int
    held: int
    missed: int
    refused: int
    intervals: int
    unanswered: int  # questions that were refused, in runs with and without intervals
    mean_radius: float
    largest_radius: float
    largest_error: float

    @property
    def share(self) -> float:
        """The share of runs in which no interval missed."""
        return (self.runs - self.missed) / self.runs

    @property
    def chance(self) -> Chance:
        """Between which ends the probability lies that none misses, except with `false_alarm`."""
        return chance(self.missed, trials=self.runs, false_alarm=self.false_alarm).complement

    @property
    def p_value(self) -> float:
        """How likely so many misses are if intervals fail no more often than is promised."""
        beta = float(1 - self.confidence)
        return excess_p_value(self.missed, trials=self.runs, probability=beta)

    @property
    def keeps_its_promise(self) -> bool:
        """Wrong about a setup that keeps it with probability at most `false_alarm`."""
        return self.p_value > self.false_alarm

    def to_dict(self) -> dict[str, object]:
        return {
            "setup": self.setup,
            "analyst": self.analyst,
            "questions": self.questions,
            "confidence": str(self.confidence),
            "false_alarm": self.false_alarm,
            "runs": self.runs,
            "held": self.held,
            "missed": self.missed,
            "refused": self.refused,
            "intervals": self.intervals,
            "unanswered": self.unanswered,
            "coverage": self.share,
            "coverage_low": self.chance.low,
            "coverage_high": self.chance.high,
            "p_value": self.p_value,
            "keeps_its_promise": self.keeps_its_promise,
            "mean_radius": self.mean_radius,
            "largest_radius": self.largest_radius,
            "largest_error": self.largest_error,
        }

    def __str__(self) -> str:
        kept = "no sign of a broken promise" if self.keeps_its_promise else "breaks its promise"
        verdict = kept if self.intervals else "claims nothing"
        refused = f", {self.refused} were refused" if self.refused else ""
        unanswered = f", {self.unanswered} questions unanswered" if self.unanswered else ""
        return (
            f"{self.setup} against {self.analyst}: {verdict}. "
            f"All intervals held in {self.held} of {self.runs} runs{refused}: coverage in "
            f"[{self.chance.low:.3f}, {self.chance.high:.3f}], {float(self.confidence):.3g} "
            f"promised (p = {self.p_value:.2g}). "
            f"Radius {self.mean_radius:.4g} on average and {self.largest_radius:.4g} at most, "
            f"error at most {self.largest_error:.4g}{unanswered}"
        )


def coverage(
    setup: Setup,
    analyst: Player,
    *,
    runs: int = 100,
    confidence: float | Fraction = Fraction(19, 20),
    false_alarm: float = 1e-6,
    seed: int = 0,
    workers: int = 1,
    progress: Progress = lambda _: None,
) -> Coverage:
    """Let the analyst ask about `runs` fresh samples, and count how often all intervals hold.

    The result is the same for any number of workers. More than one are processes of their own,
    so that setup and analyst have to be such as can be sent there.
    """
    check.positive_integer(runs=runs)
    exact = check.probability(confidence=confidence)
    check.probability(false_alarm=false_alarm)
    play = partial(_run, setup, analyst, exact)
    seeds = [_own(seed, number) for number in range(runs)]
    found: list[Run] = []
    for run in _played(play, seeds, workers=check.positive_integer(workers=workers)):
        found.append(run)
        progress(len(found))
    intervals = sum(run.intervals for run in found)
    missed = sum(run.missed > 0 for run in found)
    refused = sum(run.intervals == 0 for run in found)
    return Coverage(
        setup=setup.name,
        analyst=analyst.kind,
        questions=analyst.questions,
        confidence=exact,
        false_alarm=false_alarm,
        runs=runs,
        held=runs - missed - refused,
        missed=missed,
        refused=refused,
        intervals=intervals,
        unanswered=sum(run.unanswered for run in found),
        mean_radius=sum(run.radii for run in found) / max(1, intervals),
        largest_radius=max(run.widest for run in found),
        largest_error=max(run.furthest for run in found),
    )


def _own(seed: int, number: int) -> int:
    """The seed of a run: nothing like that of the next, nor of the same run with another seed."""
    return int(seeded(seed, number).generate_state(1, np.uint64)[0])


def _run(setup: Setup, analyst: Player, confidence: Fraction, seed: int) -> Run:
    bout = fight(setup, analyst, confidence=confidence, seed=seed)
    if not bout.applies:
        raise InvalidInput(
            argument="analyst",
            accepted=f"one that asks what {setup.name} answers",
            given=analyst.kind,
            hint="questions must be shares or means, and a session that checks guesses needs them",
        )
    return _summary(bout)


def _summary(bout: Bout) -> Run:
    radii = [claim.reply.radius for claim in bout.made]
    return Run(
        intervals=len(radii),
        missed=bout.missed,
        unanswered=bout.terms.questions if bout.refusal else bout.refused,
        radii=sum(radii),
        widest=max(radii, default=0.0),
        furthest=bout.forced,
    )


def _played(play: Callable[[int], Run], seeds: list[int], *, workers: int) -> Iterator[Run]:
    if workers == 1:
        yield from map(play, seeds)
        return
    with processes(workers, task=play) as pool:
        yield from pool.map(play, seeds)
