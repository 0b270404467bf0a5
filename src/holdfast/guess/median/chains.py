"""Many data sets that walk at random inside constraints, advancing together."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import final

import numpy as np
import numpy.typing as npt

Longs = npt.NDArray[np.int64]
Cells = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]

# Cells are drawn for so many steps at a time.
BLOCK = 256


@final
@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Bounds:
    """Linear constraints in integers: low ≤ Σ_records numerators[·, record] ≤ high, row by row."""

    numerators: Longs
    low: Longs
    high: Longs

    def totals(self, records: Cells) -> Longs:
        """One row for each constraint, one column for each data set."""
        found = np.zeros((len(self.low), records.shape[1]), dtype=np.int64)
        for row, numerators in zip(found, self.numerators, strict=True):
            row[:] = numerators[records].sum(axis=0)
        return found

    def change(self, old: Cells, new: Cells) -> Longs:
        """What replacing one record of each data set adds to its totals."""
        return self.numerators.take(new, axis=1) - self.numerators.take(old, axis=1)

    def inside(self, totals: Longs) -> Mask:
        fits = (totals >= self.low[:, None]) & (totals <= self.high[:, None])
        return np.asarray(fits.all(axis=0), dtype=np.bool_)

    def excess(self, totals: Longs) -> npt.NDArray[np.float64]:
        """How far each data set is outside, added over the constraints; 0 exactly if inside.

        Each constraint is measured in units of its largest value.
        """
        low, high = self.low[:, None], self.high[:, None]
        outside = np.maximum(low - totals, 0) + np.maximum(totals - high, 0)
        scale = np.maximum(1, self.numerators.max(axis=1, initial=1))[:, None]
        return np.asarray((outside / scale).sum(axis=0), dtype=np.float64)


@final
@dataclass(slots=True, eq=False, kw_only=True)
class Chains:
    """Ordered data sets, one in each column of `records`, and their totals under the bounds."""

    records: Cells
    totals: Longs
    cells: int

    def walk(
        self, bounds: Bounds, *, steps: int, rng: np.random.Generator, each: Callable[[], None]
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
        for step, (places, cells) in enumerate(self._proposals(steps, rng), start=1):
            totals = self._proposed(bounds, places, cells)
            accepted += self._take(places, cells, totals, bounds.inside(totals))
            if step % BLOCK == 0 or step == steps:
                each()
        return float(accepted / (steps * self.records.shape[1]))

    def approach(self, bounds: Bounds, *, steps: int, rng: np.random.Generator) -> None:
        """Move data sets towards the inside: proposals are accepted if the excess does not grow."""
        excess = bounds.excess(self.totals)
        for places, cells in self._proposals(steps, rng):
            totals = self._proposed(bounds, places, cells)
            now = bounds.excess(totals)
            taken = now <= excess
            np.copyto(excess, now, where=taken)
            self._take(places, cells, totals, taken)

    def _proposals(self, steps: int, rng: np.random.Generator) -> Iterator[tuple[list[int], Cells]]:
        """The places to replace, one or two different ones, and a row of new cells for each."""
        size, count = self.records.shape
        for start in range(0, steps, BLOCK):
            length = min(BLOCK, steps - start)
            cells = rng.integers(self.cells, size=(length, 2, count), dtype=np.int32)
            pairs: list[list[int]] = rng.integers(size, size=(length, 2)).tolist()
            single: list[int] = rng.integers(2, size=length).tolist()
            for new, (first, second), alone in zip(cells, pairs, single, strict=True):
                yield ([first] if alone or first == second else [first, second]), new

    def _proposed(self, bounds: Bounds, places: list[int], cells: Cells) -> Longs:
        totals = self.totals
        for place, new in zip(places, cells, strict=False):
            totals = totals + bounds.change(self.records[place], new)
        return totals

    def _take(self, places: list[int], cells: Cells, totals: Longs, taken: Mask) -> int:
        np.copyto(self.totals, totals, where=taken)
        for place, new in zip(places, cells, strict=False):
            np.copyto(self.records[place], new, where=taken)
        return int(np.count_nonzero(taken))


def disagreement(traces: list[Longs]) -> float:
    """The potential scale reduction factor R̂ of one total: a row for each snapshot of all chains.

    √((t−1)/t + B/W) for t snapshots, with B the variance of the chains' means and W the mean of
    their variances. Near 1 if all chains have seen the same law; 1 if nothing moves and all
    agree; NaN for a single snapshot or chain.
    """
    seen = np.array(traces, dtype=np.float64)
    length, count = seen.shape
    if min(length, count) < 2:
        return float("nan")
    within = float(seen.var(axis=0, ddof=1).mean())
    between = float(seen.mean(axis=0).var(ddof=1))
    if within == 0:
        return 1.0 if between == 0 else float("inf")
    return float(np.sqrt((length - 1) / length + between / within))
