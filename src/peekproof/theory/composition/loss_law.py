"""The law of a privacy loss with finitely many values, and the (ε, δ) curve it gives."""

from dataclasses import dataclass
from fractions import Fraction
from math import exp, log
from typing import final

import numpy as np
from numpy.typing import NDArray

from peekproof.core.numerics import up
from peekproof.theory.conversion.outward import least_holding

# Weights below ROUGH may have lost digits to underflow: 5e-324 at each of at most 2e9 steps.
# Where there are any, UNDERFLOW is added; no δ below 1e-300 is accepted, so it decides nothing.
UNDERFLOW = 1e-312
ROUGH = 1e-300
_ROOM = 2.0**-38


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LossLaw:
    """Losses in descending order, their probabilities, and the probability of larger ones.

    Losses and weights are rounded up by whoever builds the law, so both answers are upper bounds.
    """

    losses: NDArray[np.float64]
    weights: NDArray[np.float64]
    beyond: float

    def delta_at(self, epsilon: float) -> float:
        """E(1 − e^{ε − loss})₊: the δ of this ε. Rounds: up; all terms are positive."""
        above = int(np.searchsorted(-self.losses, -epsilon))
        terms = self.weights[:above] * -np.expm1(epsilon - self.losses[:above])
        return min(1.0, up(float(terms.sum()) + self.beyond)) if above or self.beyond else 0.0

    def epsilon_at(self, delta: float) -> Fraction:
        """The least ε ≥ 0 whose δ is at most this one. Rounds: up."""
        law = self._shortened(delta * 2.0**-50)
        if (solved := law._solved(delta)) is not None:
            return Fraction(solved)
        epsilon = least_holding(
            lambda epsilon: law.delta_at(epsilon) <= delta,
            high=up(float(law.losses[0])),
            argument="delta",
        )
        return Fraction(epsilon)

    def _shortened(self, mass: float) -> "LossLaw":
        """The law with its largest losses, up to this mass, counted as beyond: faster to search."""
        above = np.cumsum(self.weights)
        cut = int(np.searchsorted(above[:-1], mass))
        return LossLaw(
            losses=self.losses[cut:],
            weights=self.weights[cut:],
            beyond=self.beyond + (up(float(above[cut - 1])) if cut else 0.0),
        )

    def _solved(self, delta: float) -> float | None:
        """An ε that meets δ with next to nothing to spare, or None.

        Between two losses the curve is A − e^ε·B, with A and B sums over the losses above, so it
        can be solved there. Rounding only misplaces the solution, and it is tested.
        """
        positive = int(np.searchsorted(-self.losses, 0.0))
        if not positive:
            return None
        losses, weights, top = self.losses[:positive], self.weights[:positive], self.losses[0]
        mass = self.beyond + np.cumsum(weights)
        shifted = np.cumsum(weights * np.exp(np.minimum(top - losses, 700.0)))
        above = int(np.searchsorted(mass - np.exp(losses - top) * shifted, delta))
        if above == 0 or top - losses[above - 1] > 690 or mass[above - 1] <= delta:
            return None
        scale = float(shifted[above - 1])
        epsilon = float(top) + log((float(mass[above - 1]) - delta) / scale)
        for _ in range(4):
            if not epsilon > 0:
                return None
            spare = delta - self.delta_at(epsilon)
            if 0 <= spare <= delta * _ROOM:
                return epsilon
            epsilon += (delta * _ROOM / 2 - spare) / (scale * exp(epsilon - float(top)))
        return None
