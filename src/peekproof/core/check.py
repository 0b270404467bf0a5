"""Validators that take the value by keyword, so that the message names the argument."""

import math
from collections.abc import Callable
from fractions import Fraction

from peekproof.core.errors import InvalidInput

# Below this the logarithms and tails of floats lose the digits that the margin covers.
SMALLEST_LEVEL = Fraction(1, 10**200)


def _sole(named: dict[str, object]) -> tuple[str, object]:
    ((name, value),) = named.items()
    return name, value


def _shown(value: object) -> str:
    try:
        return repr(value)
    except ValueError:  # Python refuses to print integers of thousands of digits
        return "an integer of thousands of digits"


def positive_integer(**named: object) -> int:
    """The one value given, if it is an integer of at least 1."""
    name, value = _sole(named)
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise InvalidInput(argument=name, accepted="an integer of at least 1", given=_shown(value))
    return value


def _fraction(
    named: dict[str, object], accepted: str, fits: Callable[[Fraction], bool]
) -> Fraction:
    """The one value given, if it is exact (a float would hide NaN and rounding) and fits."""
    name, value = _sole(named)
    if not isinstance(value, Fraction) or not fits(value):
        raise InvalidInput(argument=name, accepted=accepted, given=_shown(value))
    return value


def positive_fraction(**named: object) -> Fraction:
    """The one value given, if it is an exact rational above 0."""
    return _fraction(named, "a positive Fraction", lambda value: value > 0)


def exact_number(**named: object) -> Fraction:
    """The value given, if it is a finite number; a float stands for the decimal it prints as."""
    name, value = _sole(named)
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        raise InvalidInput(argument=name, accepted="a finite number", given=repr(value)[:80])
    if isinstance(value, int | Fraction):
        return Fraction(value)
    if not math.isfinite(value):
        raise InvalidInput(argument=name, accepted="a finite number", given=repr(value))
    return Fraction(repr(float(value)))


def amount(**named: object) -> Fraction:
    """The one value given, if it is an exact rational of at least 0."""
    # Every charge passes here, and comparing a Fraction with 0 takes ten times as long.
    return _fraction(named, "a Fraction of at least 0", lambda value: value.numerator >= 0)


def above_one(**named: object) -> Fraction:
    """The one value given, if it is an exact rational above 1."""
    return _fraction(named, "a Fraction above 1", lambda value: value > 1)


def unit_fraction(**named: object) -> Fraction:
    """The one value given, if it is an exact rational between 0 and 1, ends included."""
    return _fraction(named, "a Fraction between 0 and 1", lambda value: 0 <= value <= 1)


def positive_float(**named: object) -> float:
    """The one value given, if it is a finite number above 0."""
    name, value = _sole(named)
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        raise InvalidInput(argument=name, accepted="a number above 0", given=_shown(value))
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not 0 < number < math.inf:  # also false for NaN
        raise InvalidInput(argument=name, accepted="a finite number above 0", given=_shown(value))
    return number


def probability(**named: object) -> Fraction:
    """The one value given as an exact rational strictly between 0 and 1.

    A float stands for the decimal it prints as: 0.95 is 19/20, not its nearest double.
    """
    name, value = _sole(named)
    accepted = "strictly between 0 and 1, such as 0.95"
    if isinstance(value, bool) or not isinstance(value, int | float | Fraction):
        raise InvalidInput(argument=name, accepted=accepted, given=_shown(value))
    if not SMALLEST_LEVEL <= value < 1:  # also false for NaN
        raise InvalidInput(argument=name, accepted=accepted, given=_shown(value))
    return value if isinstance(value, Fraction) else Fraction(repr(float(value)))


# Noise beyond these sizes cannot be drawn, bounded and written down.
_LARGEST = 10**100
_MOST_BITS = 4096


def drawable(**named: object) -> Fraction:
    """The one value given, if it is a size of noise that can be drawn, bounded and written down."""
    value = positive_fraction(**named)
    bits = max(value.numerator.bit_length(), value.denominator.bit_length())
    if not Fraction(1, _LARGEST) <= value <= _LARGEST or bits > _MOST_BITS:
        ((name, _),) = named.items()
        raise InvalidInput(
            argument=name,
            accepted="between 10^-100 and 10^100, as a ratio of integers below 2^4096",
            given="one beyond that",
        )
    return value


def grid(step: Fraction) -> None:
    """Refuse a grid that cannot be written down, or that does not hold 0 and 1."""
    if drawable(step=step).numerator != 1:
        raise InvalidInput(
            argument="step",
            accepted="one over an integer, so that 0 and 1 are on the grid",
            given=str(step),
        )
