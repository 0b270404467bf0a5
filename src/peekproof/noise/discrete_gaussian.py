"""The discrete Gaussian distribution, sampled exactly, singly or as a vector of the same law.

Method: Canonne, Kamath and Steinke, The discrete Gaussian for differential privacy, 2020.
"""

from fractions import Fraction
from math import floor

import numpy as np

from peekproof.core import check
from peekproof.noise.coins import exponential_coin, exponential_coins
from peekproof.noise.entropy import WIDEST, Entropy, gather
from peekproof.noise.laplace import kept_two_sided, two_sided


def proposal(sigma: Fraction) -> tuple[int, int, int]:
    """t, a and b: discrete Laplace draws of scale t = ⌊σ⌋ + 1 are proposed, and σ² = a/b."""
    variance = sigma * sigma
    return floor(sigma) + 1, variance.numerator, variance.denominator


def discrete_gaussian(*, sigma: Fraction, rng: Entropy) -> int:
    """An integer z with probability proportional to e^{−z²/(2σ²)}, distributed exactly so.

    A discrete Laplace draw y of scale t is kept with probability e^{−γ},

        γ = (|y| − σ²/t)² / (2σ²) = (|y|·tb − a)² / (2abt²),        σ² = a/b,

    and −|y|/t − γ = −y²/(2σ²) − σ²/(2t²), so what is kept has the law. With t = ⌊σ⌋ + 1 a draw is
    kept with a probability that is bounded below over all σ.
    """
    check.positive_fraction(sigma=sigma)
    t, a, b = proposal(sigma)
    step, denominator = t * b, 2 * a * b * t * t
    while True:
        y = two_sided(t, 1, rng=rng)
        gap = abs(y) * step - a
        if exponential_coin(gap * gap, denominator, rng=rng):
            return y


def discrete_gaussians(*, sigma: Fraction, count: int, rng: Entropy) -> list[int]:
    """Independent integers z, each with probability proportional to e^{−z²/(2σ²)}, exactly so.

    Python's integers, because no sigma is refused: of the largest, 64 bits would not hold a draw.
    """
    check.positive_fraction(sigma=sigma)
    check.positive_integer(count=count)
    return gather(
        count,
        many=lambda proposals: _kept(sigma, proposals, rng=rng),
        one=lambda pool: discrete_gaussian(sigma=sigma, rng=pool),
        rng=rng,
    )


def _kept(sigma: Fraction, proposals: int, *, rng: Entropy) -> list[int]:
    """The draws that so many proposals give, kept as in `discrete_gaussian`."""
    t, a, b = proposal(sigma)
    proposed = kept_two_sided(t, 1, proposals, rng=rng)
    magnitude = np.abs(proposed)
    widest_gap = max((int(magnitude.max(initial=0)) + 1) * t * b, a)
    if (widest_gap * widest_gap).bit_length() > WIDEST:
        magnitude = magnitude.astype(np.object_)
    gap = magnitude * (t * b) - a
    kept: list[int] = proposed[exponential_coins(gap * gap, 2 * a * b * t * t, rng=rng)].tolist()
    return kept
