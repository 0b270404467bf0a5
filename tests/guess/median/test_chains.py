"""The law of the walk, against a list of all data sets; and its diagnostics."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import factorial, inf, isnan, prod

import numpy as np
import pytest

from guess.median.naive import consistent
from guess.median.steppings import compiled, each_stepping, needs_numba
from peekproof.guess.median.constraint import Constraint
from peekproof.guess.median.sampled import (
    Bounds,
    Chains,
    Proposals,
    SampledHolder,
    Stepper,
    Stepping,
    Vectorised,
    disagreement,
    effective_size,
)
from peekproof.testing.statistics import fit_p_value, statistical

FALSE_ALARM = 1e-9
CELLS, SIZE, CHAINS = 3, 5, 20_000
Known = tuple[list[Fraction], Fraction, Fraction]

FIRST: Known = ([Fraction(1), Fraction(0), Fraction(1, 2)], Fraction(1, 2), Fraction(8, 10))
SECOND: Known = ([Fraction(0), Fraction(1), Fraction(0)], Fraction(2, 10), Fraction(5, 10))


def histogram_of(records: Sequence[int]) -> tuple[int, ...]:
    return tuple(list(records).count(cell) for cell in range(CELLS))


EVERY = sorted({histogram_of(records) for records in consistent(CELLS, SIZE, [])})


def law(known: Sequence[Known]) -> list[float]:
    """The share of each histogram among the consistent ordered data sets."""
    held = [histogram_of(records) for records in consistent(CELLS, SIZE, known)]
    return [held.count(histogram) / len(held) for histogram in EVERY]


def p_value(sample: Sequence[int], shares: Sequence[float]) -> float:
    reached = np.cumsum(shares)
    return fit_p_value(sample, lambda index: float(reached[index]) if index >= 0 else 0.0)


def sampled(known: Sequence[Known], stepping: Stepping, *, seed: int) -> list[int]:
    holder = SampledHolder(
        cells=CELLS, size=SIZE, seed=seed, chains=CHAINS, sweeps=1, stepping=stepping
    )
    for values, low, high in known:
        holder.keep(Constraint(values=values, low=low, high=high))
    # Otherwise chains were copied, and are not independent.
    assert all(mixing.arrived == CHAINS for mixing in holder.mixing)
    return [EVERY.index(tuple(row)) for row in holder.histograms().tolist()]


class Careless:
    """The wrong variant: once all are inside, the last of two constraints is ignored."""

    def __init__(self, stepping: Stepping, bounds: Bounds) -> None:
        low, high = bounds.low.copy(), bounds.high.copy()
        if len(low) == 2:
            low[1], high[1] = 0, SIZE * bounds.numerators[1].max()
        self._right = stepping(bounds)
        self._wrong = stepping(Bounds(numerators=bounds.numerators, low=low, high=high))

    def walk(self, chains: Chains, proposals: Proposals) -> int:
        return self._wrong.walk(chains, proposals)

    def approach(self, chains: Chains, proposals: Proposals) -> None:
        self._right.approach(chains, proposals)


def assert_uniform(stepping: Stepping, *, seed: int) -> None:
    """May fail by chance with probability 3·FALSE_ALARM."""
    for more, known in enumerate(([], [FIRST], [FIRST, SECOND])):
        sample = sampled(known, stepping, seed=seed + more)
        right = law(known)
        assert p_value(sample, right) > FALSE_ALARM

        once = [float(share > 0) for share in right]  # every histogram counted once
        assert p_value(sample, [share / sum(once) for share in once]) < FALSE_ALARM


def assert_carelessness_is_caught(stepping: Stepping, *, seed: int) -> None:
    """May fail by chance with probability FALSE_ALARM."""

    def careless(bounds: Bounds) -> Stepper:
        return Careless(stepping, bounds)

    right = law([FIRST, SECOND])
    sample = sampled([FIRST, SECOND], careless, seed=seed)
    assert p_value(sample, law([FIRST])) > FALSE_ALARM
    assert p_value(sample, right) < FALSE_ALARM
    assert p_value(sampled([SECOND], stepping, seed=seed + 1), right) < FALSE_ALARM


@statistical(false_alarm=3 * FALSE_ALARM)
def test_the_vectorised_walk_is_uniform_over_consistent_ordered_data_sets() -> None:
    assert_uniform(Vectorised, seed=0)


@needs_numba
@statistical(false_alarm=3 * FALSE_ALARM)
def test_the_compiled_walk_is_uniform_over_consistent_ordered_data_sets() -> None:
    assert_uniform(compiled, seed=20)


@statistical(false_alarm=FALSE_ALARM)
def test_a_vectorised_walk_that_ignores_a_constraint_is_caught() -> None:
    assert_carelessness_is_caught(Vectorised, seed=7)


@needs_numba
@statistical(false_alarm=FALSE_ALARM)
def test_a_compiled_walk_that_ignores_a_constraint_is_caught() -> None:
    assert_carelessness_is_caught(compiled, seed=30)


def everything(
    size: int, *, numerators: list[list[int]], low: list[int], high: list[int]
) -> Chains:
    """All data sets over three cells, one in each column."""
    records = np.array(consistent(3, size, []), dtype=np.int32).T.copy()
    bounds = Bounds(numerators=np.array(numerators), low=np.array(low), high=np.array(high))
    return Chains(records=records, totals=bounds.totals(records), cells=3)


@each_stepping
def test_nothing_leaves_and_totals_are_kept_in_step(stepping: Stepping) -> None:
    bounds = Bounds(
        numerators=np.array([[0, 1, 2], [3, 0, 1]]), low=np.array([2, 3]), high=np.array([6, 9])
    )
    chains = everything(4, numerators=[[0, 1, 2], [3, 0, 1]], low=[2, 3], high=[6, 9])
    inside = bounds.inside(chains.totals)
    chains = Chains(records=chains.records[:, inside], totals=chains.totals[:, inside], cells=3)
    blocks = list[int]()
    share = chains.walk(
        stepping(bounds),
        steps=600,
        rng=np.random.default_rng(1),
        each=lambda: blocks.append(1),
    )

    assert len(blocks) == 3
    assert 0.2 < share < 1
    assert bounds.inside(chains.totals).all()
    assert (bounds.totals(chains.records) == chains.totals).all()


@each_stepping
def test_those_outside_come_in_and_never_turn_away(stepping: Stepping) -> None:
    bounds = Bounds(
        numerators=np.array([[0, 1, 2], [3, 0, 1]]), low=np.array([6, 3]), high=np.array([7, 4])
    )
    chains = everything(4, numerators=[[0, 1, 2], [3, 0, 1]], low=[6, 3], high=[7, 4])
    before = bounds.excess(chains.totals)
    rng, stepper = np.random.default_rng(2), stepping(bounds)
    for _ in range(40):
        chains.approach(stepper, steps=5, rng=rng)
        now = bounds.excess(chains.totals)
        assert (now <= before).all()
        before = now
    assert bounds.inside(chains.totals).all()
    assert (bounds.totals(chains.records) == chains.totals).all()


def test_excess_is_zero_inside_and_counts_records_outside() -> None:
    bounds = Bounds(
        numerators=np.array([[0, 4], [1, 0]]), low=np.array([4, 0]), high=np.array([8, 1])
    )
    totals = np.array([[0, 4, 8, 12], [4, 1, 0, 1]])

    assert bounds.excess(totals).tolist() == [1 + 3, 0, 0, 1]
    assert bounds.inside(totals).tolist() == [False, True, True, False]


def test_disagreement_is_the_textbook_ratio() -> None:
    seen = np.array([[1, 5, 2], [3, 6, 2], [2, 9, 5], [1, 7, 4]])
    within = np.mean([np.var(column, ddof=1) for column in seen.T])
    between = 4 * np.var(seen.mean(axis=0), ddof=1)
    expected = np.sqrt((3 / 4 * within + between / 4) / within)

    assert disagreement(list(seen)) == pytest.approx(expected, rel=1e-12)
    assert disagreement([np.array([1, 1]), np.array([1, 1])]) == 1
    assert disagreement([np.array([1, 2]), np.array([1, 2])]) == inf
    assert isnan(disagreement([np.array([1, 2])]))
    assert isnan(disagreement([np.array([1]), np.array([2])]))


def test_effective_size_compares_the_spread_of_means_with_that_of_draws() -> None:
    seen = np.array([[1, 5, 2], [3, 6, 2], [2, 9, 5], [1, 7, 4]])
    within = np.mean([np.var(column, ddof=1) for column in seen.T])
    between = np.var([np.mean(column) for column in seen.T], ddof=1)
    expected = 3 * (3 / 4 * within + between) / between

    assert effective_size(list(seen)) == pytest.approx(expected, rel=1e-12)
    assert effective_size([np.array([1, 2, 3])] * 5) == pytest.approx(3)  # none moves
    assert effective_size([np.array([1, 2]), np.array([2, 1])]) == 4  # never more than were seen
    assert effective_size([np.array([1, 1]), np.array([1, 1])]) == 4
    assert isnan(effective_size([np.array([1, 2])]))
    assert isnan(effective_size([np.array([1]), np.array([2])]))


def test_snapshots_of_a_walk_that_stands_still_add_nothing() -> None:
    seen = [np.array(row) for row in ([1, 5, 2], [3, 6, 2], [2, 9, 5], [1, 7, 4])]
    slow = [row for row in seen for _ in range(7)]

    assert effective_size(slow) == pytest.approx(effective_size(seen), rel=1e-12)
    assert effective_size(seen) < 3 * 4


def test_the_naive_law_has_multinomial_weights() -> None:
    """The oracle itself, without constraints."""
    shares = [
        factorial(SIZE) / prod(map(factorial, histogram)) / CELLS**SIZE for histogram in EVERY
    ]
    assert law([]) == pytest.approx(shares, rel=1e-12)
