"""The sampled holder: its medians, its seeds, and what it says when it finds nothing."""

from __future__ import annotations

from fractions import Fraction
from math import log, sqrt

import numpy as np
import pytest

from guess.median.naive import consistent, mean
from peekproof.core.errors import InvalidInput
from peekproof.guess.median.constraint import Constraint, NoneConsistent
from peekproof.guess.median.sampled import GRID, SampledHolder
from peekproof.testing.statistics import statistical

FALSE_ALARM = 1e-9


@statistical(false_alarm=FALSE_ALARM)
def test_medians_have_the_rank_of_medians() -> None:
    cells, size, chains = 3, 6, 20_000
    known = [Fraction(0), Fraction(1), Fraction(1, 2)]
    asked = [Fraction(1), Fraction(1, 4), Fraction(0)]
    holder = SampledHolder(cells=cells, size=size, seed=5, chains=chains, sweeps=1)
    holder.keep(Constraint(values=known, low=Fraction(6, 10), high=Fraction(7, 10)))
    assert holder.mixing[0].arrived == chains
    # Dvoretzky, Kiefer, Wolfowitz: all ranks are within `reach` of their shares.
    reach = sqrt(log(2 / FALSE_ALARM) / (2 * chains))

    def ranks(held: list[tuple[int, ...]], median: Fraction) -> tuple[float, float]:
        ranked = [mean(asked, records) for records in held]
        below = sum(value < median for value in ranked) / len(ranked)
        upto = sum(value <= median for value in ranked) / len(ranked)
        return below, upto

    median = holder.median(asked)
    assert isinstance(median, Fraction)
    held = consistent(cells, size, [(known, Fraction(6, 10), Fraction(7, 10))])
    below, upto = ranks(held, median)
    assert below <= 0.5 + reach
    assert upto >= 0.5 - reach
    # The named wrong variant: the median over all data sets, as if nothing had been learned.
    free = SampledHolder(cells=cells, size=size, seed=5, chains=chains).median(asked)
    assert isinstance(free, Fraction)
    assert ranks(held, free)[0] > 0.5 + reach


def play(seed: int) -> list[Fraction | NoneConsistent]:
    holder = SampledHolder(cells=20, size=100, seed=seed, chains=16, sweeps=2)
    rng = np.random.default_rng(0)
    guesses = []
    for answer in (Fraction(6, 10), Fraction(4, 10), Fraction(1, 2)):
        values = rng.random(20)
        guesses.append(holder.median(values))
        holder.keep(Constraint.around(values, answer, within=Fraction(1, 20)))
    return [*guesses, holder.median(rng.random(20))]


def test_a_seed_gives_the_same_guesses_again() -> None:
    assert play(1) == play(1) != play(2)


def test_medians_change_nothing() -> None:
    holder = SampledHolder(cells=5, size=30, seed=1, chains=8)
    assert holder.median([0, 1, 0, 1, 1]) == holder.median([0, 1, 0, 1, 1])


def test_all_chains_satisfy_all_constraints() -> None:
    holder = SampledHolder(cells=50, size=80, seed=3, chains=32, sweeps=16)
    rng = np.random.default_rng(4)
    truth = rng.integers(50, size=400)
    known = list[tuple[np.ndarray[tuple[int, ...], np.dtype[np.float64]], float]]()
    for _ in range(5):
        values = rng.random(50) ** 2
        known.append((values, float(values[truth].mean())))
        holder.keep(Constraint.around(values, Fraction(known[-1][1]), within=Fraction(1, 50)))
        shares = holder.histograms() / 80
        assert (holder.histograms().sum(axis=1) == 80).all()
        for each, answer in known:  # rounding to the grid moves a mean by far less
            assert (np.abs(shares @ each - answer) <= 0.02 + 1 / GRID).all()
    assert len(holder.mixing) == 5
    assert all(0.1 < mixing.accepted < 1 for mixing in holder.mixing)
    assert all(mixing.disagreement < 2 for mixing in holder.mixing)
    assert all(mixing.effective > 32 for mixing in holder.mixing)


def test_an_impossible_constraint_is_reported() -> None:
    none = ([0, 1], Fraction(1, 3), Fraction(1, 3))  # no total fits
    beyond = ([0, 1], Fraction(11, 10), Fraction(2))
    unreached = ([0, 0.5], Fraction(3, 4), Fraction(1))  # only a search can tell
    for values, low, high in (none, beyond, unreached):
        holder = SampledHolder(cells=2, size=4, seed=1, chains=4, search=1)
        holder.keep(Constraint(values=values, low=low, high=high))
        assert not holder.consistent
        assert holder.median([1, 0]) == NoneConsistent(constraints=1)
        assert holder.mixing == ()
        holder.keep(Constraint(values=[0, 1], low=Fraction(0), high=Fraction(1)))
        assert holder.median([1, 0]) == NoneConsistent(constraints=2)


def test_chains_that_do_not_arrive_are_replaced_by_copies_of_those_that_do() -> None:
    # One block of search is too short to fill a cell with 60 records that few start with.
    holder = SampledHolder(cells=40, size=300, seed=2, chains=200, search=1, sweeps=1)
    values = np.zeros(40)
    values[0] = 1
    holder.keep(Constraint(values=values, low=Fraction(16, 300), high=Fraction(1)))
    (mixing,) = holder.mixing

    assert 0 < mixing.arrived < 200
    assert (holder.histograms()[:, 0] >= 16).all()


def test_progress_is_reported_to_the_end() -> None:
    heard = list[tuple[int, int]]()
    holder = SampledHolder(
        cells=3,
        size=300,
        seed=1,
        chains=4,
        sweeps=3,
        progress=lambda done, total: heard.append((done, total)),
    )
    holder.keep(Constraint(values=[0, 1, 0], low=Fraction(0), high=Fraction(1)))

    assert heard == [(256, 900), (512, 900), (768, 900), (900, 900)]


@pytest.mark.parametrize(
    "wrong",
    [
        {"cells": 0},
        {"size": 0},
        {"seed": -1},
        {"seed": True},
        {"seed": 1.5},
        {"chains": 0},
        {"sweeps": 0},
        {"search": 0},
        {"cells": 2**31},
        {"size": 2**28},
    ],
)
def test_absurd_parameters_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(InvalidInput):
        SampledHolder(**{"cells": 3, "size": 5, "seed": 1, **wrong})  # type: ignore[arg-type]


def test_it_describes_itself() -> None:
    holder = SampledHolder(cells=2, size=3, seed=4)
    assert (holder.cells, holder.size) == (2, 3)
    assert holder.describe() == {
        "held": "sampled",
        "cells": "2",
        "size": "3",
        "chains": "256",
        "sweeps": "10",
        "search": "40",
        "seed": "4",
    }
