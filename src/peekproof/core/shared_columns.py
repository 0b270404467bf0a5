"""Columns and parts by which data is recognised that was renamed, re-typed or cut down: the rule.

A column has one mark for its values in any order, and one for their order if it has few values.
How much a mark tells is counted in bits: other rows of the same population would have the same
mark with probability 2^−bits, about. Keys, ranges and designs tell nothing, for they are the same
in data that has nothing else in common. How often each of a few values is there may be designed,
too (quotas, calendars, strata), so it counts only where no order of rows is known.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import final

from peekproof.core.errors import PART, RESPLIT

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


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Cut:
    """That rows are those which a split of the rows `of` put between two shares of them.

    `split` is a digest of what decides where a row goes: the same for all parts of one split, and
    for parts by the same key with other shares. `columns` are what the rows that were split are
    recognised by, should they come under another fingerprint.
    """

    of: str
    split: str
    low: Fraction
    high: Fraction
    columns: Marked = field(default_factory=lambda: Marked(0), compare=False, repr=False)

    def crosses(self, other: "Cut") -> bool:
        """Whether this part and another of the same rows may share some, and are not the same."""
        if self.split != other.split:
            return True
        same = (self.low, self.high) == (other.low, other.high)
        return not same and self.low < other.high and other.low < self.high


@final
@dataclass(frozen=True, slots=True)
class Rows:
    """The rows that a ledger is about, and how they were cut out of others, the last cut first."""

    fingerprint: str
    cuts: tuple[Cut, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The fingerprints of these rows and of all that hold them."""
        return self.fingerprint, *(each.of for each in self.cuts)

    def met(self, other: "Rows") -> str | None:
        """How a ledger of others is one of these rows too; None if they share none.

        Empty if it is theirs or that of a whole, PART and RESPLIT as `BudgetElsewhere` has them.
        """
        if other.fingerprint in self.names:
            return ""
        if self.fingerprint in other.names:
            return PART
        crossing = any(
            mine.of == theirs.of and mine.crosses(theirs)
            for mine in self.cuts
            for theirs in other.cuts
        )
        return RESPLIT if crossing else None
