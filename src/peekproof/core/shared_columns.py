"""Columns by which data is recognised that was renamed, re-typed or cut down: the rule.

A column has one mark for its values in any order, and one for their order if it has few values.
How much a mark tells is counted in bits: other rows of the same population would have the same
mark with probability 2^−bits, about. Keys, ranges and designs tell nothing, for they are the same
in data that has nothing else in common. How often each of a few values is there may be designed,
too (quotas, calendars, strata), so it counts only where no order of rows is known.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import final

# What has to be shared: by chance it is once in 10¹² pairs of data with as many rows.
ENOUGH = 40.0


@final
@dataclass(frozen=True, slots=True)
class ColumnMark:
    """The mark of a column, under any name and type, and how many bits it tells.

    `few` is a mark of few values in any order.
    """

    digest: str
    bits: float
    column: str
    few: bool = False


@final
@dataclass(frozen=True, slots=True)
class Marked:
    """The marks of the columns of some data, of how many rows, and whether these have an order."""

    rows: int
    marks: tuple[ColumnMark, ...] = ()
    ordered: bool = False


def shared(
    marks: Iterable[ColumnMark], known: Iterable[str], *, ordered: bool = False
) -> list[str]:
    """The columns by which rows are those that have the `known` marks; none if they may differ.

    If both are `ordered`, few values have to be in the same order.

    Of columns that are alike up to the names of their values, such as a flag and its opposite,
    one counts: whoever shares one shares all.
    """
    theirs = set(known)
    counted = (each for each in marks if not (ordered and each.few))
    same = [each for each in counted if each.digest in theirs]
    distinct = {round(each.bits, 6) for each in same}
    return sorted({each.column for each in same}) if sum(distinct) >= ENOUGH else []


def together(*marks: Iterable[ColumnMark]) -> list[ColumnMark]:
    """The marks of the same rows in several orders, each once."""
    return list({each.digest: each for some in marks for each in some}.values())


def bits_of_counts(counts: Sequence[int]) -> float:
    """How unlikely it is that other rows of the same population have these counts of values.

    −log₂ n!/(c₁!…cₖ!)·(c₁/n)^c₁…(cₖ/n)^cₖ,   n = c₁ + … + cₖ
    """
    n = sum(counts)
    each = sum(math.lgamma(c + 1) - c * math.log(c / n) for c in counts)
    return max(0.0, (each - math.lgamma(n + 1)) / math.log(2))


def bits_of_order(counts: Sequence[int]) -> float:
    """How unlikely it is that other rows have values with these counts in the same order."""
    n = sum(counts)
    return (math.lgamma(n + 1) - sum(math.lgamma(c + 1) for c in counts)) / math.log(2)
