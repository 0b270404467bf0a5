"""All ordered data sets, one by one, in exact arithmetic and plain Python."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import product

Records = tuple[int, ...]


def mean(values: Sequence[Fraction], records: Records) -> Fraction:
    return sum(Fraction(values[cell]) for cell in records) / Fraction(len(records))


def consistent(
    cells: int, size: int, constraints: Iterable[tuple[Sequence[Fraction], Fraction, Fraction]]
) -> list[Records]:
    """Ordered data sets with low ≤ mean ≤ high for every constraint (values, low, high)."""
    kept = list(product(range(cells), repeat=size))
    for values, low, high in constraints:
        kept = [records for records in kept if low <= mean(values, records) <= high]
    return kept


def lower_median(values: Sequence[Fraction], held: Sequence[Records]) -> Fraction:
    ranked = sorted(mean(values, records) for records in held)
    return ranked[(len(ranked) - 1) // 2]
