"""The discrete Laplace law, drawn exactly.

Method: Canonne, Kamath and Steinke, The discrete Gaussian for differential privacy, 2020.
"""

from fractions import Fraction

from peekproof.core import check
from peekproof.noise.coin import exponential_coin, geometric
from peekproof.noise.entropy import Entropy, below


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
