"""Many data sets that walk at random inside constraints, advancing together."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Protocol, final

import numpy as np
import numpy.typing as npt

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
