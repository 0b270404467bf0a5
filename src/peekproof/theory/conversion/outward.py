"""Between exact amounts and floats, always on the safe side, and refused where floats end."""

from collections.abc import Callable
from fractions import Fraction
from math import exp, fsum, inf, isfinite, log2

from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import MARGIN, float_up, up

LEAST_DELTA = Fraction(1, 10**300)
_LEAST_LOG = -700.0  # e^−700 is about 1e-304, the last decade of floats at full precision


def _shown(value: Fraction) -> str:
    if value.numerator.bit_length() + value.denominator.bit_length() < 400:
        return repr(value)
    return f"about 2^{log2(abs(value.numerator)) - log2(value.denominator):.0f}"


def failure(**named: object) -> Fraction:
    """The one δ given, if its logarithm is finite and negative: from 1e-300 to below 1."""
    ((name, value),) = named.items()
    if not isinstance(value, Fraction) or not LEAST_DELTA <= value < 1:
        shown = _shown(value) if isinstance(value, Fraction) else repr(value)
        accepted = "a Fraction from 1e-300 to below 1"
        raise InvalidInput(argument=name, accepted=accepted, given=shown)
    return value


def float_above(*, most: float = 1e100, **named: Fraction) -> float:
    """A float not below the one amount given: 0 stays 0, specks become 1e-100."""
    ((name, value),) = named.items()
    if value > most:
        accepted = f"at most {most:g} for this bound"
        raise InvalidInput(argument=name, accepted=accepted, given=_shown(value))
    return max(1e-100, float_up(value)) if value else 0.0


def sum_up(*terms: float) -> float:
    """A float above the sum of what the terms approximate, even where they cancel."""
    return up(fsum(terms)) + MARGIN * fsum(map(abs, terms))


def amount_above(value: float, *, argument: str) -> Fraction:
    """`value` as an exact amount of at least 0; a bound that overflowed is refused."""
    if not isfinite(value):
        raise InvalidInput(argument=argument, accepted="small enough to bound", given="overflow")
    return Fraction(max(0.0, value))


def exp_up(logarithm: float) -> float:
    """A float above e^logarithm, at most 1 and never below 1e-304."""
    # The floor is an upper bound too, and above it the logarithm is good to 2e-13.
    return min(1.0, up(exp(max(_LEAST_LOG, min(logarithm, 0.0)))))


def least_holding(holds: Callable[[float], bool], *, high: float, argument: str) -> float:
    """A point where `holds` was seen to hold, next to the least one in [0, high].

    `holds` is false below some threshold and true above. A bracket whose upper end fails, or a
    NaN inside, ends in a refusal: nothing is returned that was not tested.
    """
    if holds(0.0):
        return 0.0
    if not 0 < high < inf or not holds(high):
        raise InvalidInput(argument=argument, accepted="within reach of this bound", given="no ε")
    low = 0.0
    for _ in range(200):
        middle = (low + high) / 2
        if high - low <= high * 2.0**-48:
            break
        low, high = (low, middle) if holds(middle) else (middle, high)
    return high
