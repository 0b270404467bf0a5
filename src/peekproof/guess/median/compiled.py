"""Steps of one data set after another, compiled by Numba: the extra `fast`.

Numba is optional and slow to import, so this module is imported only by `fastest`, when a holder
is made. The first use after an installation compiles, for a few seconds; the result is kept on
disk. Steps are tried without the interpreter's lock. All decisions are made in integers, or in
floats in the order of `Bounds.excess`, so they are those of `Vectorised`.
"""

from collections.abc import Callable
from typing import final

import numpy as np
import numpy.typing as npt
from numba import njit

from peekproof.guess.median.sampled import Bounds, Cells, Chains, Longs, Proposals

Floats = npt.NDArray[np.float64]
# Records, totals, values, low, high, scale, first, second and cells, as in Chains and Proposals,
# but totals by data set and values by cell: a step then reads four short runs of memory.
Kernel = Callable[[Cells, Longs, Longs, Longs, Longs, Floats, Longs, Longs, Cells], int]


def _walk(
    records: Cells,
    totals: Longs,
    values: Longs,
    low: Longs,
    high: Longs,
    scale: Floats,  # noqa: ARG001 (both kernels are called alike)
    first: Longs,
    second: Longs,
    cells: Cells,
) -> int:
    count, constraints = totals.shape
    proposed = np.empty(constraints, dtype=np.int64)
    accepted = 0
    for step in range(len(first)):
        pair = second[step] >= 0
        old_one, old_other = records[first[step]], records[second[step]]
        new_one, new_other = cells[step, 0], cells[step, 1]
        for chain in range(count):
            total = totals[chain]
            gain, loss = values[new_one[chain]], values[old_one[chain]]
            more, less = values[new_other[chain]], values[old_other[chain]]
            inside = True
            for row in range(constraints):
                now = total[row] + gain[row] - loss[row]
                if pair:
                    now += more[row] - less[row]
                if now < low[row] or now > high[row]:
                    inside = False
                    break
                proposed[row] = now
            if inside:
                accepted += 1
                total[:] = proposed
                old_one[chain] = new_one[chain]
                if pair:
                    old_other[chain] = new_other[chain]
    return accepted


def _approach(
    records: Cells,
    totals: Longs,
    values: Longs,
    low: Longs,
    high: Longs,
    scale: Floats,
    first: Longs,
    second: Longs,
    cells: Cells,
) -> int:
    count, constraints = totals.shape
    proposed = np.empty(constraints, dtype=np.int64)
    excess = np.zeros(count, dtype=np.float64)
    accepted = 0
    for chain in range(count):
        for row in range(constraints):
            now = totals[chain, row]
            excess[chain] += (max(low[row] - now, 0) + max(now - high[row], 0)) / scale[row]
    for step in range(len(first)):
        pair = second[step] >= 0
        old_one, old_other = records[first[step]], records[second[step]]
        new_one, new_other = cells[step, 0], cells[step, 1]
        for chain in range(count):
            total = totals[chain]
            gain, loss = values[new_one[chain]], values[old_one[chain]]
            more, less = values[new_other[chain]], values[old_other[chain]]
            outside, nearer = 0.0, True
            for row in range(constraints):
                now = total[row] + gain[row] - loss[row]
                if pair:
                    now += more[row] - less[row]
                proposed[row] = now
                outside += (max(low[row] - now, 0) + max(now - high[row], 0)) / scale[row]
                # Nothing below 0 is added, so a sum that is too large stays so, rounding included.
                if outside > excess[chain]:
                    nearer = False
                    break
            if nearer:
                accepted += 1
                excess[chain] = outside
                total[:] = proposed
                old_one[chain] = new_one[chain]
                if pair:
                    old_other[chain] = new_other[chain]
    return accepted


walk_kernel: Kernel = njit(cache=True, nogil=True)(_walk)
approach_kernel: Kernel = njit(cache=True, nogil=True)(_approach)


@final
class Compiled:
    """Tries each proposal on one data set after another, up to the first constraint violated."""

    def __init__(self, bounds: Bounds) -> None:
        self._values = np.ascontiguousarray(bounds.numerators.T)
        self._low, self._high = bounds.low, bounds.high
        self._scale = bounds.scale.astype(np.float64)

    def walk(self, chains: Chains, proposals: Proposals) -> int:
        return self._run(walk_kernel, chains, proposals)

    def approach(self, chains: Chains, proposals: Proposals) -> None:
        self._run(approach_kernel, chains, proposals)

    def _run(self, kernel: Kernel, chains: Chains, proposals: Proposals) -> int:
        totals = np.ascontiguousarray(chains.totals.T)
        accepted = kernel(
            chains.records,
            totals,
            self._values,
            self._low,
            self._high,
            self._scale,
            proposals.first,
            proposals.second,
            proposals.cells,
        )
        chains.totals[:] = totals.T
        return int(accepted)
