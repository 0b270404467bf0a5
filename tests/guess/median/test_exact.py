"""The exact holder against a list of all ordered data sets."""

from __future__ import annotations

from fractions import Fraction
from math import comb, inf, log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from guess.median.naive import consistent, lower_median, mean
from peekproof.core.errors import InvalidInput
from peekproof.guess.median.constraint import ROOM, Constraint, NoneConsistent
from peekproof.guess.median.exact import ExactHolder, histograms, orderings

HALF = Fraction(1, 2)
units = st.integers(0, 12).map(lambda twelfths: Fraction(twelfths, 12))
vectors = st.tuples(units, units, units).map(list)


@given(
    size=st.integers(1, 4),
    known=st.lists(st.tuples(vectors, units, units), max_size=3),
    asked=vectors,
)
def test_medians_and_counts_are_those_of_all_ordered_data_sets(
    size: int, known: list[tuple[list[Fraction], Fraction, Fraction]], asked: list[Fraction]
) -> None:
    holder = ExactHolder(cells=3, size=size)
    for values, answer, within in known:
        holder.keep(Constraint.around(values, answer, within=within))
    ranges = [(values, answer - within, answer + within) for values, answer, within in known]
    held = consistent(3, size, ranges)

    assert holder.count() == len(held)
    assert holder.consistent == bool(held)
    assert holder.log2_count() == (log2(len(held)) if held else -inf)
    expected = lower_median(asked, held) if held else NoneConsistent(constraints=len(known))
    assert holder.median(asked) == expected


def test_weights_matter() -> None:
    """The named wrong variant: every histogram counted once."""
    rows = histograms(cells=5, size=20)
    unweighted = sorted(int(row[0]) for row in rows)[(len(rows) - 1) // 2]

    # The first cell's count is binomial with mean 4, which is then its median too.
    assert ExactHolder(cells=5, size=20).median([1, 0, 0, 0, 0]) == Fraction(4, 20)
    assert unweighted == 3


@pytest.mark.parametrize(("cells", "size"), [(1, 5), (2, 1), (2, 70), (4, 9), (7, 4), (3, 50)])
def test_every_histogram_is_there_once_with_its_orderings(cells: int, size: int) -> None:
    rows = histograms(cells=cells, size=size)
    weights = orderings(rows, size=size)

    assert len(rows) == len(np.unique(rows, axis=0)) == comb(cells - 1 + size, size)
    assert (rows.sum(axis=1) == size).all()
    assert sum(int(weight) for weight in weights.tolist()) == cells**size
    assert (weights.dtype == np.int64) == (cells**size <= ROOM)


@given(
    answer=units,
    asked=st.tuples(*[st.floats(0, 1)] * 3),
)
def test_values_beyond_64_bits_are_as_exact(answer: Fraction, asked: tuple[float, ...]) -> None:
    values = [Fraction(value) for value in asked]
    holder = ExactHolder(cells=3, size=4)
    held = consistent(3, 4, [(values, answer - Fraction(1, 4), answer + Fraction(1, 4))])
    holder.keep(Constraint.around(asked, answer, within=Fraction(1, 4)))

    assert holder.count() == len(held)
    if held:
        assert holder.median(asked) == lower_median(values, held)


@given(
    truth=st.tuples(*[st.integers(0, 2)] * 6),
    asked=st.lists(vectors, min_size=1, max_size=4),
    tolerance=st.integers(4, 20).map(lambda parts: Fraction(parts, 40)),
    shift=st.integers(-10, 10).map(lambda tenths: Fraction(tenths, 10)),
)
def test_every_failure_removes_half(
    truth: tuple[int, ...], asked: list[list[Fraction]], tolerance: Fraction, shift: Fraction
) -> None:
    holder = ExactHolder(cells=3, size=8)
    for values in asked:
        guess, exact = holder.median(values), mean(values, truth)
        answer = exact + shift * tolerance / 4
        if isinstance(guess, NoneConsistent) or abs(guess - exact) <= tolerance:
            continue
        before = holder.count()
        holder.keep(Constraint.around(values, answer, within=tolerance / 2))
        assert 2 * holder.count() <= before


def test_a_guess_that_is_not_the_median_need_not_halve() -> None:
    """The named wrong variant: the mean over what is held."""
    values, tolerance = [Fraction(1), Fraction(1), Fraction(0)], Fraction(3, 10)
    holder = ExactHolder(cells=3, size=1)
    before, average, truth = holder.count(), Fraction(2, 3), Fraction(1)
    assert abs(average - truth) > tolerance  # so it fails, and the answer is the truth
    holder.keep(Constraint.around(values, truth, within=tolerance / 2))

    assert 2 * holder.count() > before


def test_an_emptied_holder_says_so_and_stays_empty() -> None:
    holder = ExactHolder(cells=2, size=3)
    holder.keep(Constraint(values=[0, 1], low=HALF, high=HALF))

    assert not holder.consistent
    assert holder.count() == 0
    assert holder.log2_count() == -inf
    assert holder.median([0, 1]) == NoneConsistent(constraints=1)
    holder.keep(Constraint(values=[0, 1], low=Fraction(0), high=Fraction(1)))
    assert holder.median([0, 1]) == NoneConsistent(constraints=2)


@pytest.mark.parametrize(
    ("cells", "size"),
    [
        (0, 5),
        (5, 0),
        (True, 5),
        (-1, 5),
        (3, 10**6),
        (10**9, 10**9),
        (100, 100),
        (10**30, 2),
        (2, 10_001),
        (3, 1995),
    ],
)
def test_absurd_sizes_are_refused(cells: int, size: int) -> None:
    with pytest.raises(InvalidInput):
        ExactHolder(cells=cells, size=size)


def test_it_describes_itself() -> None:
    holder = ExactHolder(cells=2, size=3)
    assert holder.describe() == {"held": "exact", "cells": "2", "size": "3"}
    assert (holder.cells, holder.size) == (2, 3)


@pytest.mark.parametrize(("size", "median"), [(1, Fraction(0)), (3, Fraction(1, 3)), (2, HALF)])
def test_of_two_middle_values_the_lower_is_taken(size: int, median: Fraction) -> None:
    assert ExactHolder(cells=2, size=size).median([0, 1]) == median
