"""The continuous Gaussian, sampled exactly and rounded: random bits and integers only.

Because the released number is a function of a true Gaussian observation (rounding is
post-processing), theorems about continuous Gaussian noise apply without any slack for a
discrete stand-in.

Method: Karney, Sampling exactly from the normal distribution, ACM TOMS 42(1), 2016. The
magnitude is k + x with an integer k, P(k) ∝ e^{−k²/2}, and a fraction x accepted with
probability e^{−x(2k+x)/2}, so that the density is ∝ e^{−(k+x)²/2}. The fraction is a uniform
real whose bits are drawn only as far as decisions need them.

`rounded_gaussian` draws one number, and `rounded_gaussians` a vector of the same law with arrays.
For arrays the coin of e^{−x(2k+x)/2} is taken apart until only integers below a bound and
comparisons of uniform reals are left (`_curve_coins`, `LazyUniforms`).
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import final

import numpy as np

from peekproof.core import check
from peekproof.noise.coins import Coins, geometrics
from peekproof.noise.entropy import Entropy, Integers, Pool, below, belows, gather, words

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


# Bits that every comparison sees, and bits that only the rounding sees.
HEAD = 32
REST = 62

Places = np.ndarray[tuple[int, ...], np.dtype[np.intp]]
# z lies from low to low + 1, over 2^precision; all further bits of it are fair and not yet drawn.
Cell = tuple[int, int]


@final
class LazyUniforms:
    """Uniform reals in [0, 1): their heads, and the tails of those that needed one.

    A uniform real is an endless row of fair bits. Its first HEAD bits are in an array; they decide
    a comparison unless both heads are equal. Then, and only then, its further bits are drawn,
    compared and kept: they stay the bits of that x in later comparisons and in the rounding.
    Nothing is drawn again because it was undecided, so every x is conditioned on exactly the
    trials it went through.
    """

    __slots__ = ("_rng", "heads", "tails")

    def __init__(self, count: int, *, rng: Entropy) -> None:
        self._rng = rng
        self.heads = words(HEAD, count, rng=rng)
        self.tails: dict[int, LazyUniform] = {}

    def above_fresh(self, places: Places) -> Coins:
        """Whether fresh uniform reals lie below those at `places`."""
        heads = self.heads[places]
        fresh = words(HEAD, places.size, rng=self._rng)
        above = fresh < heads
        for tie in np.flatnonzero(fresh == heads):
            place = int(places[tie])
            tail = self.tails.get(place) or LazyUniform(rng=self._rng)
            self.tails[place] = tail
            above[tie] = tail.above_fresh()
        return above


def rounded_gaussians(*, centres: Sequence[Fraction], scale: Fraction, rng: Entropy) -> list[int]:
    """⌊centre + scale·Z + ½⌋ for every centre and independent standard normals Z, exactly so.

    The normals are drawn to 2^−94 or finer before the first centre is looked at; a rounding needs
    more bits with a probability of at most about max(1, scale)/2^94, whatever its centre.
    """
    check.positive_fraction(scale=scale)
    check.positive_integer(centres=len(centres))
    normals = gather(
        len(centres),
        many=lambda proposals: _kept(proposals, rng=rng),
        one=_cell,
        rng=rng,
    )
    return [
        _settled(centre, scale, low, precision, rng)
        for centre, (low, precision) in zip(centres, normals, strict=True)
    ]


def _settled(centre: Fraction, scale: Fraction, low: int, precision: int, rng: Entropy) -> int:
    while True:
        drawn = rounded_if_known(centre=centre, scale=scale, low=low, precision=precision)
        if drawn is not None:
            return drawn
        low = low << REST | rng.bits(REST)
        precision += REST


def _cell(pool: Pool) -> Cell:
    """One standard normal, by the scalar sampler."""
    k, x = magnitude(rng=pool)
    size = (k << x.precision) + x.numerator
    coarse = ~size if pool.bits(1) else size
    return coarse << REST | pool.bits(REST), x.precision + REST


def _kept(proposals: int, *, rng: Entropy) -> list[Cell]:
    """The standard normals that so many proposals give.

    k coins of e^{−1/2} in a row and then k(k−1)/2 of e^{−1} have probability ∝ e^{−k²/2}. The
    complement ~size of a magnitude's known bits is the cell of its negative: −size − 1.
    """
    k = geometrics(2, proposals, rng=rng)
    needed = k * (k - 1) // 2
    tested = np.flatnonzero(needed)
    fails = geometrics(1, tested.size, rng=rng) < needed[tested]
    k = np.delete(k, tested[fails])
    x = LazyUniforms(k.size, rng=rng)
    kept = np.flatnonzero(_accepted_many(x, k, rng=rng))
    negative = words(1, kept.size, rng=rng)
    size = (k[kept] << HEAD) + x.heads[kept]
    coarse = np.where(negative, ~size, size).tolist()
    rest = words(REST, kept.size, rng=rng).tolist()
    cells = [(low << REST | tail, HEAD + REST) for low, tail in zip(coarse, rest, strict=True)]
    for place, tail in x.tails.items():
        at = int(np.searchsorted(kept, place))
        if at < kept.size and kept[at] == place:
            known = tail.numerator
            if negative[at]:
                known = (1 << tail.precision) - 1 - known
            cells[at] = coarse[at] << tail.precision | known, HEAD + tail.precision
    return cells


def _accepted_many(x: LazyUniforms, k: Integers, *, rng: Entropy) -> Coins:
    """Each True with probability e^{−x(2k+x)/2}, as k + 1 coins of e^{−x(2k+x)/(2(k+1))}."""
    accepted = np.ones(k.size, dtype=np.bool_)
    for coin in range(int(k.max(initial=0)) + 1):
        tossing = np.flatnonzero(accepted & (k >= coin))
        accepted[tossing] = _curve_coins(x, k, tossing, rng=rng)
    return accepted


def _curve_coins(x: LazyUniforms, k: Integers, places: Places, *, rng: Entropy) -> Coins:
    """Each True with probability e^{−x(2k+x)/(2(k+1))}, for the x and k at `places`.

    One trial of x(2k+x) / (2(k+1)·i) is one of 1/i, one of x, and one of (2k+x) / (2k+2). One of x
    succeeds if a fresh uniform lies below x; `_slope` is the last.
    """
    odd = np.ones(places.size, dtype=np.bool_)
    running = np.arange(places.size)
    i = 1
    while running.size:
        running = running[belows(i, running.size, rng=rng) == 0]
        running = running[x.above_fresh(places[running])]
        running = running[_slope(x, k, places[running], rng=rng)]
        odd[running] ^= True
        i += 1
    return odd


def _slope(x: LazyUniforms, k: Integers, places: Places, *, rng: Entropy) -> Coins:
    """Each True with probability (2k + x) / (2k + 2).

    It is k/(k+1) + 1/(k+1) · ½ · x: an integer below k+1 is not the last or, if it is, a fair coin
    and a trial of x succeed.
    """
    steps = k[places]
    coins = np.zeros(places.size, dtype=np.bool_)
    for value in range(1, int(steps.max(initial=0)) + 1):
        same = np.flatnonzero(steps == value)
        coins[same] = belows(value + 1, same.size, rng=rng) < value
    last = np.flatnonzero(~coins)
    last = last[words(1, last.size, rng=rng) == 0]
    coins[last] = x.above_fresh(places[last])
    return coins
