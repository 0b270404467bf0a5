"""The law of a privacy loss on a grid, composed by sums of positive terms."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import exp, expm1, floor
from typing import final

import numpy as np
from numpy.typing import NDArray

from peekproof.core.errors import InvalidInput
from peekproof.theory.composition.loss_law import UNDERFLOW, LossLaw

ULP = 2.0**-52
_MOST_CELLS = 2 * 10**7
_PER_CELL = 400  # multiplications a cell, before a convolution takes too long
_BLOCK = 8192  # longer scalar products would wake threads that cost more than they give
_FINEST = Fraction(1, 10**200)
_SPARSE = 8  # with fewer atoms than this, shifting and adding is faster than a convolution


def length(cells: int, *, step: Fraction) -> int:
    """The number of cells, if it fits memory and patience."""
    if cells > _MOST_CELLS:
        accepted = f"coarser: the law would need {cells:,} cells, more than {_MOST_CELLS:,}"
        raise InvalidInput(argument="step", accepted=accepted, given=f"{float(step):g}")
    return cells


def width_of(step: Fraction) -> float:
    """The step as a float, if floats can hold it and what it divides."""
    if not _FINEST <= step <= 1 / _FINEST:
        raise InvalidInput(argument="step", accepted="from 1e-200 to 1e200", given="another")
    return float(step)


def _convolved(long: NDArray[np.float64], short: NDArray[np.float64]) -> NDArray[np.float64]:
    weights = np.zeros(len(long) + len(short) - 1)
    for start in range(0, len(short), _BLOCK):
        block = short[start : start + _BLOCK]
        weights[start : start + len(long) + len(block) - 1] += np.convolve(long, block)
    return weights


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GridLaw:
    """Probabilities of the losses (first + i)·step, and of an infinite one.

    Every weight is an upper bound, and mass may only have moved upwards: whatever is composed
    of such laws has a δ(ε) that is not below the true one.
    """

    step: Fraction
    first: int
    weights: NDArray[np.float64]
    beyond: float = 0.0

    @classmethod
    def of_atoms(cls, atoms: Iterable[tuple[Fraction, float]], *, step: Fraction) -> "GridLaw":
        """The law of atoms (loss, probability), each split between its two neighbours on the grid.

        Proof. Outcomes of loss a < l < b with probabilities u + v = p under the first law and
        u·e^{−b} + v·e^{−a} = p·e^{−l} under the second can be merged into the one outcome of loss
        l: the true pair is a function of this one, and no function raises a divergence.
        """
        placed: dict[int, float] = {}
        width = width_of(step)
        for loss, probability in atoms:
            below = floor(loss / step)
            # Both distances are exact before they become floats, so that neither cancels.
            above_it, rest = float(loss - below * step), float((below + 1) * step - loss)
            to_upper = expm1(-above_it) / expm1(-width)
            to_lower = exp(-above_it) * expm1(-rest) / expm1(-width)
            for place, share in ((below, to_lower), (below + 1, to_upper)):
                if share > 0:
                    weight = probability * share * (1 + 16 * ULP)
                    placed[place] = (placed.get(place, 0.0) + weight) * (1 + ULP)
        first = min(placed)
        weights = np.zeros(length(max(placed) - first + 1, step=step))
        for place, weight in placed.items():
            weights[place - first] = weight
        return cls(step=step, first=first, weights=weights)

    @classmethod
    def nothing(cls, *, step: Fraction) -> "GridLaw":
        """No loss at all, the neutral element."""
        return cls(step=step, first=0, weights=np.ones(1))

    def then(self, other: "GridLaw") -> "GridLaw":
        """The law of the sum of two independent losses."""
        short, long = sorted((self.weights, other.weights), key=len)
        (places,) = short.nonzero()
        length(len(short) + len(long) - 1, step=self.step)
        sparse = len(places) < max(_SPARSE, len(short) // _SPARSE)
        work = len(places) if sparse else len(short)
        length(work * len(long) // _PER_CELL, step=self.step)
        if sparse:
            weights = np.zeros(len(short) + len(long) - 1)
            for place in places:
                weights[place : place + len(long)] += short[place] * long
        else:
            weights = _convolved(long, short)
        return GridLaw(
            step=self.step,
            first=self.first + other.first,
            weights=weights * (1 + (len(places) + 8) * ULP),
            beyond=self.beyond + other.beyond + UNDERFLOW,
        )

    def trimmed(self, mass: float) -> "GridLaw":
        """A shorter law: up to `mass` at the top counts as infinite, at the bottom moves up."""
        if mass <= 0:
            return self
        falling = np.cumsum(self.weights[::-1])
        top = int(np.searchsorted(falling, mass, side="right"))
        top = min(top, len(self.weights) - 1)
        kept = self.weights[: len(self.weights) - top].copy()
        bottom = min(int(np.searchsorted(np.cumsum(kept), mass, side="right")), len(kept) - 1)
        kept[bottom] += float(kept[:bottom].sum()) * (1 + len(kept) * ULP)
        cut = float(falling[top - 1]) * (1 + len(self.weights) * ULP) if top else 0.0
        return GridLaw(
            step=self.step,
            first=self.first + bottom,
            weights=kept[bottom:],
            beyond=self.beyond + cut,
        )

    def times(self, count: int, *, lost: float) -> "GridLaw":
        """The law of `count` independent copies, by squaring; at most `lost` becomes infinite."""
        result, square, copies = GridLaw.nothing(step=self.step), self, 1
        # What is cut from the law of some copies counts once for each time that law is used.
        share = lost / (4 * count.bit_length() * count)
        while True:
            if count & copies:
                result = result.then(square).trimmed(share * copies)
            if copies * 2 > count:
                return result
            square = square.then(square).trimmed(share * copies)
            copies *= 2

    def curve(self) -> LossLaw:
        """The (ε, δ) curve, every loss rounded up."""
        steps = np.arange(self.first + len(self.weights) - 1, self.first - 1, -1, dtype=np.float64)
        losses = steps * width_of(self.step)
        losses += np.abs(losses) * 4 * ULP
        return LossLaw(losses=losses, weights=self.weights[::-1], beyond=min(1.0, self.beyond))
