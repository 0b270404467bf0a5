"""The discrete Gaussian law, drawn exactly.

Method: Canonne, Kamath and Steinke, The discrete Gaussian for differential privacy, 2020.
"""

from fractions import Fraction
from math import floor

from peekproof.core import check
from peekproof.noise.coin import exponential_coin
from peekproof.noise.entropy import Entropy
from peekproof.noise.laplace import two_sided


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
