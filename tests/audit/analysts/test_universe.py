from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.audit.analysts.populations import (
    check_size,
    draw_numbers,
    is_one_of,
    overdrawn,
    overstated,
    share_of,
)
from peekproof.core.errors import InvalidInput


@given(rows=st.integers(1, 300), size=st.integers(2, 300))
def test_what_is_overstated_is_the_expectation_in_exact_arithmetic(rows: int, size: int) -> None:
    chance = Fraction(1, size)
    law = [comb(rows, w) * chance**w * (1 - chance) ** (rows - w) for w in range(rows + 1)]
    exact = sum(law[w] * (w - rows * chance) for w in range(rows // size + 1, rows + 1))

    found = overstated(rows=rows, size=size)
    assert found == pytest.approx(float(exact * size / rows), rel=1e-9)
    if rows < size:  # all that was drawn
        assert found == pytest.approx((1 - 1 / size) ** rows, rel=1e-9)


def test_a_list_is_asked_for_by_its_numbers() -> None:
    assert is_one_of([3, 10]) == "i in (3, 10)"
    assert share_of([3, 10], size=8) == Fraction(1, 4)


@pytest.mark.parametrize(
    ("counts", "found"),
    [([0.0, 0.99, 2.1, 0.3], [1, 2]), ([0.1, 0.3, 0.2], [1]), ([0.6, 0.5, 0.5, 0.7], [0, 3])],
)
def test_the_overdrawn_are_above_their_share_or_else_the_likeliest(
    counts: list[float], found: list[int]
) -> None:
    assert overdrawn(np.array(counts), rows=len(counts) // 2) == found


@given(st.lists(st.integers(0, 3), min_size=2, max_size=8))
def test_no_list_is_overstated_by_more_than_the_overdrawn(counts: list[int]) -> None:
    rows, size = sum(counts), len(counts)
    excess = [Fraction(count, max(1, rows)) - Fraction(1, size) for count in counts]
    best = max(sum(each) for r in range(1, size + 1) for each in combinations(excess, r))

    found = overdrawn(np.array(counts, dtype=float), rows=rows)
    assert sum(excess[number] for number in found) == best


@pytest.mark.parametrize(("rows", "size"), [(0, 5), (5, 1), (1, 0)])
def test_a_list_has_at_least_two_places(rows: int, size: int) -> None:
    with pytest.raises(InvalidInput):
        check_size(rows=rows, size=size)


def test_all_numbers_below_the_size_are_drawn_and_no_others() -> None:
    drawn = draw_numbers(7, rows=1000, rng=np.random.default_rng(1))

    assert set(drawn.tolist()) == set(range(7))
