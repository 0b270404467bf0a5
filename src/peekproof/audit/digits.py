"""What anybody can look at in a released number besides its size."""

from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from fractions import Fraction
from math import frexp
from numbers import Rational, Real
from typing import Any

# A double's significand, as an integer.
BITS = 53
LOW = 4


def leaves(release: Any) -> Iterator[Any]:
    """What a release is made of, in order: numbers, and what else there is."""
    if isinstance(release, tuple | list):
        for part in release:
            yield from leaves(part)
    elif is_dataclass(release):
        for field in fields(release):
            yield from leaves(getattr(release, field.name))
    else:
        yield release


def exact(number: Any) -> Fraction | None:
    """The number as it is, without rounding; None if it is not finite or not a number."""
    if not isinstance(number, Real):
        return None
    try:
        return Fraction(number) if isinstance(number, Rational) else Fraction(float(number))
    except (OverflowError, ValueError):  # infinite, or NaN
        return None


def finest_digit(number: Any) -> int | None:
    """The place of the last binary digit that is not 0: −2 for 3/4, 3 for 8."""
    value = exact(number)
    if not value:
        return None
    top, bottom = value.numerator, value.denominator
    return _zeros(top) - _zeros(bottom)


def denominator(number: Any) -> int | None:
    """What the number is a multiple of 1 over, without factors 2, which `finest_digit` has."""
    value = exact(number)
    return None if value is None else value.denominator >> _zeros(value.denominator)


def exponent(number: Any) -> int | None:
    """The order of magnitude, in powers of two."""
    value = exact(number)
    if value is None:
        return None
    return abs(value).numerator.bit_length() - value.denominator.bit_length()


def spare_digits(number: Any) -> int | None:
    """How many of the last digits of a double are 0: rounding elsewhere leaves some."""
    whole = _significand(number)
    return None if whole is None else min(BITS, _zeros(whole)) if whole else BITS


def low_digits(number: Any) -> int | None:
    """The last digits of a double."""
    whole = _significand(number)
    return None if whole is None else whole % 2**LOW


FEATURES: dict[str, Callable[[Any], Any]] = {
    "place of the last digit": finest_digit,
    "odd part of the denominator": denominator,
    "exponent": exponent,
    "zeros at the end of the double": spare_digits,
    "last digits of the double": low_digits,
}


def multiples_of(step: Fraction) -> Callable[[Any], bool]:
    """Whether all numbers of a release are multiples of the step, to the last digit."""

    def on_grid(release: Any) -> bool:
        found = [exact(part) for part in leaves(release) if isinstance(part, Real)]
        return all(each is not None and (each / step).denominator == 1 for each in found)

    return on_grid


def _significand(number: Any) -> int | None:
    if not isinstance(number, float) or exact(number) is None:
        return None
    return int(abs(frexp(number)[0]) * 2**BITS)


def _zeros(whole: int) -> int:
    """How many binary digits at the end are 0."""
    return (whole & -whole).bit_length() - 1
