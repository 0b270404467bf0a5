"""Discrete Laplace noise on a public grid: one share or several, and how much is narrowest."""

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, final

from peekproof.core import check
from peekproof.core.certificate import Certificate, Target
from peekproof.core.charge import PureDP
from peekproof.core.numerics import float_up
from peekproof.core.secret import Exact
from peekproof.mechanisms.base import (
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
from peekproof.mechanisms.gaussian import on_grid
from peekproof.mechanisms.protocol import nearest_share, opened
from peekproof.noise.entropy import Entropy, Pool
from peekproof.noise.laplace import discrete_laplace, discrete_laplaces
from peekproof.theory.discrete_noise import discrete_laplace_reach, laplace
from peekproof.theory.generalization.discrete_laplace import discrete_laplace_certificate
from peekproof.theory.generalization.drift import best_laplace_scale


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Laplace(Mechanism):
    """(total + N)/(rows·levels) with discrete Laplace N, rounded to `step`, clipped to [0, 1].

    Guarantees: `cost()` for every total that moves by at most `levels` when one record is replaced,
    and `certify(target)` for the population (T-joint-discrete-laplace).
    Proof: Pr[N = z] ∝ e^{−|z|/(bnL)}, L = levels, changes by at most e^{1/(bn)} when z moves by L;
    dividing, rounding to a grid fixed beforehand and clipping are post-processing.
    Public: all fields; `scale` is b, in shares.  Secret: the total given to `release`.
    """

    kind: ClassVar[str] = "laplace"
    plainly: ClassVar[str] = "Laplace noise on every answer."
    remembers: ClassVar[bool] = False
    place: ClassVar[int] = 3

    rows: int
    scale: Fraction
    step: Fraction
    levels: int = 1

    def __post_init__(self) -> None:
        check.positive_integer(rows=self.rows)
        check.positive_integer(levels=self.levels)
        check.drawable(scale=self.scale)
        check.drawable(scale=self._on_totals)
        check.grid(self.step)

    @property
    def _whole(self) -> int:
        """The total of rows that all contribute the most they can."""
        return self.rows * self.levels

    @property
    def _on_totals(self) -> Fraction:
        return self.scale * self._whole

    def cost(self) -> PureDP:
        return laplace(scale=self._on_totals, sensitivity=Fraction(self.levels))

    def release(self, exact: Exact[int], *, rng: Entropy) -> Fraction:
        noise = discrete_laplace(scale=self._on_totals, rng=Pool(rng))
        return nearest_share(exact.reveal() + noise, rows=self._whole, step=self.step)

    def radius(self, *, beta: Fraction) -> float:
        """How far a release errs from the share of the sample, except with probability β."""
        reach = discrete_laplace_reach(scale=self._on_totals, beta=beta)
        return float_up(Fraction(reach, self._whole) + self.step / 2)

    def certify(self, target: Target) -> Certificate:
        return discrete_laplace_certificate(
            rows=self.rows, scale=self.scale, step=self.step, target=target, levels=self.levels
        )

    @classmethod
    def plan(cls, rows: int, target: Target, options: Options) -> "Laplace":  # noqa: ARG003
        return best_laplace(rows, target)

    def budget(self, target: Target) -> PureDP:
        return self.cost() * target.questions

    def gathers(self, target: Target) -> bool:  # noqa: ARG002
        return True

    def phrase(self, target: Target) -> str:  # noqa: ARG002
        return "Laplace noise"

    def draw(self, ask: Ask, past: Past, *, place: int, batch: int) -> "LaplaceShare":  # noqa: ARG002
        self.one_radius(ask, past.target)
        return LaplaceShare(
            rows=self.rows, scale=self.scale, step=self.step, levels=ask.what.levels
        )


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LaplaceShare(Draw):
    """One share or mean with Laplace noise, as planned."""

    kind: ClassVar[str] = "laplace"

    rows: int
    scale: Fraction
    step: Fraction
    levels: int = 1

    @property
    def law(self) -> Laplace:
        return Laplace(rows=self.rows, scale=self.scale, step=self.step, levels=self.levels)

    @property
    def cost(self) -> PureDP:
        return self.law.cost()

    def made_for(self, asked: Demand) -> bool:
        return is_number(asked, levels=self.levels)

    def release(self, exact: Exact[int], *, rng: Entropy) -> Value:
        return (self.law.release(exact, rng=rng),)

    def certificate(
        self,
        promise: Mechanism,
        target: Target,
        *,
        failed: bool = False,  # noqa: ARG002
    ) -> Certificate:
        if replace(self.law, levels=1) != promise:
            raise ValueError("noise where the promise has none")
        # Noise on finer totals has another law than on counts.
        return fixed_point(self.law.certify(target), self.levels)


def best_laplace(rows: int, target: Target) -> Laplace:
    """The mechanism with about the smallest radius, its scale a whole number of grid steps."""
    grid = on_grid(rows, float(best_laplace_scale(rows=rows, target=target)))
    return Laplace(rows=rows, scale=grid.sigma, step=grid.step)


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

    kind: ClassVar[str] = "laplace-vector"

    rows: int
    cells: int
    sensitivity: int
    scale: Fraction
    step: Fraction

    def __post_init__(self) -> None:
        check.positive_integer(rows=self.rows)
        check.drawable(cells=Fraction(check.positive_integer(cells=self.cells)))
        check.drawable(sensitivity=Fraction(check.positive_integer(sensitivity=self.sensitivity)))
        check.drawable(scale=self.scale)
        check.drawable(scale=self.scale * self.rows)
        check.grid(self.step)

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
            "kind": self.kind,
            "cells": str(self.cells),
            "sensitivity": str(self.sensitivity),
            "scale": str(self.scale),
            "step": str(self.step),
        }
