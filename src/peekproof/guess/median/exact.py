"""All consistent data sets, one by one: exact medians for small domains and few records."""

from fractions import Fraction
from math import comb, factorial, inf, log2
from typing import final

import numpy as np
import numpy.typing as npt

from peekproof.core import check
from peekproof.core.errors import InvalidInput
from peekproof.guess.median.constraint import (
    ROOM,
    Constraint,
    Integers,
    Levels,
    NoneConsistent,
    Values,
    levels,
)

# Together some hundred megabytes: histograms, the bits of all their weights, and of factorials.
MOST_HISTOGRAMS = 2_000_000
MOST_BITS = 2**32
MOST_RECORDS = 10_000


def _too_many(*, cells: int, size: int) -> bool:
    small = min(cells - 1, size)  # of the two ways to write the binomial, the one that is quick
    if small > 60 or size > MOST_RECORDS:
        return True
    count = comb(cells - 1 + size, small)
    return count > MOST_HISTOGRAMS or count * size * cells.bit_length() > MOST_BITS


def histograms(*, cells: int, size: int) -> npt.NDArray[np.int64]:
    """Every way to put `size` records into `cells` cells, one in each row, in lexical order."""
    left = np.array([size], dtype=np.int64)
    rows = np.zeros((1, 0), dtype=np.int64)
    for _ in range(cells - 1):
        choices = left + 1
        starts = np.cumsum(choices) - choices
        count = np.arange(int(choices.sum())) - np.repeat(starts, choices)
        rows = np.column_stack([np.repeat(rows, choices, axis=0), count])
        left = np.repeat(left, choices) - count
    return np.column_stack([rows, left])


def orderings(rows: npt.NDArray[np.int64], *, size: int) -> Integers:
    """size!/Π h! for every row h: how many ordered data sets have that histogram."""
    factorials = np.array([factorial(count) for count in range(size + 1)], dtype=np.object_)
    divisors = np.ones(len(rows), dtype=np.object_)
    for column in rows.T:
        divisors = divisors * factorials[column]
    weights: npt.NDArray[np.object_] = factorials[size] // divisors
    return weights.astype(np.int64) if rows.shape[1] ** size <= ROOM else weights


@final
class ExactHolder:
    """Every consistent histogram with the exact number of its orderings."""

    def __init__(self, *, cells: int, size: int) -> None:
        check.positive_integer(cells=cells)
        check.positive_integer(size=size)
        if _too_many(cells=cells, size=size):
            raise InvalidInput(
                argument="size",
                accepted=f"small enough for at most {MOST_HISTOGRAMS:,} histograms",
                given=f"{size} records over {cells} cells",
                hint="hold them by SampledHolder or LimitHolder",
            )
        self._cells, self._size, self._constraints = cells, size, 0
        self._rows = histograms(cells=cells, size=size)
        self._weights = orderings(self._rows, size=size)

    @property
    def cells(self) -> int:
        return self._cells

    @property
    def size(self) -> int:
        return self._size

    @property
    def consistent(self) -> bool:
        """Whether any data set is left."""
        return len(self._rows) > 0

    def count(self) -> int:
        """How many ordered data sets are left."""
        return int(self._weights.sum()) if self.consistent else 0

    def log2_count(self) -> float:
        """log₂ of the number of ordered data sets left, to a few ulps; −∞ if none is."""
        return log2(self.count()) if self.consistent else -inf

    def _totals(self, question: Levels) -> Integers:
        if question.totals_fit(self._size):
            return self._rows @ question.numerators.astype(np.int64)
        totals: Integers = self._rows.astype(np.object_) @ question.numerators.astype(np.object_)
        return totals

    def median(self, values: Values) -> Fraction | NoneConsistent:
        """The lower median: the least v such that at least half of what is held has q ≤ v."""
        question = levels(values, cells=self._cells)
        if not self.consistent:
            return NoneConsistent(constraints=self._constraints)
        totals = self._totals(question)
        order = np.argsort(totals, kind="stable")
        reached = np.cumsum(self._weights[order])
        half = (int(reached[-1]) + 1) // 2
        middle = int(np.searchsorted(reached, half))
        return Fraction(int(totals[order[middle]]), question.denominator * self._size)

    def keep(self, constraint: Constraint) -> None:
        question = levels(constraint.values, cells=self._cells)
        low, high = constraint.window(
            denominator=question.denominator, size=self._size, spare=Fraction(0)
        )
        totals = self._totals(question)
        kept = ((totals >= low) & (totals <= high)).astype(np.bool_)
        self._rows, self._weights = self._rows[kept], self._weights[kept]
        self._constraints += 1

    def describe(self) -> dict[str, str]:
        return {"held": "exact", "cells": str(self._cells), "size": str(self._size)}
