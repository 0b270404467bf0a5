"""Gaussian noise on a public grid: one share, or many at once, and how much of it is narrowest."""

from dataclasses import dataclass
from fractions import Fraction
from math import exp, floor, log, log2, pi, sin, sqrt
from typing import ClassVar, final

from peekproof.core import check
from peekproof.core.certificate import Certificate, Target
from peekproof.core.charge import GDP
from peekproof.core.numerics import argmin, log_of, up
from peekproof.core.secret import Exact
from peekproof.mechanisms.protocol import check_grid, opened, with_levels
from peekproof.noise.entropy import Entropy, Pool
from peekproof.noise.gaussian import rounded_gaussian, rounded_gaussians
from peekproof.theory.generalization.drift import rounding_radius
from peekproof.theory.generalization.gaussian import (
    levels,
    own_certificate,
    session_certificate,
    vector_cost,
)
from peekproof.theory.generalization.noise import gaussian_accuracy, normal_shortfall


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Gaussian:
    """total/(rows·levels) + N(0, sigma²), rounded to a multiple of `step`, clipped to [0, 1].

    Guarantees: `cost()` for every total that moves by at most `levels` when one record is
    replaced: a count (levels = 1), or a sum of contributions in fixed point.
    Proof: the share moves by at most 1/n, so the unrounded answer loses μ² = 1/(nσ)²;
    rounding (exact, on a grid fixed beforehand) and clipping are post-processing. The Gaussian
    is the continuous one, so theorems about it apply without a gap.
    Public: all fields.  Secret: the total given to `release`.
    """

    KIND: ClassVar[str] = "gaussian"

    rows: int
    sigma: Fraction
    step: Fraction
    levels: int = 1

    def __post_init__(self) -> None:
        check.positive_integer(rows=self.rows)
        check.positive_integer(levels=self.levels)
        check.positive_fraction(sigma=self.sigma)
        check.positive_fraction(step=self.step)
        check_grid(self.step)

    def cost(self) -> GDP:
        return GDP(1 / (self.rows * self.sigma) ** 2)

    def release(self, total: Exact[int], *, rng: Entropy) -> Fraction:
        points = self.step.denominator
        centre = Fraction(total.reveal() * points, self.rows * self.levels)
        drawn = rounded_gaussian(centre=centre, scale=self.sigma * points, rng=Pool(rng))
        return Fraction(min(points, max(0, drawn)), points)

    def radius(self, *, beta: Fraction) -> float:
        """How far a release errs from the share of the sample, except with probability β."""
        noise = gaussian_accuracy(sigma=self.sigma, count=1, beta=beta)
        return up(noise.radius + rounding_radius(self.step))

    def certify(self, target: Target) -> Certificate:
        return session_certificate(rows=self.rows, sigma=self.sigma, step=self.step, target=target)

    def certify_own(self, target: Target, *, budget: GDP) -> Certificate:
        """The certificate of an answer whose noise is not that of its session's plan."""
        return own_certificate(
            rows=self.rows, sigma=self.sigma, step=self.step, budget=budget, target=target
        )

    def describe(self) -> dict[str, str]:
        """What the ledger records, enough to rebuild the mechanism."""
        described = {"kind": self.KIND, "sigma": str(self.sigma), "step": str(self.step)}
        return with_levels(described, self.levels)


# σ is a whole number of grid steps in [64, 128): fine enough that rounding adds less than a
# thousandth to the radius, coarse enough that low-order bits carry nothing.
FINEST_STEPS = 64


def on_grid(rows: int, sigma: float, *, shift: int = 0) -> Gaussian:
    """Noise near `sigma`, but a whole number of steps: `shift` more than its rounding down."""
    exponent = max(0, -floor(log2(sigma / FINEST_STEPS)))
    steps = max(1, floor(sigma * 2.0**exponent) + shift)
    step = Fraction(2) ** -exponent
    return Gaussian(rows=rows, sigma=steps * step, step=step)


def best_gaussian(rows: int, target: Target) -> Gaussian:
    """The mechanism with about the smallest radius over all noise scales on the grid.

    The search uses σ·z + sin a with a ≈ (μ/4)·√(2 ln(2/β) + μ²/16), which is T-drift-gauss but for
    a thousandth; what it finds is then certified exactly.
    """
    level, _ = levels(target)
    shortfall = normal_shortfall(beta=level, count=target.questions)
    log_level = log(2) - log_of(level)

    def radius(log_sigma: float) -> float:
        mu = sqrt(target.questions) / (rows * exp(log_sigma))
        angle = mu / 4 * sqrt(2 * log_level + mu * mu / 16)
        return exp(log_sigma) * shortfall + sin(min(angle, pi / 2))

    # Balanced parts give σ² ≈ √k·c/n with c between 0.1 and 2 for any sensible level.
    guess = log(target.questions) / 4 - log(rows) / 2
    sigma = exp(argmin(radius, low=guess - 5, high=guess + 2))
    candidates = [on_grid(rows, sigma, shift=shift) for shift in (-1, 0, 1, 2)]
    return min(candidates, key=lambda each: each.certify(target).radius)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianVector:
    """total_j/(rows·levels) + N(0, sigma²) for each of `cells` totals, rounded and clipped.

    Guarantees: `cost()` if some ball of squared radius `ball` holds the contribution of every
    record, in units of `levels`. A histogram costs about four questions, whatever the number of
    its cells.
    Proof: T-drift-vector; rounding (exact, on a grid fixed beforehand) and clipping are
    post-processing.
    Public: all fields.  Secret: the totals given to `release`.
    """

    KIND: ClassVar[str] = "gaussian-vector"

    rows: int
    sigma: Fraction
    step: Fraction
    cells: int
    ball: Fraction
    levels: int = 1

    def __post_init__(self) -> None:
        check.positive_integer(rows=self.rows)
        check.positive_fraction(sigma=self.sigma)
        check.positive_integer(cells=self.cells)
        check.positive_fraction(ball=self.ball)
        check.positive_integer(levels=self.levels)
        check_grid(self.step)

    def cost(self) -> GDP:
        return vector_cost(rows=self.rows, sigma=self.sigma, squared_radius=self.ball)

    def release(self, totals: Exact[tuple[int, ...]], *, rng: Entropy) -> tuple[Fraction, ...]:
        points, whole = self.step.denominator, self.rows * self.levels
        found = opened(totals, numbers=self.cells)
        centres = [Fraction(total * points, whole) for total in found]
        drawn = rounded_gaussians(centres=centres, scale=self.sigma * points, rng=rng)
        return tuple(Fraction(min(points, max(0, each)), points) for each in drawn)

    def radius(self, *, beta: Fraction) -> float:
        """How far the worst cell errs from the sample, except with probability β."""
        noise = gaussian_accuracy(sigma=self.sigma, count=self.cells, beta=beta)
        return up(noise.radius + rounding_radius(self.step))

    def certify_own(self, target: Target, *, budget: GDP, draws: int) -> Certificate:
        """The certificate of all cells together, counted as `draws` questions of a session."""
        return own_certificate(
            rows=self.rows,
            sigma=self.sigma,
            step=self.step,
            budget=budget,
            target=target,
            cells=self.cells,
            draws=draws,
        )

    def describe(self) -> dict[str, str]:
        """What the ledger records, enough to rebuild the mechanism."""
        described = {
            "kind": self.KIND,
            "sigma": str(self.sigma),
            "step": str(self.step),
            "cells": str(self.cells),
            "ball": str(self.ball),
        }
        return with_levels(described, self.levels)
