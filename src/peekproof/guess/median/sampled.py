"""Markov chains (MCMC) that draw consistent data sets, for domains too large to list them all.

Many data sets walk at random inside the constraints and advance together. Steps are taken for all
of them at once, in NumPy alone or in compiled code; `fastest` is the fastest way that is
installed.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from importlib.util import find_spec
from typing import Protocol, final

import numpy as np
import numpy.typing as npt

from peekproof.core import check
from peekproof.core.errors import InvalidInput
from peekproof.guess.median.constraint import (
    Constraint,
    Levels,
    NoneConsistent,
    Values,
    check_cells,
    levels,
)

Longs = npt.NDArray[np.int64]
Cells = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]

# Proposals are drawn for so many steps at a time.
BLOCK = 256


@final
@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Bounds:
    """Linear constraints in integers: low ≤ Σ_records numerators[·, record] ≤ high, row by row.

    `scale` is the largest value of each constraint, or 1.
    """

    numerators: Longs
    low: Longs
    high: Longs
    scale: Longs = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "scale", self.numerators.max(axis=1, initial=1))

    def totals(self, records: Cells) -> Longs:
        """One row for each constraint, one column for each data set."""
        found = np.zeros((len(self.low), records.shape[1]), dtype=np.int64)
        for row, numerators in zip(found, self.numerators, strict=True):
            row[:] = numerators[records].sum(axis=0)
        return found

    def inside(self, totals: Longs) -> Mask:
        fits = (totals >= self.low[:, None]) & (totals <= self.high[:, None])
        return np.asarray(fits.all(axis=0), dtype=np.bool_)

    def excess(self, totals: Longs) -> npt.NDArray[np.float64]:
        """How far each data set is outside, added over the constraints; 0 exactly if inside.

        Each constraint is measured in units of its largest value. Terms are added one after the
        other, first constraint first, so that every way to step rounds alike.
        """
        low, high = self.low[:, None], self.high[:, None]
        outside = np.maximum(low - totals, 0) + np.maximum(totals - high, 0)
        partial = np.cumsum(outside / self.scale[:, None], axis=0)
        return np.asarray(partial[-1], dtype=np.float64)


@final
@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Proposals:
    """Steps to try one after the other: which places to change, and to what.

    In step i every data set would put `cells[i, 0]` at place `first[i]`, each its own, and
    `cells[i, 1]` at place `second[i]`, unless that is −1.
    """

    first: Longs
    second: Longs
    cells: Cells


class Stepper(Protocol):
    """Tries proposals under fixed bounds. All steppers decide alike, so only speed differs."""

    def walk(self, chains: "Chains", proposals: Proposals) -> int:
        """Take each proposal that ends inside; how many were taken, over all data sets."""
        ...

    def approach(self, chains: "Chains", proposals: Proposals) -> None:
        """Take each proposal after which the excess is no larger."""
        ...


Stepping = Callable[[Bounds], Stepper]


@final
@dataclass(slots=True, eq=False, kw_only=True)
class Chains:
    """Ordered data sets, one in each column of `records`, and their totals under the bounds."""

    records: Cells
    totals: Longs
    cells: int

    def __post_init__(self) -> None:
        # Columns picked from others are laid out the other way round, which is slow to step.
        self.records = np.ascontiguousarray(self.records)
        self.totals = np.ascontiguousarray(self.totals)

    def walk(
        self, stepper: Stepper, *, steps: int, rng: np.random.Generator, each: Callable[[], None]
    ) -> float:
        """Advance data sets that are inside; returns the share of proposals accepted.

        A proposal replaces the record at one place, or with probability ½ those at two, by cells
        drawn uniformly for each data set. It is accepted if the result is inside. Places are
        drawn without looking, and for given places the way there and the way back are proposed
        with equal probability: the uniform law on all data sets inside is stationary. All data
        sets share the places, and given these they are independent if they started so.
        `each` is called after every block of steps.
        """
        accepted = 0
        for block in self._proposals(steps, rng):
            accepted += stepper.walk(self, block)
            each()
        return float(accepted / (steps * self.records.shape[1]))

    def approach(self, stepper: Stepper, *, steps: int, rng: np.random.Generator) -> None:
        """Move data sets towards the inside: proposals are accepted if the excess does not grow."""
        for block in self._proposals(steps, rng):
            stepper.approach(self, block)

    def _proposals(self, steps: int, rng: np.random.Generator) -> Iterator[Proposals]:
        size, count = self.records.shape
        for start in range(0, steps, BLOCK):
            length = min(BLOCK, steps - start)
            cells = rng.integers(self.cells, size=(length, 2, count), dtype=np.int32)
            first, second = rng.integers(size, size=(length, 2)).T.copy()
            alone = rng.integers(2, size=length) == 1
            second[alone | (first == second)] = -1
            yield Proposals(first=first, second=second, cells=cells)


def disagreement(traces: list[Longs]) -> float:
    """The potential scale reduction factor R̂ of one total: a row for each snapshot of all chains.

    √((t−1)/t + B/W) for t snapshots, with B the variance of the chains' means and W the mean of
    their variances. Near 1 if all chains have seen the same law; 1 if nothing moves and all
    agree; NaN for a single snapshot or chain.
    """
    length, within, between = _variances(traces)
    if within == 0:
        return 1.0 if between == 0 else float("inf")
    return float(np.sqrt((length - 1) / length + between / within))


def effective_size(traces: list[Longs]) -> float:
    """How many independent draws of one total the snapshots are worth, all chains together.

    m·V/B for m chains, with V = W·(t−1)/t + B the variance of the total and B that of the chains'
    means: independent draws would have means of variance V/t. It is cut to m·t. As many as chains
    say that no chain moved from where it was; NaN for a single snapshot or chain.
    """
    length, within, between = _variances(traces)
    count = len(traces[0])
    if between == 0:
        return float(count * length)
    total = within * (length - 1) / length + between
    return float(np.minimum(count * length, count * total / between))  # keeps NaN


def _variances(traces: list[Longs]) -> tuple[int, float, float]:
    """How many snapshots, the mean variance within a chain, and that of the chains' means."""
    seen = np.array(traces, dtype=np.float64)
    length, count = seen.shape
    if min(length, count) < 2:
        return length, float("nan"), float("nan")
    within = float(seen.var(axis=0, ddof=1).mean())
    return length, within, float(seen.mean(axis=0).var(ddof=1))


