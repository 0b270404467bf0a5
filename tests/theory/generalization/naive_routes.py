"""The published forms of routes that the package prices with sharper ones: floats and grids."""

from collections.abc import Callable
from functools import partial
from math import erfc, exp, expm1, log, pi, sqrt
from statistics import NormalDist

import numpy as np

NORMAL = NormalDist()
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5)


def least(radius: Callable[[float], float], centre: float) -> float:
    return min(radius(float(x)) for x in centre * np.geomspace(0.01, 100, 1500))


def quantile(count: int, beta: float) -> float:
    return -NORMAL.inv_cdf(beta / (2 * count))


def shortfall(count: int, beta: float) -> float:
    """ES_{β/k}(|Z|)."""
    c = quantile(count, beta)
    beyond = exp(-c * c / 2) / sqrt(2 * pi) - c * erfc(c / sqrt(2)) / 2
    return c + 2 * count * beyond / beta


def moment(information: float, rows: int) -> float:
    rates = [0.05 + 0.949 * i / 200 for i in range(201)]
    return min((2 * information - log(1 - x)) / (4 * rows * x) for x in rates)


def markov_split(rows: int, k: int, beta: float) -> float:
    """Part of β for the noise, Markov's inequality with the rest; total variation added."""

    def radius(sigma: float, share: float) -> float:
        each = k * (2 * NORMAL.cdf(1 / (2 * rows * sigma)) - 1)
        return sigma * shortfall(k, beta * share) + each / (beta * (1 - share))

    centre = sqrt(k / rows)
    return min(least(partial(radius, share=share), centre) for share in SHARES)


def gaussian_information_split(rows: int, k: int, beta: float, information: float) -> float:
    """A quantile of the noise at part of β, Chebyshev's inequality with the rest.

    `information` is that of noise σ = 1.
    """
    sigmas = [sqrt(sqrt(k) / rows) * exp(i / 87) for i in range(-200, 201)]
    moments = [moment(information / s**2, rows) for s in sigmas]
    return min(
        s * quantile(k, beta * b) + sqrt(v / (beta * (1 - b)))
        for b in SHARES
        for s, v in zip(sigmas, moments, strict=True)
    )


def zcdp_split(rows: int, k: int, beta: float) -> float:
    return gaussian_information_split(rows, k, beta, k / (2 * rows))


def feldman_steinke_split(rows: int, k: int, beta: float) -> float:
    return gaussian_information_split(rows, k, beta, k * rows / (8 * (rows - 1) ** 2))


def zcdp_closed_jung(rows: int, k: int, beta: float) -> float:
    """T-jung with ε = ρ + 2√(ρ ln(1/δ)) in place of the least over Rényi orders."""

    def radius(sigma: float) -> float:
        rho = k / (2 * (rows * sigma) ** 2)
        shares = np.geomspace(1e-10, 1e-2, 33).tolist()
        return min(
            sigma * quantile(k, noise)
            + expm1(min(50.0, rho + 2 * sqrt(-rho * log(delta))))
            + (sqrt(noise) + sqrt(2 * delta)) ** 2 / beta
            for noise in shares
            for delta in shares
        )

    sigmas = 0.8 * k**0.25 / sqrt(rows) * np.geomspace(0.5, 4, 60)
    return min(radius(float(s)) for s in sigmas)
