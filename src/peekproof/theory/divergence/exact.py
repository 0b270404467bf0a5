"""Numbers as exact rationals, and elementary functions of them with one rounding or two."""

import math
from fractions import Fraction

from peekproof.core.errors import InvalidInput

Number = int | float | Fraction
NEXT_ORDER = 1 + Fraction(1, 2**100)


def number(**named: object) -> Fraction:
    """The one finite number given, exactly: a float stands for its binary value."""
    ((name, value),) = named.items()
    accepted = "a finite number"
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        raise InvalidInput(argument=name, accepted=accepted, given=type(value).__name__)
    if isinstance(value, float) and not math.isfinite(value):
        raise InvalidInput(argument=name, accepted=accepted, given=repr(value))
    return Fraction(value)


def positive(**named: object) -> Fraction:
    """The one number given, exactly, if it is finite and above 0."""
    ((name, value),) = named.items()
    exact = number(**named)
    if exact <= 0:
        raise InvalidInput(argument=name, accepted="a number above 0", given=f"{value}")
    return exact


def order_of(**named: object) -> Fraction:
    """The one Rényi order given, exactly, if it is finite and at least 1.

    Orders nearer to 1, but above it, are read as `NEXT_ORDER`: divergences rise with their
    order, and no float can tell.
    """
    ((name, value),) = named.items()
    exact = number(**named)
    if exact < 1:
        accepted = "a Rényi order of at least 1"
        raise InvalidInput(argument=name, accepted=accepted, given=f"{value}")
    return exact if exact == 1 else max(exact, NEXT_ORDER)


def unit(**named: object) -> Fraction:
    """The one number given, exactly, if it lies between 0 and 1, ends included."""
    ((name, value),) = named.items()
    exact = number(**named)
    if not 0 <= exact <= 1:
        raise InvalidInput(argument=name, accepted="between 0 and 1", given=f"{value}")
    return exact


def as_float(exact: Fraction) -> float:
    """The nearest float; an infinity beyond the largest."""
    try:
        return float(exact)
    except OverflowError:
        return math.inf if exact > 0 else -math.inf


def exp_of(exact: Fraction) -> float:
    """e^x, also where rounding x itself to a float would show: e^(h+l) = e^h (1 + l)."""
    high = as_float(exact)
    if high < -746:  # below the smallest float
        return 0.0
    try:
        return math.exp(high) * (1 + float(exact - Fraction(high)))
    except OverflowError:
        return math.inf


def expm1_of(exact: Fraction) -> float:
    """e^x − 1, without cancelling near 0 and with the digits of x that a float drops."""
    high = as_float(exact)
    return math.expm1(high) if abs(high) < 1 else exp_of(exact) - 1
