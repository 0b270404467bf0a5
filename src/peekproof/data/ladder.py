"""A column that is compared with many numbers, as its place among them.

Let L be the numbers, sorted. With b = #{l ∈ L: l < x}, x > Lᵢ means i < b; and with
u = #{l ∈ L: l ≤ x}, x ≥ Lᵢ means i < u. The other two comparisons are their opposites, except
that all four are false for NaN. Places are computed once a piece. For comparisons they are cut
into flights of 255 numbers, so that eight bits hold where a value lies below, in or above one.
"""

from collections.abc import Callable, Iterable
from typing import final

import numpy as np
import numpy.typing as npt

from peekproof.data.piece import Bools, Piece
from peekproof.data.places import Places, below, up_to
from peekproof.query.tree import Column, Compare, Number

_WORTH_IT = 256  # comparisons; finding the places takes as long as about so many
_FLIGHT = 255


@final
class Ladder:
    """The places of one column among the numbers that it is compared with."""

    def __init__(self, name: str, numbers: Iterable[float]) -> None:
        self._name = name
        self._numbers = np.array(sorted(set(numbers)))
        self._index = {number: i for i, number in enumerate(self._numbers.tolist())}

    def compared(self, node: Compare) -> Callable[[Piece], Bools] | None:
        """The function for a comparison of this column with one of the numbers."""
        if not isinstance(node.right, Number) or node.right.value not in self._index:
            return None
        flight, step = divmod(self._index[node.right.value], _FLIGHT)
        key = (self._name, node.operator, flight)
        # As an 8-bit number, for NumPy would widen the column for a larger one.
        small, compare = np.uint8(step), np.greater if ">" in node.operator else np.less_equal
        return lambda piece: compare(self._steps(piece, key), small)

    def _steps(self, piece: Piece, key: tuple[str, str, int]) -> npt.NDArray[np.uint8]:
        found = piece.memo.get(key)
        if not isinstance(found, np.ndarray):
            _, operator, flight = key
            above = self._places(piece, operator) - flight * _FLIGHT
            found = np.clip(above, 0, _FLIGHT).astype(np.uint8)
            piece.memo[key] = found
        return found

    def _places(self, piece: Piece, operator: str) -> Places:
        key = (self._name, operator)
        found = piece.memo.get(key)
        if not isinstance(found, np.ndarray):
            values = piece.doubles(self._name)
            found = (below if operator in (">", "<=") else up_to)(self._numbers, values)
            if "<" in operator:  # NaN is not at most any number, so it goes behind the last
                found = np.where(np.isnan(values), len(self._numbers), found)
            piece.memo[key] = found
        return found


def ladders(comparisons: Iterable[Compare]) -> dict[str, Ladder]:
    """A ladder for each column that is compared with numbers often enough."""
    numbers: dict[str, dict[tuple[str, float], None]] = {}
    for node in comparisons:
        if isinstance(node.left, Column) and isinstance(node.right, Number):
            numbers.setdefault(node.left.name, {})[node.operator, node.right.value] = None
    return {
        name: Ladder(name, (number for _, number in found))
        for name, found in numbers.items()
        if len(found) >= _WORTH_IT
    }
