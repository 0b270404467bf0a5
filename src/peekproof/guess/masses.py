"""Positive numbers, one a cell, that can be averaged over and tilted at the speed of memory.

Only their ratios matter. They are not normalised; from time to time they are brought back to a
scale at which no product of doubles overflows or loses digits.

Work goes in pieces that fit a cache, and inner products in rows so short that BLAS keeps each to
one thread: with one library on one machine the same steps give the same bits.
"""

import math
from typing import cast, final

import numpy as np
import numpy.typing as npt

Weighing = npt.NDArray[np.bool_] | npt.NDArray[np.float64]

_ROW = 1 << 13
_CHUNK = 1 << 17
_FAR = 600.0  # e^±600, times a factor below 10⁶ and 2²⁴ cells, is an ordinary double
_FLOOR = math.exp(-400.0)
_ROUNDED = 2.0**-50  # what the roundings of one step add to the relative error of a total
_BLURRED = 2.0**-44  # with more than that, the cells are summed again


@final
class Masses:
    """Masses of `cells` cells, at first all equal."""

    __slots__ = ("_blur", "_buffer", "_high", "_low", "_masses", "_total")

    def __init__(self, cells: int) -> None:
        self._masses = np.ones(cells)
        self._buffer = np.empty(min(cells, _CHUNK))
        self._total, self._blur = float(cells), 0.0
        self._low = self._high = 0.0  # the logarithm of each mass lies between them

    def mean(self, values: Weighing) -> float:
        """The mean of `values` in [0, 1] under the normalised masses."""
        return self._inner(values) / self._total

    def normalised(self) -> npt.NDArray[np.float64]:
        """The masses as a distribution."""
        return self._masses * (1 / float(self._masses.sum()))

    def tilt(self, values: Weighing, *, odds: float, mean: float) -> None:
        """Multiply each mass by 1 + (odds − 1)·value, up to a common factor.

        One addition a cell makes the factor: value + 1/(odds − 1), or 1/(1 − odds) − value.
        `mean` is what `mean(values)` gives.
        """
        if max(self._high, -self._low) > _FAR:
            self._settle()
        shift = 1 / abs(odds - 1)
        rises = odds > 1
        for start in range(0, len(self._masses), _CHUNK):
            masses = self._masses[start : start + _CHUNK]
            piece = self._doubles(values[start : start + _CHUNK])
            factor = self._buffer[: len(masses)]
            if rises:
                np.add(piece, shift, out=factor)
            else:
                np.subtract(shift, piece, out=factor)
            np.multiply(masses, factor, out=masses)
        least, most = (shift, shift + 1) if rises else (shift - 1, shift)
        self._low += math.log(least)
        self._high += math.log(most)
        self._carry(shift + mean if rises else shift - mean, shift=shift)

    def _carry(self, factor: float, *, shift: float) -> None:
        """The total after a tilt, without a look at the cells unless digits would be lost.

        With the inner product i = total·mean it is shift·total ± i = factor·total, so a relative
        error of the total is multiplied by shift/factor.
        """
        self._total *= factor
        self._blur = (self._blur + _ROUNDED) * max(1.0, shift / factor)
        if self._blur > _BLURRED:
            self._sum()

    def _sum(self) -> None:
        self._total, self._blur = float(self._masses.sum()), 0.0

    def _settle(self) -> None:
        """The largest mass becomes 1; what is below e⁻⁴⁰⁰ of it becomes that."""
        np.multiply(self._masses, 1 / self._masses.max(), out=self._masses)
        np.maximum(self._masses, _FLOOR, out=self._masses)
        self._low, self._high = math.log(self._masses.min()), 0.0
        self._sum()

    def _inner(self, values: Weighing) -> float:
        # Doubles need no buffer, so they can be had in one piece.
        size = _CHUNK if values.dtype == np.bool_ else len(values)
        parts = []
        for start in range(0, len(values), size):
            masses = self._masses[start : start + size]
            piece = self._doubles(values[start : start + size])
            whole = len(masses) // _ROW * _ROW
            rows = np.vecdot(masses[:whole].reshape(-1, _ROW), piece[:whole].reshape(-1, _ROW))
            parts += [float(rows.sum()), float(np.vecdot(masses[whole:], piece[whole:]))]
        return math.fsum(parts)

    def _doubles(self, piece: Weighing) -> npt.NDArray[np.float64]:
        """The piece itself, or the buffer with its flags as 0 and 1."""
        if piece.dtype == np.float64:
            return cast(npt.NDArray[np.float64], piece)
        flags = self._buffer[: len(piece)]
        np.copyto(flags, piece)
        return flags
