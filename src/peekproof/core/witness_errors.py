"""Errors of a budget in doubt: the witness knows better than the ledger that was opened.

Each says how to go on, and how the custodian can answer for going on all the same.
"""

from dataclasses import dataclass

from peekproof.core.errors import LedgerError

_OVERRIDE = (
    'if you answer for it, say why with override="…", or with peekproof ledger adopt PATH '
    '--reason "…"'
)


_NAMED = 3  # of the columns by which data was recognised
IN_MEMORY = "memory of process "  # how the place of a ledger in memory begins; its number follows


@dataclass(eq=False, kw_only=True)
class BudgetElsewhere(LedgerError):
    """The data already has a ledger, and it is another one.

    `columns` are those by which it was recognised, if it was renamed, re-typed or cut down.
    """

    place: str
    entries: int
    columns: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.place.startswith(IN_MEMORY):
            return (
                f"the budget of this data lies in the {self.place}, last seen with "
                f"{_entries(self.entries)}{self._recognised}; {self.ledger} would be a second "
                "budget, so nothing was asked. Keep using the session or holdout that was opened "
                "there first; once it is closed or that process ended, nobody knows what was "
                "spent, and all of it counts as spent. Name a file from the first time on, "
                'ledger="…", and it can be continued; if you answer for it, say why with '
                'override="…"'
            )
        first = "the data as it was then" if self.columns else "the first"
        return (
            f"the budget of this data lies in another ledger, last seen at {self.place} with "
            f"{_entries(self.entries)}{self._recognised}; {self.ledger} would be a second budget, "
            f'so nothing was asked. Continue {first} with ledger="{self.place}", or put it back '
            f"if it is gone; {_OVERRIDE}"
        )

    @property
    def against(self) -> str:
        """What an override of it stands against, for the record."""
        where = f"{self.place}, with {_entries(self.entries)}"
        return f"the budget of this data at {where}{self._recognised}"

    @property
    def _recognised(self) -> str:
        if not self.columns:
            return ""
        some, more = self.columns[:_NAMED], len(self.columns) - _NAMED
        named = ", ".join(repr(each[:80]) for each in some)
        return f" (recognised by the values of {named}{f' and {more} more' if more > 0 else ''})"


@dataclass(eq=False, kw_only=True)
class LedgerRolledBack(LedgerError):
    """The ledger lacks what it was last seen with: it is an older copy, or went on elsewhere."""

    place: str
    seen: int
    found: int

    @property
    def missing(self) -> int:
        """How many entries are missing at least."""
        return max(1, self.seen - self.found)

    def __str__(self) -> str:
        return (
            f"ledger {self.ledger} {self._lack}, so what it says of the budget is out of date, and "
            f"nothing was asked. Continue with the ledger that has them all, last seen at "
            f"{self.place} with {_entries(self.seen)}; {_OVERRIDE}"
        )

    @property
    def against(self) -> str:
        """What an override of it stands against, for the record."""
        return f"{_entries(self.seen)} at {self.place}: this ledger {self._lack}"

    @property
    def _lack(self) -> str:
        if self.found < self.seen:
            return f"has {_entries(self.found)} and lacks {_entries(self.missing)} seen since"
        return f"has another entry {self.seen} than was seen: it is a copy that went on by itself"


@dataclass(eq=False, kw_only=True)
class WitnessDamaged(LedgerError):
    """What was last seen of the data's ledger cannot be read."""

    file: str

    def __str__(self) -> str:
        return (
            f"{self.file}, which says where the budget of this data lies, is damaged; so nothing "
            f"tells whether {self.ledger} is its only ledger, and in its last state, and nothing "
            f"was asked. Make sure that it is; {_OVERRIDE}"
        )

    @property
    def against(self) -> str:
        """What an override of it stands against, for the record."""
        return f"a damaged witness, {self.file}"


InDoubt = BudgetElsewhere | LedgerRolledBack | WitnessDamaged
IN_DOUBT = (BudgetElsewhere, LedgerRolledBack, WitnessDamaged)


def _entries(count: int) -> str:
    return "1 entry" if count == 1 else f"{count:,} entries"
