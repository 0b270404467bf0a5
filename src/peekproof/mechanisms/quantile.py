"""A quantile, chosen from a public grid by the exponential mechanism."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate
from typing import ClassVar, final

from peekproof.core import check
from peekproof.core.charge import PureDP
from peekproof.core.numerics import up
from peekproof.core.secret import Exact
from peekproof.mechanisms.exponential import Exponential
from peekproof.mechanisms.opened import opened
from peekproof.noise.entropy import Entropy


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

    KIND: ClassVar[str] = "quantile"

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
            "kind": self.KIND,
            "cells": str(self.cells),
            "level": str(self.level),
            "epsilon": str(self.epsilon),
        }
