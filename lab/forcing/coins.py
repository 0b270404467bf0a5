"""A sample of fair coins in bulk: signs that know nothing, read as counts and as votes.

It is what an analyst's questions about features and a label come down to: whether a feature agrees
with the label is a fair coin, and a vote of features is right about half of the population.
"""

from collections.abc import Sequence
from typing import final

import numpy as np
import numpy.typing as npt

from peekproof.core import check

Rows = npt.NDArray[np.bool_]

# Votes are summed so many features at a time: one turn takes 8 bytes a row and feature.
_AT_ONCE = 64


@final
class Coins:
    """So many fair coins for each of so many rows, all independent."""

    def __init__(self, features: int, *, rows: int, rng: np.random.Generator) -> None:
        self.rows = check.positive_integer(rows=rows)
        packed = rng.integers(0, 256, (features, -(-rows // 8)), dtype=np.uint8)
        self._heads = np.unpackbits(packed, axis=1, count=rows)

    def counts(self, features: int, *, among: Rows | None = None) -> list[int]:
        """The heads of each of the first features, in some rows or in all."""
        heads = self._heads[:features]
        shown = heads if among is None else heads[:, among]
        return [int(count) for count in np.count_nonzero(shown, axis=1)]

    def won(self, weights: Sequence[int]) -> Rows:
        """The rows in which heads outweigh tails.

        The weights must add up to an odd number, see `odd`; so the truth of a win is one half.
        """
        margins = np.zeros(self.rows)
        for start in range(0, len(weights), _AT_ONCE):
            chosen = np.array(weights[start : start + _AT_ONCE], float)
            margins += chosen @ self._heads[start : start + len(chosen)].astype(float)
        won: Rows = 2 * margins > sum(weights)
        return won


def odd(weights: Sequence[int]) -> list[int]:
    """Weights with an odd sum, whose vote cannot tie: the first counts for one more if need be."""
    return [weights[0] + (sum(weights) + 1) % 2, *weights[1:]]
