"""The discrete Laplace law, drawn exactly.

Method: Canonne, Kamath and Steinke, The discrete Gaussian for differential privacy, 2020.
"""

from fractions import Fraction

from holdfast.noise.coin import exponential_coin
from holdfast.noise.entropy import Entropy, below


def discrete_laplace(*, scale: Fraction, rng: Entropy) -> int:
    """An integer z with probability proportional to e^{−|z|/scale}, distributed exactly so.

    With scale = t/s: U + t·V has P(x) ∝ e^{−x/t} on 0, 1, … if U < t is kept with probability
    e^{−U/t} and V is geometric with ratio 1/e; dividing it by s leaves P(y) ∝ e^{−ys/t}. A sign is
    drawn, and minus zero is drawn again.
    """
    t, s = scale.numerator, scale.denominator
    while True:
        low = below(t, rng=rng)
        if not exponential_coin(low, t, rng=rng):
            continue
        high = 0
        while exponential_coin(1, 1, rng=rng):
            high += 1
        magnitude = (low + t * high) // s
        negative = rng.bits(1)
        if magnitude or not negative:
            return -magnitude if negative else magnitude
