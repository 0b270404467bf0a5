"""The discrete Laplace distribution, sampled exactly, singly or as a vector of the same law.

Method: Canonne, Kamath and Steinke, The discrete Gaussian for differential privacy, 2020.
"""

from fractions import Fraction

import numpy as np

from peekproof.core import check
from peekproof.noise.coins import exponential_coin, exponential_coins, geometric, geometrics
from peekproof.noise.entropy import (
    WIDEST,
    Entropy,
    Integers,
    Unbounded,
    below,
    belows,
    gather,
    unbounded_belows,
    words,
)


def discrete_laplace(*, scale: Fraction, rng: Entropy) -> int:
    """An integer z with probability proportional to e^{−|z|/scale}, distributed exactly so."""
    check.positive_fraction(scale=scale)
    return two_sided(scale.numerator, scale.denominator, rng=rng)


def two_sided(t: int, s: int, *, rng: Entropy) -> int:
    """An integer z with probability proportional to e^{−|z|s/t}, for positive t and s.

    U + t·V has P(x) ∝ e^{−x/t} on 0, 1, … if U < t is kept with probability e^{−U/t} and V is
    geometric with ratio 1/e; dividing it by s leaves P(y) ∝ e^{−ys/t}. A sign is drawn, and minus
    zero is drawn again. U is kept with probability above 1 − 1/e and the sign with at least ½, so
    the expected number of rounds is below 4 whatever t and s are.
    """
    while True:
        low = below(t, rng=rng)
        if not exponential_coin(low, t, rng=rng):
            continue
        magnitude = (low + t * geometric(rng=rng)) // s
        negative = rng.bits(1)
        if magnitude or not negative:
            return -magnitude if negative else magnitude


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
    """The draws with P(z) ∝ e^{−|z|s/t} that so many proposals give, as in `two_sided`."""
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
