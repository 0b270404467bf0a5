"""Which rows satisfy an atom, one bit a row, kept for the questions to come.

Adaptive questions put the same atoms together in new ways. With their bits at hand an answer is
a few passes over 1/64 of a column each. What is kept depends on the questions alone.
"""

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from threading import Lock
from typing import final

import numpy as np
import numpy.typing as npt

from peekproof.data.piece import Bools

Bits = npt.NDArray[np.uint8]

_AT_ONCE = 4  # of all room, what a single call may fill


@final
class Bitmaps:
    """The bits of the atoms used last, in at most `room` bytes. Threads may share it."""

    def __init__(self, *, rows: int, room: int) -> None:
        # A whole number of words, so that counting runs eight bytes at a time.
        self._size = -(-rows // 64) * 8
        self._most = room // self._size
        self._held: OrderedDict[str, Bits] = OrderedDict()
        self._lock = Lock()

    def known(self, atoms: Iterable[str]) -> dict[str, Bits]:
        """The bits of those atoms that are held."""
        with self._lock:
            found = {atom: self._held[atom] for atom in atoms if atom in self._held}
            for atom in found:
                self._held.move_to_end(atom)
        return found

    def blank(self, atoms: Iterable[str]) -> dict[str, Bits]:
        """Bits to be filled and kept for the first of these atoms: a call drives out few."""
        chosen = list(atoms)[: max(1, self._most // _AT_ONCE) if self._most else 0]
        return {atom: np.zeros(self._size, np.uint8) for atom in chosen}

    def keep(self, filled: Mapping[str, Bits]) -> None:
        """Hold these bits, in the place of those that were not used for longest."""
        with self._lock:
            self._held.update(filled)
            while len(self._held) > self._most:
                self._held.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            self._held.clear()


def fill(bits: Bits, start: int, found: Bools) -> None:
    """Write what was found for the rows from `start` on, a multiple of 8."""
    packed = np.packbits(found)
    bits[start // 8 : start // 8 + len(packed)] = packed


def unpacked(bits: Bits, start: int, rows: int) -> Bools:
    """The truth of `rows` rows from `start` on, a multiple of 8."""
    return np.unpackbits(bits[start // 8 : -(-(start + rows) // 8)], count=rows).view(np.bool_)


def ones(bits: Bits) -> int:
    """How many bits are set."""
    return int(np.bitwise_count(bits.view(np.uint64)).sum(dtype=np.uint64))
