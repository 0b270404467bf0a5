"""A plan for sessions whose number of questions nobody knows."""

from fractions import Fraction
from functools import lru_cache
from math import exp, log, sqrt

from peekproof.core.certificate import Target
from peekproof.core.charge import GDP
from peekproof.core.errors import VacuousPlan
from peekproof.core.numerics import argmin
from peekproof.mechanisms.gaussian import Gaussian, on_grid
from peekproof.mechanisms.open_ended import OpenEnded
from peekproof.planner.plan import VACUOUS, Plan
from peekproof.theory.generalization.open_ended import stage_certificate

_MOST_STAGES = 39  # beyond 10¹² draws there is no patience


def open_ended_plan(*, rows: int, confidence: Fraction) -> Plan:
    """Stages whose noise grows like the fourth root of the draws, until one says nothing.

    The best noise for one stage alone would leave too little clock for the next: each is chosen
    as if those before had used what a steady growth uses.
    """
    mechanism = _stages(rows, confidence)
    target = Target(confidence=confidence, questions=mechanism.questions)
    return Plan(target=target, mechanism=mechanism, certificate=mechanism.certify(target))


@lru_cache(maxsize=64)
def _stages(rows: int, confidence: Fraction) -> OpenEnded:
    target = Target(confidence=confidence, questions=1)
    stages: list[Gaussian] = []
    clock, least = Fraction(0), 0.0
    for stage in range(_MOST_STAGES):
        noise = _best(rows, target, stage, least)
        used = clock + noise.cost().mu_squared * 2**stage
        if _radius(noise, target, stage, used) >= VACUOUS:
            break
        stages.append(noise)
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
