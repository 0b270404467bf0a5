"""Steps of all data sets at once, in NumPy alone."""

from collections.abc import Iterator
from typing import final

import numpy as np

from peekproof.guess.median.chains import Bounds, Cells, Chains, Longs, Mask, Proposals


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
