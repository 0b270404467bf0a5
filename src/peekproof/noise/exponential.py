"""Exponential and Laplace noise, known only as far as comparisons need, and the largest of many.

Nothing is rounded: what is compared are true reals, so ties have probability zero and theorems
about continuous noise apply as they stand.

Method: J. von Neumann, Various techniques used in connection with random digits, 1951.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import final

from peekproof.noise.entropy import Entropy
from peekproof.noise.gaussian import LazyUniform


@final
class LazyNoise:
    """The real sign·(whole + fraction), of whose fraction only the first bits are drawn."""

    __slots__ = ("fraction", "sign", "whole")

    def __init__(self, *, sign: int, whole: int, fraction: LazyUniform) -> None:
        self.sign = sign
        self.whole = whole
        self.fraction = fraction


def _below(left: LazyUniform, right: LazyUniform) -> bool:
    """Whether left < right, refining both until their known bits differ."""
    while True:
        while left.precision < right.precision:
            left.refine()
        while right.precision < left.precision:
            right.refine()
        if left.numerator != right.numerator:
            return left.numerator < right.numerator
        left.refine()


def _accepted(x: LazyUniform, *, rng: Entropy) -> bool:
    """True with probability e^{−x}.

    A run x > u₂ > … > u_i of uniforms is that long with probability x^{i−1}/(i−1)!, so the first
    i at which it ends is odd with probability Σ (−x)^i / i! = e^{−x}.
    """
    last, odd = x, True
    while _below(following := LazyUniform(rng=rng), last):
        last, odd = following, not odd
    return odd


def lazy_exponential(*, rng: Entropy) -> LazyNoise:
    """A real with density e^{−t} on t ≥ 0, distributed exactly so.

    A uniform x is kept as the fraction with probability e^{−x}, and so in all with 1 − 1/e;
    the number of failures before is the whole part k, which has probability e^{−k}(1 − 1/e).
    """
    whole = 0
    while not _accepted(x := LazyUniform(rng=rng), rng=rng):
        whole += 1
    return LazyNoise(sign=1, whole=whole, fraction=x)


def lazy_laplace(*, rng: Entropy) -> LazyNoise:
    """A real with density e^{−|t|}/2, distributed exactly so."""
    noise = lazy_exponential(rng=rng)
    noise.sign -= 2 * rng.bits(1)
    return noise


def _ends(score: int, noise: LazyNoise, *, reach: int, precision: int) -> tuple[int, int]:
    """Bounds on score + reach·noise, times 2^precision."""
    known = noise.fraction.precision
    signed = noise.sign * reach
    near = (score << known) + signed * ((noise.whole << known) + noise.fraction.numerator)
    shift = precision - known
    far = near + signed << shift
    near <<= shift
    return (near, far) if signed > 0 else (far, near)


def highest(scores: Sequence[int], noises: Sequence[LazyNoise], *, scale: Fraction) -> int:
    """The index at which score + scale·noise is largest.

    One pass over all candidates decides it unless two of them agree in all drawn bits, which has
    probability about candidates·2⁻⁶⁴ whatever the scores; only those are then refined.
    """
    unit, reach = scale.denominator, scale.numerator
    rivals = list(range(len(scores)))
    while True:
        precision = max(noises[i].fraction.precision for i in rivals)
        ends = [
            _ends(unit * scores[i], noises[i], reach=reach, precision=precision) for i in rivals
        ]
        floor = max(low for low, _ in ends)
        # Whoever reaches no higher than the best lower bound has lost, and for good.
        rivals = [i for i, (_, high) in zip(rivals, ends, strict=True) if high > floor]
        if len(rivals) == 1:
            return rivals[0]
        for i in rivals:
            noises[i].fraction.refine()
