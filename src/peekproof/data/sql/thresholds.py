"""From where on arithmetic with one constant leaves the finite doubles, or falls to 0."""

import math
from collections.abc import Callable
from sys import float_info

_LARGEST = float_info.max
_HALF_SMALLEST = 2.0**-537, 2.0**-538  # their product is half of the smallest double


def last_finite_product(factor: float) -> float:
    """The largest x with a finite x·|factor|, for |factor| > 1."""
    return _largest(_LARGEST / abs(factor), lambda x: math.isfinite(x * abs(factor)))


def last_zero_product(factor: float) -> float:
    """The largest x with x·|factor| rounded to 0, for 0 < |factor| < 1."""
    start = _HALF_SMALLEST[0] / abs(factor) * _HALF_SMALLEST[1]
    return _largest(start, lambda x: x * abs(factor) == 0.0)


def last_finite_dividend(divisor: float) -> float:
    """The largest x with a finite x/|divisor|, for 0 < |divisor| < 1."""
    return _largest(_LARGEST * abs(divisor), lambda x: math.isfinite(x / abs(divisor)))


def last_zero_dividend(divisor: float) -> float:
    """The largest x with x/|divisor| rounded to 0, for |divisor| > 1."""
    start = _HALF_SMALLEST[0] * abs(divisor) * _HALF_SMALLEST[1]
    return _largest(start, lambda x: x / abs(divisor) == 0.0)


def last_infinite_divisor(dividend: float) -> float:
    """The largest x >= 0 with |dividend|/x beyond all doubles, or 0; the dividend is not 0."""
    start = abs(dividend) / _LARGEST
    return _largest(start, lambda x: x == 0.0 or math.isinf(abs(dividend) / x))


def last_divisor(dividend: float) -> float:
    """The largest finite x with |dividend|/x not rounded to 0."""
    if abs(dividend) / _LARGEST != 0.0:
        return _LARGEST
    start = abs(dividend) / _HALF_SMALLEST[0] / _HALF_SMALLEST[1]
    return _largest(min(start, _LARGEST), lambda x: x == 0.0 or abs(dividend) / x != 0.0)


def _largest(start: float, holds: Callable[[float], bool]) -> float:
    """The largest double, of those that are at least 0, for which a monotone condition holds.

    `start` is within a few roundings of it.
    """
    found = start
    while not holds(found):
        found = math.nextafter(found, 0.0)
    while holds(after := math.nextafter(found, math.inf)) and after < math.inf:
        found = after
    return found
