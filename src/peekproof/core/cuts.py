"""Rows that were cut at random out of others: which of them may have a row in common."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import final

from peekproof.core.errors import PART, RESPLIT
from peekproof.core.shared_columns import Marked


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
