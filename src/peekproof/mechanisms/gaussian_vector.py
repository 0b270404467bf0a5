"""Many totals at once, as shares, behind Gaussian noise on a public grid."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from peekproof.core import check
from peekproof.core.certificate import Certificate, Target
from peekproof.core.charge import GDP
from peekproof.core.numerics import up
from peekproof.core.secret import Exact
from peekproof.mechanisms.opened import opened
from peekproof.mechanisms.public_grid import check_grid, with_levels
from peekproof.noise.entropy import Entropy
from peekproof.noise.gaussian import rounded_gaussians
from peekproof.theory.generalization.drift import rounding_radius
from peekproof.theory.generalization.gaussian import own_certificate, vector_cost
from peekproof.theory.generalization.noise import gaussian_accuracy


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
