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

from peekproof.noise.entropy import Entropy, below

CHUNK = 64


@final
class LazyUniform:
    """A uniform real in [0, 1), known to lie in [numerator, numerator + 1] / 2^precision."""

    __slots__ = ("_rng", "numerator", "precision")

    def __init__(self, *, rng: Entropy) -> None:
        self._rng = rng
        self.precision = CHUNK
        self.numerator = rng.bits(CHUNK)

    def above_fresh(self) -> bool:
        """Whether another uniform real, drawn now, lies below this one: a coin of this bias."""
        fresh = LazyUniform(rng=self._rng)
        while True:
            while fresh.precision < self.precision:
                fresh.refine()
            while self.precision < fresh.precision:
                self.refine()
            if fresh.numerator != self.numerator:
                return fresh.numerator < self.numerator
            fresh.refine()

    def refine(self) -> None:
        self.numerator = self.numerator << CHUNK | self._rng.bits(CHUNK)
        self.precision += CHUNK


def _half_exponential(*, rng: Entropy) -> bool:
    """True with probability e^{−1/2}.

    The first i ≥ 1 at which a coin of probability (1/2)/i fails is odd with probability
    Σ (−1/2)^i / i! = e^{−1/2} (von Neumann).
    """
    if rng.bits(1):
        return True
    i = 2
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
        precision = x.precision
        across = 2 * (k + 1) * trial << precision
        left = u.numerator * across
        left_end = left + across
        start = x.numerator
        right = start * ((2 * k << precision) + start)
        right_end = right + (2 * k << precision) + 2 * start + 1
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


def magnitude(*, rng: Entropy) -> tuple[int, LazyUniform]:
    """k and x with k + x distributed as |Z|."""
    while True:
        k = 0
        while _half_exponential(rng=rng):
            k += 1
        for _ in range(k * (k - 1)):
            if not _half_exponential(rng=rng):
                break
        else:
            x = LazyUniform(rng=rng)
            if _accepted(x, k=k, rng=rng):
                return k, x


def rounded_if_known(*, centre: Fraction, scale: Fraction, low: int, precision: int) -> int | None:
    """⌊centre + scale·z + ½⌋ if it is the same for all z from low to low + 1, over 2^precision."""
    numerator, denominator = centre.as_integer_ratio()
    ahead, across = scale.as_integer_ratio()
    reach = 2 * ahead * denominator
    across <<= precision
    whole = 2 * denominator * across
    answer, rest = divmod((2 * numerator + denominator) * across + reach * low, whole)
    return answer if rest + reach < whole else None


def rounded_gaussian(*, centre: Fraction, scale: Fraction, rng: Entropy) -> int:
    """⌊centre + scale·Z + ½⌋ for a standard normal Z, distributed exactly so."""
    k, x = magnitude(rng=rng)
    negative = rng.bits(1)
    while True:
        size = (k << x.precision) + x.numerator
        drawn = rounded_if_known(
            centre=centre, scale=scale, low=~size if negative else size, precision=x.precision
        )
        if drawn is not None:
            return drawn
        x.refine()
