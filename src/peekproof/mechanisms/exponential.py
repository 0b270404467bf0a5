"""The exponential mechanism and its kin: choosing one of many candidates by integer scores.

Quantiles from a public grid, report-noisy-max, and permute-and-flip, which is never worse than the
exponential mechanism at the same price.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import ClassVar, final

from peekproof.core import check
from peekproof.core.charge import PureDP
from peekproof.core.numerics import up
from peekproof.core.secret import Exact
from peekproof.mechanisms.protocol import opened
from peekproof.noise.entropy import Entropy, Pool
from peekproof.noise.exponential import highest, lazy_exponential, lazy_laplace
from peekproof.noise.weighted import weighted_choice
from peekproof.theory.selection import (
    exponential_loss,
    exponential_shortfall,
    flip_loss,
    flip_shortfall,
    noisy_max_loss,
    noisy_max_shortfall,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choosing:
    """How many candidates there are, how private the choice is, and how far a record moves a score.

    Public: all fields.
    """

    kind: ClassVar[str]

    candidates: int
    epsilon: Fraction
    sensitivity: int = 1

    def __post_init__(self) -> None:
        check.positive_integer(candidates=self.candidates)
        check.positive_fraction(epsilon=self.epsilon)
        check.positive_integer(sensitivity=self.sensitivity)

    @property
    def scale(self) -> Fraction:
        """b = 2Δ/ε, in the units of the scores."""
        return 2 * self.sensitivity / self.epsilon

    def cost(self) -> PureDP:
        return PureDP(self.epsilon)

    def describe(self) -> dict[str, str]:
        """What the ledger records, enough to rebuild the mechanism."""
        return {
            "kind": self.kind,
            "candidates": str(self.candidates),
            "epsilon": str(self.epsilon),
            "sensitivity": str(self.sensitivity),
        }


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Exponential(Choosing):
    """The index y of a candidate, with probability proportional to e^{ε·score_y/(2Δ)}.

    Guarantees: `cost()` for every tuple of scores of which each moves by at most Δ = `sensitivity`
    when one record is replaced. They may move in opposite directions.
    Proof: the numerator changes by at most a factor e^{ε/2}, and so does each term of the sum that
    it is divided by.
    Public: all fields.  Secret: the scores given to `release`.
    """

    kind: ClassVar[str] = "exponential"

    def release(self, exact: Exact[tuple[int, ...]], *, rng: Entropy) -> int:
        scores = opened(exact, numbers=self.candidates)
        return weighted_choice(scores, unit=1 / self.scale, rng=Pool(rng))

    def radius(self, *, beta: Fraction) -> float:
        """How far the chosen score lies below the best, except with probability β (T-exp)."""
        return exponential_loss(candidates=self.candidates, scale=self.scale, beta=beta)

    def shortfall(self, *, beta: Fraction) -> float:
        """The mean of that distance over any event of probability β or more (T-exp-shortfall)."""
        return exponential_shortfall(candidates=self.candidates, scale=self.scale, beta=beta)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Quantile:
    """The index of a cell near which a share `level` of the rows has been passed.

    Guarantees: `cost()` if every row lies in one of the `cells`.
    Proof: cell y has score −max(0, N(before y) − n·level, n·level − N(up to y)), times the
    denominator of the level to make it an integer. Replacing a record moves each N by at most 1,
    so each score by at most that denominator; the rest is the exponential mechanism.
    Public: all fields.  Secret: the numbers of rows in the cells given to `release`.
    """

    kind: ClassVar[str] = "quantile"

    rows: int
    cells: int
    level: Fraction
    epsilon: Fraction

    def __post_init__(self) -> None:
        check.positive_integer(rows=self.rows)
        check.probability(level=self.level)
        self._choice()

    def _choice(self) -> Exponential:
        return Exponential(
            candidates=self.cells, epsilon=self.epsilon, sensitivity=self.level.denominator
        )

    def cost(self) -> PureDP:
        return self._choice().cost()

    def release(self, counts: Exact[tuple[int, ...]], *, rng: Entropy) -> int:
        return self._choice().release(
            Exact(self._scores(opened(counts, numbers=self.cells))), rng=rng
        )

    def _scores(self, counts: tuple[int, ...]) -> tuple[int, ...]:
        unit, sought = self.level.denominator, self.rows * self.level.numerator
        upto = [unit * total for total in accumulate(counts)]
        before = [0, *upto[:-1]]
        return tuple(
            -max(0, low - sought, sought - high) for low, high in zip(before, upto, strict=True)
        )

    def radius(self, *, beta: Fraction) -> float:
        """How many rows lie between the chosen and a true quantile, except with probability β."""
        return up(self._choice().radius(beta=beta) / self.level.denominator)

    def describe(self) -> dict[str, str]:
        """What the ledger records, enough to rebuild the mechanism."""
        return {
            "kind": self.kind,
            "cells": str(self.cells),
            "level": str(self.level),
            "epsilon": str(self.epsilon),
        }


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class NoisyMax(Choosing):
    """The index of the largest score_y + b·L_y, with Laplace noise L_y of scale 1 and b = 2Δ/ε.

    Guarantees: `cost()` for every tuple of scores of which each moves by at most Δ = `sensitivity`
    when one record is replaced. They may move in opposite directions.
    Proof: given the noise of the others, of which the largest reaches m, y is chosen with
    probability G((m − score_y)/b), G(z) = Pr[L > z]. Replacing a record moves m and score_y by at
    most Δ each, so z by at most 2Δ/b = ε, and ln G by no more than z: its slope is −1 for z > 0,
    and −e^z/(2 − e^z), between −1 and 0, for z < 0. Average over the noise of the others.
    Public: all fields.  Secret: the scores given to `release`.
    """

    kind: ClassVar[str] = "noisy-max"

    def release(self, exact: Exact[tuple[int, ...]], *, rng: Entropy) -> int:
        pool = Pool(rng)
        noises = [lazy_laplace(rng=pool) for _ in range(self.candidates)]
        scores = opened(exact, numbers=self.candidates)
        return highest(scores, noises, scale=self.scale)

    def radius(self, *, beta: Fraction) -> float:
        """How far the chosen score lies below the best, except with probability β (T-noisy-max)."""
        return noisy_max_loss(candidates=self.candidates, scale=self.scale, beta=beta)

    def shortfall(self, *, beta: Fraction) -> float:
        """The mean of that over any event of probability β or more (T-noisy-max-shortfall)."""
        return noisy_max_shortfall(candidates=self.candidates, scale=self.scale, beta=beta)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PermuteAndFlip(Choosing):
    """The index of the largest score_y + b·E_y, with exponential noise E_y and b = 2Δ/ε.

    That is the law of McKenna and Sheldon (NeurIPS 2020), who go through the candidates in random
    order and stop at the first y whose coin of probability p_y = e^{−(best − score_y)/b} shows
    heads. For let A hold all y with score_y + b·E_y > best: independently of one another they do
    so with probability p_y, a best candidate surely, and then by how much is again exponential of
    scale b, the same for all, so the largest is uniform in A. With A the heads of all coins,
    thrown in advance, the first of A in a random order is uniform in A, too.

    Guarantees: `cost()` for every tuple of scores of which each moves by at most Δ = `sensitivity`
    when one record is replaced. They may move in opposite directions.
    Proof: given the noise of the others, of which the largest reaches m, y is chosen with
    probability e^{−max(0, m − score_y)/b}. Replacing a record moves m and score_y by at most Δ
    each, so the exponent by at most 2Δ/b = ε. Average over the noise of the others.
    Public: all fields.  Secret: the scores given to `release`.
    """

    kind: ClassVar[str] = "permute-and-flip"

    def release(self, exact: Exact[tuple[int, ...]], *, rng: Entropy) -> int:
        pool = Pool(rng)
        noises = [lazy_exponential(rng=pool) for _ in range(self.candidates)]
        scores = opened(exact, numbers=self.candidates)
        return highest(scores, noises, scale=self.scale)

    def radius(self, *, beta: Fraction) -> float:
        """How far the chosen score lies below the best, except with probability β (T-flip)."""
        return flip_loss(candidates=self.candidates, scale=self.scale, beta=beta)

    def shortfall(self, *, beta: Fraction) -> float:
        """The mean of that distance over any event of probability β or more (T-flip-shortfall)."""
        return flip_shortfall(candidates=self.candidates, scale=self.scale, beta=beta)
