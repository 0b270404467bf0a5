"""The continuous Gaussian, rounded exactly: random bits and integers only.

Because the released number is a function of a true Gaussian observation (rounding is
post-processing), theorems about continuous Gaussian noise apply without any slack for a
discrete stand-in.

Method: Karney, Sampling exactly from the normal distribution, ACM TOMS 42(1), 2016. The
magnitude is k + x with an integer k, P(k) ∝ e^{−k²/2}, and a fraction x accepted with
probability e^{−x(2k+x)/2}, so that the density is ∝ e^{−(k+x)²/2}. The fraction is a uniform
real whose bits are drawn only as far as decisions need them.
"""

from fractions import Fraction
from typing import final

from holdfast.noise.entropy import Entropy, below

CHUNK = 64


@final
class LazyUniform:
    """A uniform real in [0, 1), known to lie in [numerator, numerator + 1] / 2^precision."""

    __slots__ = ("_rng", "numerator", "precision")

    def __init__(self, *, rng: Entropy) -> None:
        self._rng = rng
        self.precision = CHUNK
        self.numerator = rng.bits(CHUNK)

    def refine(self) -> None:
        self.numerator = self.numerator << CHUNK | self._rng.bits(CHUNK)
        self.precision += CHUNK


def _half_exponential(*, rng: Entropy) -> bool:
    """True with probability e^{−1/2}.

    The first i ≥ 1 at which a coin of probability (1/2)/i fails is odd with probability
    Σ (−1/2)^i / i! = e^{−1/2} (von Neumann).
    """
    i = 1
    while below(2 * i, rng=rng) == 0:
        i += 1
    return i % 2 == 1


def _under_curve(x: LazyUniform, *, k: int, trial: int, rng: Entropy) -> bool:
    """True with probability x(2k + x) / (2(k + 1)·trial), which is at most 1.

    Compares a second lazy uniform u: u·2(k+1)·trial < x(2k + x), all over 4^precision.
    """
    u = LazyUniform(rng=rng)
    while True:
        while u.precision < x.precision:
            u.refine()
        while x.precision < u.precision:
            x.refine()
        unit = 1 << x.precision
        left = u.numerator * 2 * (k + 1) * trial * unit
        left_end = left + 2 * (k + 1) * trial * unit
        right = x.numerator * (2 * k * unit + x.numerator)
        right_end = (x.numerator + 1) * (2 * k * unit + x.numerator + 1)
        if left_end <= right:
            return True
        if right_end <= left:
            return False
        u.refine()


def _accepted(x: LazyUniform, *, k: int, rng: Entropy) -> bool:
    """True with probability e^{−x(2k+x)/2}, as k + 1 coins of e^{−x(2k+x)/(2(k+1))}."""
    for _ in range(k + 1):
        i = 1
        while _under_curve(x, k=k, trial=i, rng=rng):
            i += 1
        if i % 2 == 0:
            return False
    return True


def _magnitude(*, rng: Entropy) -> tuple[int, LazyUniform]:
    """k and x with k + x distributed as |Z|."""
    while True:
        k = 0
        while _half_exponential(rng=rng):
            k += 1
        if not all(_half_exponential(rng=rng) for _ in range(k * (k - 1))):
            continue
        x = LazyUniform(rng=rng)
        if _accepted(x, k=k, rng=rng):
            return k, x


def rounded_gaussian(*, centre: Fraction, scale: Fraction, rng: Entropy) -> int:
    """⌊centre + scale·Z + ½⌋ for a standard normal Z, distributed exactly so."""
    k, x = _magnitude(rng=rng)
    sign = 1 - 2 * rng.bits(1)
    shifted = centre + Fraction(1, 2)
    while True:
        unit = 1 << x.precision
        # The real value lies between the two ends; the floor is decided once they share it.
        near = shifted.numerator * scale.denominator * unit
        reach = sign * scale.numerator * shifted.denominator
        whole = shifted.denominator * scale.denominator * unit
        start = (near + reach * (k * unit + x.numerator)) // whole
        end = (near + reach * (k * unit + x.numerator + 1)) // whole
        if start == end:
            return start
        x.refine()
