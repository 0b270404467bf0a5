"""Vectors of discrete Gaussian draws: `discrete_gaussian` with arrays, the same law."""

from fractions import Fraction

import numpy as np

from peekproof.core import check
from peekproof.noise.coins import exponential_coins
from peekproof.noise.discrete_gaussian import discrete_gaussian, proposal
from peekproof.noise.entropy import Entropy
from peekproof.noise.laplaces import kept_two_sided
from peekproof.noise.words import WIDEST, gather


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
