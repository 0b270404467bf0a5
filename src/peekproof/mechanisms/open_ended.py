"""Gaussian noise that grows in stages, so that nobody need say how many questions will come."""

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import exp, log, sqrt
from typing import ClassVar, final

from peekproof.core import check
from peekproof.core.certificate import Certificate, Target, Width
from peekproof.core.charge import GDP
from peekproof.core.errors import InvalidInput, VacuousPlan
from peekproof.core.numerics import argmin, decimal_up, level_down
from peekproof.core.secret import Exact
from peekproof.mechanisms.base import (
    VACUOUS,
    Ask,
    Demand,
    Draw,
    Mechanism,
    Options,
    Past,
    Value,
    fixed_point,
    is_number,
)
from peekproof.mechanisms.gaussian import Gaussian, Noise, on_grid
from peekproof.noise.entropy import Entropy
from peekproof.theory.generalization.open_ended import stage_certificate

_MOST_STAGES = 39  # beyond 10¹² draws there is no patience


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class OpenEnded(Mechanism):
    """Draws 2^i, …, 2^{i+1} − 1 with the noise of stage i, which is not below that of stage i − 1.

    A batch is drawn with the noise of its last draw. That is at least what each draw would have
    had alone, so the clock of no stage is exceeded.

    Guarantees: `certify_stage(stage, target)` for the answers of each stage, all stages together,
    and `budget` for the records.
    Proof: T-open-ended; each draw is that of a Gaussian, and their costs add.
    Public: all fields.  Secret: the totals given to the stages.
    """

    kind: ClassVar[str] = "open-ended"
    plainly: ClassVar[str] = "Gaussian noise that grows, for as many questions as will come."
    remembers: ClassVar[bool] = False
    place: ClassVar[int] = 9
    grows: ClassVar[bool] = True
    open_ended: ClassVar[bool] = True
    unread: ClassVar[frozenset[str]] = frozenset({"stages"})

    rows: int
    stages: tuple[Noise, ...]

    def __post_init__(self) -> None:
        check.positive_integer(rows=self.rows)
        noises = [stage.sigma for stage in self.stages]
        if not noises or noises != sorted(noises):
            raise InvalidInput(
                argument="stages",
                accepted="at least one, with noise that never falls",
                given=f"{len(noises)} stages",
            )
        for stage in range(len(noises)):
            self.noise(stage)  # refuses what is no noise on a grid

    @classmethod
    def plan(cls, rows: int, target: Target, options: Options) -> "OpenEnded":  # noqa: ARG003
        return _stages(rows, target.confidence)

    @property
    def most_questions(self) -> int:
        """How many draws there are before intervals say nothing."""
        return int(2 ** len(self.stages)) - 1

    def noise(self, stage: int) -> Gaussian:
        """What a draw of this stage is."""
        found = self.stages[stage]
        return Gaussian(rows=self.rows, sigma=found.sigma, step=found.step)

    def stage_of(self, draw: int) -> int:
        """The stage of a draw, counted from 1."""
        return check.positive_integer(draw=draw).bit_length() - 1

    def stage_after(self, past: Past, batch: int) -> int:
        """The stage of so many draws after this past: that of the last of them, if there is one."""
        return min(self.stage_of(past.draws + batch), len(self.stages) - 1)

    def clock(self, stage: int) -> GDP:
        """What all draws up to the end of a stage use up at most."""
        used = (self._each(number) * 2**number for number in range(stage + 1))
        return GDP(sum(used, Fraction(0)))

    def _each(self, stage: int) -> Fraction:
        return 1 / (self.rows * self.stages[stage].sigma) ** 2

    def cost(self) -> GDP:
        """What the last draws cost, the least of all."""
        return GDP(self._each(len(self.stages) - 1))

    def budget(self, target: Target) -> GDP:  # noqa: ARG002
        return self.clock(len(self.stages) - 1)

    def certify_stage(self, stage: int, target: Target) -> Certificate:
        """The certificate of the answers of one stage."""
        return _certify_stage(self, stage, target)

    def certify(self, target: Target) -> Certificate:
        """The certificate of the last stage, the widest."""
        return self.certify_stage(len(self.stages) - 1, target)

    def check_target(self, target: Target) -> None:
        if target.questions != self.most_questions:
            raise ValueError("records a number of questions its stages do not have")

    def draw(self, ask: Ask, past: Past, *, place: int, batch: int) -> "StagedShare":  # noqa: ARG002
        grows = "left out: the radius of an open-ended session grows by itself"
        ask.without("radius", accepted=grows)
        stage = self.stage_after(past, batch)
        found = self.stages[stage]
        return StagedShare(
            rows=self.rows,
            sigma=found.sigma,
            step=found.step,
            stage=stage,
            levels=ask.what.levels,
        )

    def fits(self, past: Past, *, room: Fraction, draws: int) -> int:
        """One by one, and with nobody else in between."""
        fit, drawn = 0, past.draws
        for stage in range(self.stage_of(drawn + 1), len(self.stages)):
            cost = self._each(stage)
            here = min(2 ** (stage + 1) - 1 - drawn - fit, int(room // cost))
            room, fit = room - here * cost, fit + here
            if drawn + fit + 1 < 2 ** (stage + 1):
                break
        return min(draws, fit)

    def next_width(self, past: Past, *, radius: float) -> Width:  # noqa: ARG002
        stage = min(self.stage_of(past.draws + 1), len(self.stages) - 1)
        return Width.within(self.certify_stage(stage, past.target).radius)

    def words(self, past: Past, *, radius: float) -> str:
        level, now = level_down(past.target.confidence), self.next_width(past, radius=radius).most
        said = f"{self.rows:,} rows, open-ended, now shares within ±{decimal_up(now)}"
        return f"{said} at confidence {level}, {past.draws:,} asked"

    def headline(self, radius: float) -> str:
        return f"At most ±{decimal_up(radius)}"

    def promise(self, target: Target) -> str:
        return f"for any number of questions, {self.together(target)}; the first are narrower"


@lru_cache(maxsize=256)
def _certify_stage(promise: OpenEnded, stage: int, target: Target) -> Certificate:
    noise = promise.stages[stage]
    return stage_certificate(
        rows=promise.rows,
        sigma=noise.sigma,
        step=noise.step,
        clock=promise.clock(stage),
        stage=stage,
        target=target,
    )


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class StagedShare(Draw):
    """One share or mean with the noise of its stage."""

    kind: ClassVar[str] = "open-ended"

    rows: int
    sigma: Fraction
    step: Fraction
    stage: int
    levels: int = 1

    @property
    def cost(self) -> GDP:
        return GDP(1 / (self.rows * self.sigma) ** 2)

    def made_for(self, asked: Demand) -> bool:
        return is_number(asked, levels=self.levels)

    def release(self, exact: Exact[int], *, rng: Entropy) -> Value:
        law = Gaussian(rows=self.rows, sigma=self.sigma, step=self.step, levels=self.levels)
        return (law.release(exact, rng=rng),)

    def certificate(
        self,
        promise: Mechanism,
        target: Target,
        *,
        failed: bool = False,  # noqa: ARG002
    ) -> Certificate:
        if not isinstance(promise, OpenEnded):
            raise ValueError("noise where the promise has none")
        if promise.stages[self.stage : self.stage + 1] != (Noise(self.sigma, self.step),):
            raise ValueError("a stage that the promise does not have")
        return fixed_point(promise.certify_stage(self.stage, target), self.levels)

    def check(self, promise: Mechanism, past: Past, *, batch: int = 1) -> None:
        if not isinstance(promise, OpenEnded) or self.stage != promise.stage_after(past, batch):
            raise ValueError("another stage than its turn")


@lru_cache(maxsize=64)
def _stages(rows: int, confidence: Fraction) -> OpenEnded:
    """Stages whose noise grows like the fourth root of the draws, until one says nothing.

    The best noise for one stage alone would leave too little clock for the next: each is chosen
    as if those before had used what a steady growth uses.
    """
    target = Target(confidence=confidence, questions=1)
    stages: list[Noise] = []
    clock, least = Fraction(0), 0.0
    for stage in range(_MOST_STAGES):
        noise = _best(rows, target, stage, least)
        used = clock + noise.cost().mu_squared * 2**stage
        if _radius(noise, target, stage, used) >= VACUOUS:
            break
        stages.append(Noise(noise.sigma, noise.step))
        clock, least = used, float(noise.sigma)
    if not stages:
        raise VacuousPlan(
            rows=rows,
            questions=1,
            confidence=confidence,
            rows_needed=_rows_needed(rows, confidence),
            questions_affordable=0,
        )
    return OpenEnded(rows=rows, stages=tuple(stages))


def _rows_needed(rows: int, confidence: Fraction) -> int:
    """Rows, a power of two times these, on which the first stage says something."""
    target = Target(confidence=confidence, questions=1)
    while True:
        rows *= 2
        noise = _best(rows, target, 0, 0.0)
        if _radius(noise, target, 0, noise.cost().mu_squared) < VACUOUS:
            return rows


def _radius(noise: Gaussian, target: Target, stage: int, clock: Fraction) -> float:
    return stage_certificate(
        rows=noise.rows,
        sigma=noise.sigma,
        step=noise.step,
        clock=GDP(clock),
        stage=stage,
        target=target,
    ).radius


def _best(rows: int, target: Target, stage: int, least: float) -> Gaussian:
    """The noise of a stage, at least `least`, with about the smallest radius.

    If the cost of a draw falls by √½ from stage to stage, all draws up to the end of stage i cost
    2^i·(1 + √½ + ½ + …) draws of it.
    """
    draws = Fraction(sum(2 ** (stage - back / 2) for back in range(stage + 1)))

    def radius(log_sigma: float) -> float:
        sigma = Fraction(exp(log_sigma))
        noise = Gaussian(rows=rows, sigma=sigma, step=on_grid(rows, exp(log_sigma)).step)
        return _radius(noise, target, stage, noise.cost().mu_squared * draws)

    guess = log(sqrt(2.0 ** (stage / 2)) / sqrt(rows))
    low = max(guess - 4, log(least)) if least else guess - 4
    sigma = exp(argmin(radius, low=low, high=max(low, guess + 3)))
    shift = 0
    while (noise := on_grid(rows, sigma, shift=shift)).sigma < Fraction(least):
        shift += 1
    return noise
