"""Consistent data sets drawn by Markov chains, for domains too large to list them all."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np

from peekproof.core import check
from peekproof.core.errors import InvalidInput
from peekproof.guess.median.chains import (
    BLOCK,
    Bounds,
    Chains,
    Longs,
    Stepper,
    Stepping,
    disagreement,
    effective_size,
)
from peekproof.guess.median.constraint import Constraint, Levels, Values, check_cells, levels
from peekproof.guess.median.holder import NoneConsistent
from peekproof.guess.median.stepping import fastest

# Values that 64-bit totals do not hold exactly are rounded to this grid.
GRID = 2**30
# Records of all chains together: a gigabyte.
MOST_RECORDS = 2**28


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Mixing:
    """How a walk after a constraint went.

    `arrived` chains satisfied all constraints after the search, the others were replaced by copies
    of some that did. `accepted` is the share of proposals that the walk took, `disagreement` the
    largest R̂ over the constraints' questions: well above 1, more sweeps would help. `effective` is
    how many independent data sets the later half of the walk is worth, for the worst of these
    questions: about the number of chains if none moved far from where it was.
    """

    arrived: int
    accepted: float
    disagreement: float
    effective: float


def _silent(done: int, total: int) -> None:
    """No report of progress."""


def _check_seed(seed: object) -> None:
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise InvalidInput(argument="seed", accepted="an integer of at least 0", given=repr(seed))


@final
class SampledHolder:
    """Ordered data sets in a random walk over those that satisfy every constraint.

    At first they are independent and uniform over all data sets: no walk is needed. A data set
    that a new constraint drops walks towards it; then all walk for `sweeps` proposals a record.
    In the limit each is uniform over the consistent data sets that its walk can reach.

    What it can reach: two data sets that satisfy all J constraints with 2J/n′ to spare. Going
    from one to the other by changing one record after another, each step moves each total by at
    most 1 record, and by Steinitz' lemma the steps have an order in which no total leaves the
    straight way by more than 2J. Data sets nearer to the edge can be cut off, and constraints
    tighter than that can cut the set into pieces; nor is it known how long mixing takes. Chains
    that start in many places and `disagreement` are the checks. Guesses never touch the records,
    so a walk that mixes badly costs failed guesses and never validity.

    The same seed, questions and answers give the same guesses, whichever way `stepping` goes about
    it: by default the fastest that is installed. `progress` hears of proposals done and to do.
    """

    def __init__(
        self,
        *,
        cells: int,
        size: int,
        seed: int,
        chains: int = 256,
        sweeps: int = 10,
        search: int = 40,
        progress: Callable[[int, int], None] = _silent,
        stepping: Stepping | None = None,
    ) -> None:
        check_cells(cells)
        check.positive_integer(size=size)
        check.positive_integer(sweeps=sweeps)
        check.positive_integer(chains=chains)
        check.positive_integer(search=search)
        _check_seed(seed)
        if size * chains > MOST_RECORDS:
            raise InvalidInput(
                argument="size",
                accepted=f"at most {MOST_RECORDS:,} records in all chains",
                given=f"{size} records in {chains} chains",
                hint="hold them by LimitHolder",
            )
        self._cells, self._size, self._seed = cells, size, seed
        self._sweeps, self._search, self._progress = sweeps, search, progress
        self._stepping = fastest() if stepping is None else stepping
        self._rng = np.random.default_rng(seed)
        self._bounds = Bounds(
            numerators=np.zeros((0, cells), dtype=np.int64),
            low=np.zeros(0, dtype=np.int64),
            high=np.zeros(0, dtype=np.int64),
        )
        self._chains = Chains(
            records=self._rng.integers(cells, size=(size, chains), dtype=np.int32),
            totals=np.zeros((0, chains), dtype=np.int64),
            cells=cells,
        )
        self._consistent, self._mixing = True, list[Mixing]()

    @property
    def cells(self) -> int:
        return self._cells

    @property
    def size(self) -> int:
        return self._size

    @property
    def consistent(self) -> bool:
        """Whether a data set that satisfies all constraints is known."""
        return self._consistent

    @property
    def mixing(self) -> tuple[Mixing, ...]:
        """The walks so far, one for each constraint that some chain met."""
        return tuple(self._mixing)

    def histograms(self) -> Longs:
        """How many records of each chain are in each cell, one chain in each row."""
        count = self._chains.records.shape[1]
        flat = self._chains.records + np.arange(count) * self._cells
        found = np.bincount(flat.ravel(), minlength=count * self._cells)
        return found.astype(np.int64).reshape(count, self._cells)

    def _coarse(self, question: Levels) -> tuple[Longs, int, Fraction]:
        """Numerators, denominator, and how far a numerator is off at most."""
        if question.totals_fit(self._size):
            return question.numerators.astype(np.int64), question.denominator, Fraction(0)
        return question.on_grid(GRID), GRID, Fraction(1, 2)

    def median(self, values: Values) -> Fraction | NoneConsistent:
        """The lower median over the chains."""
        numerators, denominator, _ = self._coarse(levels(values, cells=self._cells))
        if not self._consistent:
            return NoneConsistent(constraints=len(self._bounds.low))
        totals = np.sort(numerators[self._chains.records].sum(axis=0))
        return Fraction(int(totals[(len(totals) - 1) // 2]), denominator * self._size)

    def keep(self, constraint: Constraint) -> None:
        numerators, denominator, spare = self._coarse(levels(constraint.values, cells=self._cells))
        low, high = constraint.window(denominator=denominator, size=self._size, spare=spare)
        old, chains = self._bounds, self._chains
        self._bounds = bounds = Bounds(
            numerators=np.vstack([old.numerators, numerators]),
            low=np.append(old.low, low),
            high=np.append(old.high, high),
        )
        # Steps keep the totals of earlier constraints up to date.
        chains.totals = np.vstack([chains.totals, numerators[chains.records].sum(axis=0)])
        if low > high:
            self._consistent = False
        if not self._consistent:
            return
        stepper = self._stepping(bounds)
        self._arrive(stepper)
        arrived = np.flatnonzero(bounds.inside(chains.totals))
        self._consistent = len(arrived) > 0
        if not self._consistent:
            return
        lost = np.flatnonzero(~bounds.inside(chains.totals))
        copied = self._rng.choice(arrived, size=len(lost))
        chains.records[:, lost] = chains.records[:, copied]
        chains.totals[:, lost] = chains.totals[:, copied]
        self._mixing.append(self._mix(stepper, arrived=len(arrived)))

    def _arrive(self, stepper: Stepper) -> None:
        """Walk the chains that are outside until they are in, or for `search` sweeps."""
        bounds, chains, most = self._bounds, self._chains, self._search * max(BLOCK, self._size)
        for _ in range(0, most, BLOCK):
            outside = np.flatnonzero(~bounds.inside(chains.totals))
            if len(outside) == 0:
                return
            some = Chains(
                records=chains.records.take(outside, axis=1),
                totals=chains.totals.take(outside, axis=1),
                cells=self._cells,
            )
            some.approach(stepper, steps=BLOCK, rng=self._rng)
            chains.records[:, outside] = some.records
            chains.totals[:, outside] = some.totals

    def _mix(self, stepper: Stepper, *, arrived: int) -> Mixing:
        steps = self._sweeps * max(BLOCK, self._size)
        traces = list[Longs]()

        def each() -> None:
            traces.append(self._chains.totals.copy())
            self._progress(min(steps, len(traces) * BLOCK), steps)

        accepted = self._chains.walk(stepper, steps=steps, rng=self._rng, each=each)
        later = traces[len(traces) // 2 :]
        found = [[trace[row] for trace in later] for row in range(len(self._bounds.low))]
        return Mixing(
            arrived=arrived,
            accepted=accepted,
            disagreement=max(map(disagreement, found)),
            effective=min(map(effective_size, found)),
        )

    def describe(self) -> dict[str, str]:
        return {
            "held": "sampled",
            "cells": str(self._cells),
            "size": str(self._size),
            "chains": str(self._chains.records.shape[1]),
            "sweeps": str(self._sweeps),
            "search": str(self._search),
            "seed": str(self._seed),
        }
