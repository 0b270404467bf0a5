"""Vectors of discrete Laplace draws: `laplace` with arrays, the same law."""

from fractions import Fraction

import numpy as np

from peekproof.core import check
from peekproof.noise.coins import exponential_coins, geometrics
from peekproof.noise.entropy import Entropy
from peekproof.noise.laplace import two_sided
from peekproof.noise.words import (
    WIDEST,
    Integers,
    Unbounded,
    belows,
    gather,
    unbounded_belows,
    words,
)


def discrete_laplaces(*, scale: Fraction, count: int, rng: Entropy) -> list[int]:
    """Independent integers z, each with probability proportional to e^{−|z|/scale}, exactly so.

    Python's integers, because no scale is refused: of the largest, 64 bits would not hold a draw.
    """
    check.positive_fraction(scale=scale)
    check.positive_integer(count=count)
    t, s = scale.numerator, scale.denominator
    return gather(
        count,
        many=lambda proposals: kept_two_sided(t, s, proposals, rng=rng).tolist(),
        one=lambda pool: two_sided(t, s, rng=pool),
        rng=rng,
    )


def kept_two_sided(t: int, s: int, proposals: int, *, rng: Entropy) -> Integers | Unbounded:
    """The draws with P(z) ∝ e^{−|z|s/t} that so many proposals give, as in `laplace.two_sided`."""
    low: Integers | Unbounded
    draw = belows if t.bit_length() <= WIDEST else unbounded_belows
    low = draw(t, proposals, rng=rng)
    low = low[exponential_coins(low, t, rng=rng)]
    high: Integers | Unbounded = geometrics(1, low.size, rng=rng)
    largest = t * (int(high.max(initial=0)) + 1)
    if max(largest, s).bit_length() > WIDEST:
        low, high = low.astype(np.object_), high.astype(np.object_)
    magnitude = (low + t * high) // s
    negative = words(1, magnitude.size, rng=rng)
    signed: Integers | Unbounded = magnitude * (1 - 2 * negative)
    kept: Integers | Unbounded = signed[(magnitude != 0) | (negative == 0)]
    return kept
