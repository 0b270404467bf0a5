"""The privacy losses of the common mechanisms as laws on a grid, each a dominating one."""

from collections.abc import Iterator
from fractions import Fraction
from math import ceil, exp, floor, sqrt, tanh
from statistics import NormalDist

import numpy as np

from peekproof.core.loss import GDP
from peekproof.core.numerics import float_up
from peekproof.theory.composition.grid_law import ULP, GridLaw, length, width_of
from peekproof.theory.conversion.outward import float_above

# Gauss–Legendre on pieces of at most an eighth of a standard deviation: with the law within 40
# of them, the error is below 1e-15 of every piece.
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)
_PIECES = 8
_FARTHEST = 37.5  # standard deviations: beyond lies less than 1e-307


def response_law(epsilon: Fraction, *, step: Fraction) -> GridLaw:
    """Randomised response: +ε with odds e^ε, else −ε. No ε-private mechanism is worse."""
    eps = float_above(epsilon=epsilon)
    falls = exp(-eps) / (1 + exp(-eps))
    return GridLaw.of_atoms([(epsilon, 1 / (1 + exp(-eps))), (-epsilon, falls)], step=step)


def laplace_law(epsilon: Fraction, *, step: Fraction) -> GridLaw:
    """Laplace noise: ½ at ε, ½e^{−ε} at −ε, and the density ¼e^{(t−ε)/2} between them.

    The density on a piece [a, b] is replaced by atoms ½e^{(b−ε)/2}·tanh((b−a)/4) at b and
    ½e^{(a−ε)/2}·tanh((b−a)/4) at a, which have the same probabilities as the piece under both
    laws: the piece is a function of the two atoms.
    """
    low, high = floor(-epsilon / step) + 1, ceil(epsilon / step) - 1  # the lines inside (−ε, ε)
    ends = GridLaw.of_atoms(_laplace_ends(epsilon, low * step, high * step), step=step)
    if low > high:
        return ends
    lines = np.arange(low, high + 1) * float(step)
    margin = 1 + (16 + 4 * float(epsilon)) * ULP  # rounding ε moves e^ε by that much
    share = np.exp((lines - float(epsilon)) / 2) * (tanh(float(step) / 4) / 2 * margin)
    inner = ends.weights[low - ends.first : high + 1 - ends.first]
    inner[1:] += share[1:]
    inner[:-1] += share[:-1]
    inner *= 1 + 4 * ULP
    return ends


def _laplace_ends(
    epsilon: Fraction, low: Fraction, high: Fraction
) -> Iterator[tuple[Fraction, float]]:
    """The atoms, and the pieces of density between them and the outermost grid lines."""
    eps = float_above(epsilon=epsilon)
    yield epsilon, 0.5
    yield -epsilon, exp(-eps) / 2
    pieces = ((-epsilon, low), (high, epsilon)) if low <= high else ((-epsilon, epsilon),)
    for a, b in pieces:
        share = tanh(float((b - a) / 4)) / 2
        yield b, exp(float((b - epsilon) / 2)) * share
        yield a, exp(float((a - epsilon) / 2)) * share


def gaussian_law(loss: GDP, *, step: Fraction, lost: float) -> GridLaw:
    """Gaussian noise: N(μ²/2, μ²), of which at most `lost` at either end is cut off.

    Above it counts as infinite, below it moves up, so that no δ falls.

    Each point t of a cell [a, b] is split between a and b as an atom would be.
    """
    if not loss.mu_squared:
        return GridLaw.nothing(step=step)
    square = float_above(mu_squared=loss.mu_squared)
    mu, width = sqrt(square), width_of(step)
    reach = min(_FARTHEST, -NormalDist().inv_cdf(lost)) if lost > 1e-300 else _FARTHEST
    low = floor((square / 2 - reach * mu) / width)
    high = ceil((square / 2 + reach * mu) / width) + 1
    per_cell = max(1, ceil(_PIECES * width / mu))
    length((high - low) * per_cell * len(_NODES), step=step)
    piece = width / per_cell
    # Points as distances from the lower end of their cell, so that nothing cancels.
    inside = ((np.arange(per_cell)[:, None] + (_NODES + 1) / 2) * piece).ravel()
    mass = np.tile(_WEIGHTS / 2 * piece, per_cell)
    cells = np.arange(low, high)[:, None] * width
    score = (cells + inside - square / 2) / mu
    density = np.exp(-score * score / 2) * (mass / (mu * sqrt(2 * np.pi)))
    weights = np.zeros(high - low + 1)
    weights[1:] += density @ (np.expm1(-inside) / np.expm1(-width))
    weights[:-1] += density @ (np.exp(-inside) * np.expm1(inside - width) / np.expm1(-width))
    weights[0] += lost + 1e-307
    return GridLaw(
        step=step,
        first=low,
        weights=weights * (1 + 2.0**-36),
        beyond=float_up(Fraction(lost)) + 1e-307,
    )
