"""Maximum entropy under interval constraints: the law that large consistent data sets look like.

It is found by its dual, which has one tilt for each constraint:

    minimise  F(θ) = ln Σ_x e^{Σ_j θ_j q_j(x)} − Σ_j (θ_j⁺·low_j − θ_j⁻·high_j)

F is convex, and its least value is the largest entropy. At the minimum p ∝ e^{Σ θ_j q_j} has
⟨q_j, p⟩ = low_j where θ_j > 0, = high_j where θ_j < 0, and in between where θ_j = 0. For every p
that satisfies the constraints F(θ) ≥ H(p) ≥ 0, so a θ with F(θ) < 0 proves that none does.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import inf
from typing import final

import numpy as np

from peekproof.guess.median.constraint import (
    Constraint,
    Floats,
    NoneConsistent,
    Values,
    check_cells,
    levels,
)

# How far a constraint, or a binding one's end, may be missed.
TOLERANCE = 1e-9
MOST_SWEEPS = 300
# Where a single tilt, or a Newton step, has nothing left to do.
_SOLVED = TOLERANCE / 100
# A tilt by this factor leaves no weight on anything but the extreme cells.
_STEEPEST = 1e6
# F is rounded by far less, so a value below is a proof.
_PROOF = -1e-6


@final
@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Fit:
    """A distribution, its tilts, and how far it misses; infinitely if nothing can be met."""

    weights: Floats
    tilts: Floats
    residual: float


def _law(logits: Floats) -> tuple[Floats, float]:
    """The distribution with these logits, and the logarithm of its normaliser."""
    top = float(logits.max())
    raised = np.exp(logits - top)
    total = float(raised.sum())
    return raised / total, top + float(np.log(total))


def _gains(tilts: Floats, low: Floats, high: Floats) -> Floats:
    """Which end each tilt pulls to: low for a positive one, high for a negative one."""
    return np.where(tilts > 0, low, high)


def _value(questions: Floats, tilts: Floats, low: Floats, high: Floats) -> float:
    _, normaliser = _law(tilts @ questions)
    return normaliser - float(tilts @ _gains(tilts, low, high))


def _missed(means: Floats, tilts: Floats, low: Floats, high: Floats) -> float:
    """The largest violation of the conditions at the minimum."""
    idle = np.maximum(0.0, np.maximum(low - means, means - high))
    pulled = np.abs(means - _gains(tilts, low, high))
    return float(np.where(tilts == 0, idle, pulled).max(initial=0.0))


def _one_tilt(question: Floats, others: Floats, low: float, high: float, start: float) -> float:
    """The best tilt of one question while the others stay: Newton's steps inside a bracket."""

    def mean(tilt: float) -> tuple[float, float]:
        weights, _ = _law(others + tilt * question)
        centre = float(weights @ question)
        return centre, float(weights @ (question - centre) ** 2)

    if start != 0 and abs(mean(start)[0] - (low if start > 0 else high)) <= _SOLVED:
        return start
    at_zero, _ = mean(0.0)
    if low <= at_zero <= high:
        return 0.0
    sign, target = (1.0, low) if at_zero < low else (-1.0, high)
    near, far = 0.0, 1.0
    while far < _STEEPEST and sign * (mean(sign * far)[0] - target) < 0:
        near, far = far, 2 * far
    tilt = sign * start if near < sign * start < far else (near + far) / 2
    for _ in range(100):
        centre, spread = mean(sign * tilt)
        miss = sign * (centre - target)
        if abs(miss) <= _SOLVED or far - near <= 1e-15 * far:
            break
        near, far = (tilt, far) if miss < 0 else (near, tilt)
        tilt = tilt - miss / spread if spread > 0 else inf
        if not near < tilt < far:
            tilt = (near + far) / 2
    return sign * tilt


def _newton(questions: Floats, tilts: Floats, low: Floats, high: Floats) -> Floats:
    """One damped Newton step on all tilts that are not zero; those that change sign become zero."""
    active = np.flatnonzero(tilts)
    if len(active) < 2:
        return tilts
    bound = questions[active]
    weights, _ = _law(tilts @ questions)
    means = bound @ weights
    centred = bound - means[:, None]
    curvature = (centred * weights) @ centred.T
    slope = means - _gains(tilts, low, high)[active]
    if float(np.abs(slope).max()) <= _SOLVED:
        return tilts
    ridge = 1e-13 * max(1e-300, float(curvature.trace()))
    step = np.linalg.lstsq(curvature + ridge * np.eye(len(active)), slope, rcond=None)[0]
    best = _value(questions, tilts, low, high)
    for halvings in range(12):
        moved = tilts[active] - step * 0.5**halvings
        tried = tilts.copy()
        tried[active] = np.where(moved * tilts[active] > 0, moved, 0.0)
        if np.abs(tried).max() < _STEEPEST and _value(questions, tried, low, high) < best:
            return tried
    return tilts


def fit(questions: Floats, *, low: Floats, high: Floats, start: Floats) -> Fit:
    """The law of largest entropy, from any start; questions are rows.

    Turns of one tilt at a time, each to its own minimum, which always descend and converge because
    F is smooth but for a separable part; Newton steps between them for speed.
    """
    tilts = start.copy()
    residual = inf
    for _ in range(MOST_SWEEPS):
        tilts = _newton(questions, tilts, low, high)
        logits = tilts @ questions
        for j, question in enumerate(questions):
            others = logits - tilts[j] * question
            tilts[j] = _one_tilt(question, others, float(low[j]), float(high[j]), float(tilts[j]))
            logits = others + tilts[j] * question
        weights, _ = _law(tilts @ questions)
        residual = _missed(questions @ weights, tilts, low, high)
        if residual <= TOLERANCE:
            break
        if _value(questions, tilts, low, high) < _PROOF:
            residual = inf
            break
    return Fit(weights=weights, tilts=tilts, residual=residual)


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
