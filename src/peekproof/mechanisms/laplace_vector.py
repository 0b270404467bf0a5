"""Several counts at once, as shares, each behind discrete Laplace noise on a public grid."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from peekproof.core import check
from peekproof.core.certificate import Certificate, Target
from peekproof.core.charge import PureDP
from peekproof.core.numerics import float_up
from peekproof.core.secret import Exact
from peekproof.mechanisms.opened import opened
from peekproof.mechanisms.public_grid import check_grid, nearest_share
from peekproof.noise.entropy import Entropy
from peekproof.noise.laplace import discrete_laplaces
from peekproof.theory.discrete_noise import discrete_laplace_reach, drawable, laplace
from peekproof.theory.generalization.discrete_laplace import discrete_laplace_certificate


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LaplaceVector:
    """(count + N)/rows for each of `cells` counts, N discrete Laplace of scale b·rows, on a grid.

    Guarantees: `cost()` for every vector of counts that moves by at most Δ = `sensitivity` in L1
    when one record is replaced; `certify(target)` if each cell counts the rows that satisfy a
    predicate. A histogram over disjoint cells has Δ = 2, however many cells there are: the old
    record leaves one and the new one enters another.
    Proof: the noises are independent, so their joint probability changes by at most the product of
    e^{|moved_j|/(bn)}, which is e^{Δ/(bn)} at most; the rest is post-processing.
    Public: all fields, and how many counts there are.  Secret: the counts given to `release`.
    """

    KIND: ClassVar[str] = "laplace-vector"

    rows: int
    cells: int
    sensitivity: int
    scale: Fraction
    step: Fraction

    def __post_init__(self) -> None:
        check.positive_integer(rows=self.rows)
        drawable(cells=Fraction(check.positive_integer(cells=self.cells)))
        drawable(sensitivity=Fraction(check.positive_integer(sensitivity=self.sensitivity)))
        drawable(scale=self.scale)
        drawable(scale=self.scale * self.rows)
        check_grid(self.step)

    def cost(self) -> PureDP:
        return laplace(scale=self.scale * self.rows, sensitivity=Fraction(self.sensitivity))

    def release(self, exact: Exact[tuple[int, ...]], *, rng: Entropy) -> tuple[Fraction, ...]:
        noises = discrete_laplaces(scale=self.scale * self.rows, count=self.cells, rng=rng)
        counts = opened(exact, numbers=self.cells)
        return tuple(
            nearest_share(count + noise, rows=self.rows, step=self.step)
            for count, noise in zip(counts, noises, strict=True)
        )

    def radius(self, *, beta: Fraction) -> float:
        """How far any cell lies from its share, except with probability β: a union. Rounds: up."""
        level = check.probability(beta=beta) / self.cells
        reach = discrete_laplace_reach(scale=self.scale * self.rows, beta=level)
        return float_up(Fraction(reach, self.rows) + self.step / 2)

    def certify(self, target: Target) -> Certificate:
        """The certificate of every cell of `target.questions` vectors."""
        return discrete_laplace_certificate(
            rows=self.rows,
            scale=self.scale,
            step=self.step,
            target=target,
            cells=self.cells,
            sensitivity=self.sensitivity,
        )

    def describe(self) -> dict[str, str]:
        """What the ledger records, enough to rebuild the mechanism."""
        return {
            "kind": self.KIND,
            "cells": str(self.cells),
            "sensitivity": str(self.sensitivity),
            "scale": str(self.scale),
            "step": str(self.step),
        }
