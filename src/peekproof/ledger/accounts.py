"""Who asked how much, and how much of the budget is set aside for whom."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import final

from peekproof.core.charge import Charge, amount_of
from peekproof.ledger.entry import Body


@final
@dataclass(frozen=True, slots=True)
class Account:
    """What one analyst has used: charges and questions."""

    spent: Fraction = Fraction(0)  # in the unit of the ledger
    draws: int = 0

    def charged(self, cost: Fraction, draws: int) -> "Account":
        return Account(self.spent + cost, self.draws + draws)


_NEW = Account()


@dataclass(slots=True)
class Accounts:
    """The accounts of all analysts, by name; "" is whoever gave none.

    As long as no shares are set aside, everyone draws on the whole budget. A share is a part of
    the budget and of the questions for one analyst alone; those without one have the rest
    together. Shares only refuse more: the bound on all of them is the ledger's.
    """

    budget: Charge
    questions: int
    shares: dict[str, Fraction] = field(default_factory=dict)
    by_name: dict[str, Account] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """All who have a share or have asked, each once."""
        return list(dict.fromkeys([*self.shares, *self.by_name]))

    def of(self, analyst: str) -> Account:
        """What this analyst has used."""
        return self.by_name.get(analyst) or _NEW

    def charge(self, analyst: str, cost: Fraction, draws: int) -> None:
        self.by_name[analyst] = self.of(analyst).charged(cost, draws)

    def share_of(self, analyst: str) -> Fraction:
        """Which part of the budget this analyst can use, alone or with all who have no share."""
        return (
            self.shares[analyst]
            if analyst in self.shares
            else 1 - sum(self.shares.values(), Fraction(0))
        )

    def within_share(self, analyst: str, cost: Fraction, draws: int) -> bool:
        """Whether a charge fits into the analyst's share."""
        if not self.shares:
            return True
        share, used = self.share_of(analyst), self._used(analyst)
        return (
            used.spent + cost <= share * amount_of(self.budget)
            and used.draws + draws <= share * self.questions
        )

    def left(self, analyst: str) -> tuple[Fraction, int]:
        """How much of the analyst's share is left: of the budget, and in questions."""
        share, used = self.share_of(analyst), self._used(analyst)
        amount = share * amount_of(self.budget) - used.spent
        return max(Fraction(0), amount), max(0, int(share * self.questions) - used.draws)

    def part(self, analyst: str) -> float:
        """Which part of the whole budget this analyst has used, for people."""
        whole = amount_of(self.budget)
        return float(self.of(analyst).spent / whole) if whole else 0.0

    def _used(self, analyst: str) -> Account:
        """What was used of the share that this analyst draws on."""
        if analyst in self.shares:
            return self.of(analyst)
        total = _NEW
        for name, account in self.by_name.items():
            if name not in self.shares:
                total = total.charged(account.spent, account.draws)
        return total

    def set_aside(self, shares: Mapping[str, Fraction]) -> None:
        """Replace all shares. What was used stays used."""
        check_shares(shares)
        self.shares = dict(shares)

    def to_body(self) -> Body:
        return {
            "shares": shares_to_body(self.shares),
            "accounts": {
                name: [str(each.spent), each.draws] for name, each in self.by_name.items()
            },
        }

    def load(self, body: Body) -> None:
        """Take up what `to_body` said."""
        self.shares = shares_from_body(body["shares"])
        self.by_name = {
            str(name): Account(Fraction(spent), int(draws))
            for name, (spent, draws) in body["accounts"].items()
        }


def check_shares(shares: Mapping[str, object]) -> None:
    """Refuse shares that are no exact amounts, negative, or more than everything."""
    total = Fraction(0)
    for name, share in shares.items():
        if not name or not isinstance(share, Fraction) or share < 0:
            raise ValueError("shares have names, and are fractions that are not negative")
        total += share
    if total > 1:
        raise ValueError("shares are together at most 1")


def shares_to_body(shares: Mapping[str, Fraction]) -> Body:
    return {name: str(share) for name, share in shares.items()}


def shares_from_body(body: Body) -> dict[str, Fraction]:
    return {str(name): Fraction(share) for name, share in body.items()}
