"""An interval for any number: a difference may be negative, a ratio above 1."""

import math
import sys
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import decimal_down, decimal_up, float_up, level_down, level_up

LARGEST = sys.float_info.max
_PRINTED_IN_FULL = 1e15  # beyond, decimals say nothing and the number itself is printed


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """The closed interval [low, high]; an end is infinite where nothing bounds the number."""

    low: float
    high: float

    def __post_init__(self) -> None:
        if not (self.low <= self.high and self.low < math.inf and self.high > -math.inf):
            raise InvalidInput(
                argument="interval",
                accepted="two numbers, the lower one first",
                given=f"{self.low!r} and {self.high!r}",
            )

    @classmethod
    def outward(cls, low: Fraction | None, high: Fraction | None) -> "Range":
        """The range from `low` to `high`, either of which may be missing.

        Rounds: outward, each end to the nearest float.
        """
        return cls(
            low=-math.inf if low is None else 0.0 - _rounded_up(-low),  # never −0.0
            high=math.inf if high is None else _rounded_up(high),
        )

    @property
    def bounded(self) -> bool:
        return math.isfinite(self.low) and math.isfinite(self.high)

    def nearest(self, number: Fraction) -> Fraction:
        """The number of the range that is nearest to `number`."""
        if number < self.low:
            return Fraction(self.low)
        return Fraction(self.high) if number > self.high else number

    def __contains__(self, number: float | Fraction) -> bool:
        return self.low <= number <= self.high

    def __str__(self) -> str:
        """Both ends as decimals. Rounds: outward."""
        return f"[{_text(self.low, -math.inf)}, {_text(self.high, math.inf)}]"


def nearest_float(number: Fraction) -> float:
    """The float nearest to `number`, however large that is."""
    return float(min(max(number, -Fraction(LARGEST)), Fraction(LARGEST)))


def _rounded_up(number: Fraction) -> float:
    """The smallest float that is not below `number`, infinity included."""
    if number > Fraction(LARGEST):
        return math.inf
    return float_up(number) if number >= -Fraction(LARGEST) else -LARGEST


def _text(number: float, outward: float) -> str:
    if math.isinf(number):
        return "∞" if number > 0 else "−∞"
    if abs(number) < _PRINTED_IN_FULL:
        return decimal_up(number) if outward > 0 else decimal_down(number)
    # A double is printed as a decimal near it, on either side.
    return repr(level_up(Fraction(number)) if outward > 0 else level_down(Fraction(number)))
