"""One of many candidates, with probabilities proportional to exponentials of their scores.

The law is exact although no weight is: each weight e^{−γ} is an integer with a proven slack, a
uniform real is held against their sums, and where slack or undrawn bits leave it open on which
side of a sum it lies, both are made more precise. That has probability below 2⁻⁶⁴ for any number
of candidates that fits a machine, and it is also how candidates far behind get their chance.

Every candidate costs the same multiplications: how many depends on `unit`, which is public, and
neither on its score nor on how many others share that.
"""

from bisect import bisect_left
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate

from peekproof.noise.entropy import Entropy
from peekproof.noise.gaussian import LazyUniform

PRECISION = 128
_DIGIT = 4  # bits of an exponent that one multiplication takes care of
_DIGITS = 1 << _DIGIT


def _exponential(exponent: Fraction, *, precision: int) -> int:
    """An integer w with w ≤ e^{−exponent}·2^precision < w + 2.

    The argument r is the exponent halved m times, to at most ½. A term of Σ (−r)^i/i!, made from
    the one before and cut, is less than 2 too small, as e_i ≤ e_{i−1}/2 + 1. When the j-th is 0,
    what the series leaves out is below 2, so the sum errs by at most 2j + 2. Squaring a lower
    bound of a number below 1 that lacks e, and cutting, lacks at most 2e + 1; m times, at most
    2^m(4j + 5). As j, the number of bits at work, is below 2^(spare − m)/8, that is less than one
    unit once the spare bits are cut, and the cut lacks less than another.
    """
    if not exponent:
        return 1 << precision
    if exponent >= precision:
        return 0  # e^{−precision} is below 2^{−precision}
    halvings = (2 * exponent.numerator // exponent.denominator).bit_length()
    spare = halvings + precision.bit_length() + 8
    numerator, denominator = exponent.numerator, exponent.denominator << halvings
    total = term = 1 << precision + spare
    j = 0
    while term:
        j += 1
        term = term * numerator // (denominator * j)
        total += -term if j % 2 else term
    low = total - (2 * j + 2)
    for _ in range(halvings):
        low = low * low >> precision + spare
    return low >> spare


@lru_cache(maxsize=32)
def _table(unit: Fraction, precision: int) -> tuple[tuple[int, ...], ...]:
    """Weights of e^{−unit·value} for every value of every digit of an exponent.

    There are as many digits as exponents below which e^{−unit·exponent} can exceed 2^{−precision}.
    """
    places = 1
    while unit * _DIGITS**places < precision:
        places += 1
    return tuple(
        tuple(
            _exponential(unit * value * _DIGITS**place, precision=precision)
            for value in range(_DIGITS)
        )
        for place in range(places)
    )


def weights(gaps: Sequence[int], *, unit: Fraction, precision: int) -> tuple[list[int], int]:
    """Integers w_i and a slack s with w_i ≤ e^{−unit·gap_i}·2^precision ≤ w_i + s.

    If X ≤ x ≤ X + e and Y ≤ y ≤ Y + f, in units of 2^{−precision} and with x, y ≤ 1, then
    xy − XY = x(y − Y) + Y(x − X) ≤ e + f, and cutting XY lacks at most one unit more: a product
    of d factors from the table, each with a slack of 2, has one of 3d.
    """
    table = _table(unit, precision)
    products = [1 << precision] * len(gaps)
    for place, row in enumerate(table):
        shift = place * _DIGIT
        products = [
            product * row[gap >> shift & _DIGITS - 1] >> precision
            for product, gap in zip(products, gaps, strict=True)
        ]
    beyond = _DIGITS ** len(table)  # from here on a weight is below one unit
    found = [product * (gap < beyond) for product, gap in zip(products, gaps, strict=True)]
    return found, 3 * len(table)


def _located(uniform: LazyUniform, lows: Sequence[int], *, slack: int) -> int | None:
    """The i with W_{i−1} ≤ uniform·W < W_i for the sums W_i of all weights, if that is certain."""
    count, sums = len(lows), [0, *accumulate(lows)]
    start = uniform.numerator * sums[count]
    end = (uniform.numerator + 1) * (sums[count] + count * slack)
    # The first sum that is not below the far end; the last is not, for the uniform is below 1.
    index = bisect_left(sums, -(-end >> uniform.precision), lo=1, hi=count) - 1
    before = sums[index] + index * slack
    return index if before << uniform.precision <= start else None


def weighted_choice(scores: Sequence[int], *, unit: Fraction, rng: Entropy) -> int:
    """The index i with probability proportional to e^{unit·scores[i]}, distributed exactly so."""
    best = max(scores)
    gaps = [best - score for score in scores]
    uniform, precision = LazyUniform(rng=rng), PRECISION
    while True:
        while uniform.precision < precision:
            uniform.refine()
        lows, slack = weights(gaps, unit=unit, precision=precision)
        index = _located(uniform, lows, slack=slack)
        if index is not None:
            return index
        precision += PRECISION
