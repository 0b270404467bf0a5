"""The law that large consistent data sets look like: maximum entropy under the constraints."""

from fractions import Fraction
from typing import final

import numpy as np

from peekproof.guess.median.constraint import Constraint, Floats, Values, check_cells, levels
from peekproof.guess.median.entropy import TOLERANCE, Fit, fit
from peekproof.guess.median.holder import NoneConsistent


@final
class LimitHolder:
    """The distribution p of largest entropy with low_j ≤ ⟨q_j, p⟩ ≤ high_j for every constraint.

    Gibbs conditioning: a uniform ordered data set, given that its empirical distribution is in a
    convex set, has one that concentrates on the set's element of largest entropy as its size n′
    grows. So the median of q tends to ⟨q, p⟩, and differs by O(1/n′) where an active constraint
    pins it. The size does not appear: it stands for all large n′.

    Every constraint is met to 1e-9. Where the fit proves that nothing satisfies all constraints,
    or does not get there, nothing is consistent.
    """

    def __init__(self, *, cells: int) -> None:
        self._cells = check_cells(cells)
        self._questions = np.zeros((0, cells))
        self._low, self._high = np.zeros(0), np.zeros(0)
        self._fit = Fit(weights=np.full(cells, 1 / cells), tilts=np.zeros(0), residual=0.0)

    @property
    def cells(self) -> int:
        return self._cells

    @property
    def consistent(self) -> bool:
        """Whether a distribution that satisfies all constraints is known."""
        return self._fit.residual <= TOLERANCE

    @property
    def weights(self) -> Floats:
        """The distribution over the cells, as good as it was found."""
        return self._fit.weights.copy()

    @property
    def tilts(self) -> Floats:
        """θ with p ∝ e^{Σ θ_j q_j}; zero where a constraint does not bind."""
        return self._fit.tilts.copy()

    def median(self, values: Values) -> Fraction | NoneConsistent:
        question = levels(values, cells=self._cells).floats()
        if not self.consistent:
            return NoneConsistent(constraints=len(self._low))
        return Fraction(min(1.0, max(0.0, float(question @ self._fit.weights))))

    def keep(self, constraint: Constraint) -> None:
        question = levels(constraint.values, cells=self._cells).floats()
        self._questions = np.vstack([self._questions, question])
        self._low = np.append(self._low, float(constraint.low))
        self._high = np.append(self._high, float(constraint.high))
        if self.consistent:
            start = np.append(self._fit.tilts, 0.0)
            self._fit = fit(self._questions, low=self._low, high=self._high, start=start)

    def describe(self) -> dict[str, str]:
        return {"held": "limit", "cells": str(self._cells), "tolerance": str(TOLERANCE)}
