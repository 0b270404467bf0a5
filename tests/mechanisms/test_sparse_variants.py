"""Sparse vector variants that are not private, caught by exact sums, next to those that are.

The first three are among those that Lyu, Su and Li (2017) found in the literature. The claim is
always ε = 1, for counts that move by 1, unless a test says otherwise.
"""

from __future__ import annotations

from fractions import Fraction
from math import exp, fsum, inf, log

import pytest

from mechanisms.discrete_laws import (
    at_least,
    first_above_law,
    largest_loss,
    mass,
    pattern_chance,
)
from peekproof.mechanisms.sparse import AboveThreshold


def test_comparing_without_noise_is_caught() -> None:
    """Noise on the threshold alone: two counts that change places make a transcript impossible."""

    def law(counts: tuple[int, int], query_scale: float) -> list[float]:
        return first_above_law(counts, threshold=0, threshold_scale=2.0, query_scale=query_scale)

    assert largest_loss(law((0, 1), 0.0), law((1, 0), 0.0)) == inf
    assert largest_loss(law((0, 1), 4.0), law((1, 0), 4.0)) <= 1


def test_going_on_after_an_above_with_the_noise_of_one_is_caught() -> None:
    """k belows and k aboves, with neighbours in which every count moves against its verdict."""

    def loss(k: int) -> float:
        one, other = (
            pattern_chance(
                [far] * k + [-far] * k,
                (False,) * k + (True,) * k,
                threshold=0,
                threshold_scale=2.0,
                query_scale=4.0,
            )
            for far in (1, 2)
        )
        return log(one / other)

    assert loss(1) <= 1  # as long as it stops at the first, nothing is wrong
    assert loss(4) > 1
    assert loss(16) > 4  # there is no end to it


@pytest.mark.parametrize("belows", [1, 10, 40])
def test_releasing_the_count_that_was_compared_is_caught(belows: int) -> None:
    """`belows` belows and then the noisy count v, which tells that the noisy threshold is ≤ v."""

    def chance(count: int, value: int) -> float:
        return fsum(
            mass(v, 2.0) * at_least(count + 1 - v, 4.0) ** belows * mass(value, 4.0)
            for v in range(-200, value + 1)
        )

    loss = log(chance(0, 0) / chance(1, 0))
    # The last count does not even move: all is told by the belows, at 1/4 or so each.
    assert loss > 1 if belows >= 10 else loss <= 1
    if belows == 40:
        assert loss > 4


@pytest.mark.parametrize("moved", [2, 3])
def test_counts_that_move_further_need_more_noise(moved: int) -> None:
    mechanism = AboveThreshold(threshold=0, epsilon=Fraction(2), questions=9, sensitivity=moved)

    def loss(threshold_scale: float, query_scale: float) -> float:
        near, far = (
            first_above_law(
                [away] * 8 + [-away],
                threshold=0,
                threshold_scale=threshold_scale,
                query_scale=query_scale,
            )
            for away in (moved, 2 * moved)
        )
        return largest_loss(near, far)

    assert mechanism.cost().epsilon == 2
    assert 1.5 < loss(float(mechanism.threshold_scale), float(mechanism.query_scale)) <= 2
    assert loss(1.0, 2.0) > 2  # the noise for counts that move by 1


def test_the_tail_of_the_laws_is_written_down_right() -> None:
    p = exp(-1 / 3)
    assert at_least(2, 3.0) == pytest.approx(fsum(mass(z, 3.0) for z in range(2, 400)), rel=1e-9)
    assert at_least(-2, 3.0) == pytest.approx(fsum(mass(z, 3.0) for z in range(-2, 400)), rel=1e-9)
    assert mass(1, 3.0) / mass(0, 3.0) == pytest.approx(p, rel=1e-12)
