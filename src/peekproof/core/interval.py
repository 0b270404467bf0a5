"""An interval for a number of the population."""

from dataclasses import dataclass
from fractions import Fraction
from typing import final

from peekproof.core.numerics import float_down, float_up


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Interval:
    """The closed interval [low, high]."""

    low: float
    high: float

    @classmethod
    def around(cls, value: Fraction, *, radius: float) -> "Interval":
        """All shares within `radius` of `value`.

        Rounds: outward, from exact sums.
        """
        reach = Fraction(radius)
        return cls(low=max(0.0, float_down(value - reach)), high=min(1.0, float_up(value + reach)))

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high
