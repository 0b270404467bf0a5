"""Tails of the standard normal law with full relative precision, as far out as floats reach."""

from fractions import Fraction
from math import erfc, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from peekproof.theory.divergence.exact import as_float, exp_of

# Gauss–Legendre on three pieces of [0, 1], with few enough nodes in each for full precision. The
# integrands below are entire and fall by e⁻⁴⁵ over the range: only rounding is left.
_nodes, _weights = np.polynomial.legendre.leggauss(24)
_EDGES = np.array([0.0, 0.1, 0.35, 1.0])
NODES = (_EDGES[:-1, None] + np.diff(_EDGES)[:, None] * (_nodes + 1) / 2).ravel()
WEIGHTS = (np.diff(_EDGES)[:, None] * _weights / 2).ravel()
REACH = 45.0


def _kernel(x: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Points t and weights with Σ weight·f(t) = ∫₀^∞ e^{−xt − t²/2} f(t) dt, for x ≥ −½."""
    length = 2 * REACH / (x + sqrt(x * x + 2 * REACH))
    t = length * NODES
    return t, length * WEIGHTS * np.exp(-t * (x + t / 2))


def mills(x: float) -> float:
    """Φ(−x)/φ(x) = ∫₀^∞ e^{−xt − t²/2} dt for x ≥ −½."""
    if x > 1e9:  # 1/x − 1/x³ + …
        return 1 / x
    return float(_kernel(x)[1].sum())


def mills_difference(x: float, *, step: float) -> float:
    """mills(x) − mills(x + step) for x ≥ −½ and 0 ≤ step ≤ 8, without subtracting.

    = ∫₀^∞ e^{−xt − t²/2} (1 − e^{−step·t}) dt, whose integrand is positive.
    """
    t, weight = _kernel(x)
    return float(weight @ -np.expm1(-step * t))


def density(x: Fraction) -> float:
    """φ(x) = e^{−x²/2} / √(2π), with relative error of a few 2⁻⁵³ while it is a normal float."""
    return exp_of(-x * x / 2) / sqrt(2 * pi)


def upper_tail(x: Fraction) -> float:
    """Φ(−x), the probability above x, with relative error below 1e-14 for all x."""
    near = as_float(x)
    if near < 1:
        return erfc(near / sqrt(2)) / 2
    return density(x) * mills(near)