@final
class Vectorised:
    """Tries each proposal on all data sets together, one operation on an array after another."""

    def __init__(self, bounds: Bounds) -> None:
        self._bounds = bounds

    def walk(self, chains: Chains, proposals: Proposals) -> int:
        accepted = 0
        for places, cells in _one_by_one(proposals):
            totals = self._proposed(chains, places, cells)
            accepted += _take(chains, places, cells, totals, self._bounds.inside(totals))
        return accepted

    def approach(self, chains: Chains, proposals: Proposals) -> None:
        excess = self._bounds.excess(chains.totals)
        for places, cells in _one_by_one(proposals):
            totals = self._proposed(chains, places, cells)
            now = self._bounds.excess(totals)
            taken = now <= excess
            np.copyto(excess, now, where=taken)
            _take(chains, places, cells, totals, taken)

    def _proposed(self, chains: Chains, places: list[int], cells: Cells) -> Longs:
        numerators, totals = self._bounds.numerators, chains.totals
        for place, new in zip(places, cells, strict=False):
            change = numerators.take(new, axis=1) - numerators.take(chains.records[place], axis=1)
            totals = totals + change
        return totals


def _one_by_one(proposals: Proposals) -> Iterator[tuple[list[int], Cells]]:
    """The places to change, one or two, and a row of new cells for each."""
    first: list[int] = proposals.first.tolist()
    second: list[int] = proposals.second.tolist()
    for cells, one, other in zip(proposals.cells, first, second, strict=True):
        yield ([one] if other < 0 else [one, other]), cells


def _take(chains: Chains, places: list[int], cells: Cells, totals: Longs, taken: Mask) -> int:
    np.copyto(chains.totals, totals, where=taken)
    for place, new in zip(places, cells, strict=False):
        np.copyto(chains.records[place], new, where=taken)
    return int(np.count_nonzero(taken))


def fastest() -> Stepping:
    """Compiled steps if Numba is there and works, otherwise vectorised ones: the same numbers."""
    if find_spec("numba") is None:
        return Vectorised
    try:
        from peekproof.guess.median.compiled import Compiled  # noqa: PLC0415 (optional, slow)
    except (ImportError, RuntimeError):
        # Numba refuses a NumPy that it does not know, and a disk on which it can keep nothing.
        return Vectorised
    return Compiled


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
