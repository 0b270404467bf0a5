"""The law of a privacy loss with finitely many values, and the (ε, δ) curve it gives."""

from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
from numpy.typing import NDArray

from holdfast.core.numerics import up
from holdfast.theory.conversion.outward import least_holding

# Weights below ROUGH may have lost digits to underflow: 5e-324 at each of at most 2e9 steps.
# Where there are any, UNDERFLOW is added; no δ below 1e-300 is accepted, so it decides nothing.
UNDERFLOW = 1e-312
ROUGH = 1e-300


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
