"""The units of an answer: where 0 and 1 of the certified share lie on the analyst's scale."""

from dataclasses import dataclass
from fractions import Fraction
from math import floor, log10
from typing import final

from peekproof.core.errors import InvalidInput
from peekproof.core.interval import Interval
from peekproof.core.numerics import decimal_down, decimal_up, float_down, float_up


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """A share s stands for low + s·(high − low); values above `most` do not occur. Public."""

    low: Fraction
    high: Fraction
    most: Fraction

    def __post_init__(self) -> None:
        if not self.low < self.most <= self.high:
            raise InvalidInput(
                argument="span",
                accepted="low below the largest value, and that not above high",
                given=f"{self.low}, {self.most}, {self.high}",
            )

    @classmethod
    def between(cls, low: Fraction, high: Fraction) -> "Span":
        """The span on which every value between its ends occurs."""
        return cls(low=low, high=high, most=high)

    @property
    def width(self) -> Fraction:
        return self.high - self.low

    def value(self, share: Fraction) -> Fraction:
        """The value that a share stands for."""
        return min(self.most, self.low + share * self.width)

    def share(self, value: Fraction) -> Fraction:
        """The share that stands for a value."""
        return (value - self.low) / self.width

    def interval(self, shares: Interval) -> Interval:
        """The values that an interval of shares stands for. Rounds: outward."""
        low, high = self.value(Fraction(shares.low)), self.value(Fraction(shares.high))
        return Interval(low=float_down(low), high=float_up(high))

    @property
    def places(self) -> int:
        """Decimals that show four digits of the width."""
        return max(0, 4 - floor(log10(self.width)))

    def shown(self, interval: Interval) -> str:
        """An interval to print, rounded outward."""
        low = decimal_down(interval.low, places=self.places)
        return f"[{low}, {decimal_up(interval.high, places=self.places)}]"


UNIT = Span.between(Fraction(0), Fraction(1))
