"""Outward rounding of floats, and searches for the last integer that fits and for a minimum.

A bound that is computed in floating point leaves through `up` or `down`.
"""

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

# Every bound is a short chain of correctly conditioned operations on `math` functions, each
# within a few units in the last place (2⁻⁵³). The tests hold every chain against mpmath at
# 50 digits and allow it an eighth of this margin.
MARGIN = 2.0**-40

# Room for all digits of the largest and of the smallest double.
_LONG = Context(prec=2000)


def up(value: float) -> float:
    """A float above the exact result that `value` approximates."""
    return math.nextafter(value + abs(value) * MARGIN, math.inf)


def down(value: float) -> float:
    """A float below the exact result that `value` approximates."""
    return math.nextafter(value - abs(value) * MARGIN, -math.inf)


def float_up(exact: Fraction) -> float:
    """The smallest float that is not below `exact`."""
    nearest = float(exact)
    return nearest if Fraction(nearest) >= exact else math.nextafter(nearest, math.inf)


def float_down(exact: Fraction) -> float:
    """The largest float that is not above `exact`."""
    nearest = float(exact)
    return nearest if Fraction(nearest) <= exact else math.nextafter(nearest, -math.inf)


def level_down(exact: Fraction) -> float:
    """A float that prints as a decimal not above `exact`: 19/20 is 0.95, and nothing is 1."""
    nearest = float(exact)
    return nearest if Fraction(repr(nearest)) <= exact else math.nextafter(nearest, -math.inf)


def level_up(exact: Fraction) -> float:
    """A float that prints as a decimal not below `exact`: 1/10⁶ is 1e-06."""
    nearest = float(exact)
    return nearest if Fraction(repr(nearest)) >= exact else math.nextafter(nearest, math.inf)


def decimal_up(value: float, *, places: int = 4) -> str:
    """`value` to print, with `places` decimals and not below it."""
    return _decimal(value, places, ROUND_CEILING)


def decimal_down(value: float, *, places: int = 4) -> str:
    """`value` to print, with `places` decimals and not above it."""
    return _decimal(value, places, ROUND_FLOOR)


def _decimal(value: float, places: int, rounding: str) -> str:
    unit = Decimal(1).scaleb(-places)
    return format(Decimal(value).quantize(unit, rounding=rounding, context=_LONG), "f")


def log_of(exact: Fraction) -> float:
    """ln of a positive amount, however far outside the floats and however near 1; a few ulps."""
    if Fraction(1, 2) < exact < 2:
        return math.log1p(float(exact - 1))  # what is left of 1 is exact, so nothing cancels
    twos = exact.numerator.bit_length() - exact.denominator.bit_length()
    return twos * math.log(2) + math.log(exact / Fraction(2) ** twos)


def digits_up(value: float, *, digits: int = 4) -> str:
    """`value` to print, with so many significant digits and not below it."""
    nearest = Decimal(f"{value:.{digits - 1}e}")
    if nearest < Decimal(value):
        nearest += Decimal(1).scaleb(nearest.adjusted() - digits + 1)
    return f"{nearest:g}"


def largest(fits: Callable[[int], bool], *, most: int) -> int:
    """The largest integer in [1, most] that fits, or 0; `fits` holds up to it and fails beyond."""
    if not fits(1):
        return 0
    low, high = 1, 2
    while high <= most and fits(high):
        low, high = high, high * 2
    high = min(high, most + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def argmin(function: Callable[[float], float], *, low: float, high: float) -> float:
    """Where a function with one valley in [low, high] is smallest, to a thousandth.

    It only ever chooses a parameter: the bound is then evaluated there as it is, so a function
    with several valleys costs width and never validity.
    """
    while high - low > 1e-3:
        third = (high - low) / 3
        if function(low + third) < function(high - third):
            high -= third
        else:
            low += third
    return (low + high) / 2
