"""Mechanisms with equal parameters are composed together, however often they occur."""

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction
from typing import TypeVar

from peekproof.core import check

L = TypeVar("L", bound=Hashable)

Losses = Mapping[L, int] | Iterable[L]


def grouped(losses: Losses[L]) -> dict[L, int]:
    """How often each loss occurs: as given, or counted."""
    if isinstance(losses, Mapping):
        return {loss: check.positive_integer(count=count) for loss, count in losses.items()}
    return dict(Counter(losses))


def total(amounts: Iterable[tuple[Fraction, int]]) -> Fraction:
    """The exact sum of amounts with their counts; equal denominators are added as integers."""
    sums: dict[int, int] = {}
    for amount, count in amounts:
        sums[amount.denominator] = sums.get(amount.denominator, 0) + amount.numerator * count
    return sum((Fraction(over, under) for under, over in sorted(sums.items())), Fraction(0))
