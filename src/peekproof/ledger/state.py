"""What a ledger says: the result of replaying its entries, and nothing else."""

from collections.abc import Iterable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import final

from peekproof.core.charge import FREE, Charge, Offer, charge_in, cost_of
from peekproof.core.errors import LedgerDamaged, LedgerTooNew
from peekproof.ledger.entry import (
    FORMAT,
    Body,
    Entry,
    Opening,
    Paid,
    Settled,
    answers_from_body,
    paid_from_body,
    restored_override,
)
from peekproof.ledger.postgres_place import is_postgres


@final
class Latest(dict[str, Settled]):
    """Answers in memory, and the list of them, which is read while other threads add to it."""

    def __init__(self) -> None:
        super().__init__()
        self.listed: list[Settled] = []

    def __setitem__(self, digest: str, settled: Settled) -> None:
        super().__setitem__(digest, settled)
        self.listed.append(settled)


@final
@dataclass(frozen=True, slots=True)
class OverLimit:
    """Charges that do not fit under a limit: nothing was changed."""

    limit: Charge


# Who asked how much, and how much of the budget is set aside for whom.


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
            used.spent + cost <= share * self.budget.amount
            and used.draws + draws <= share * self.questions
        )

    def left(self, analyst: str) -> tuple[Fraction, int]:
        """How much of the analyst's share is left: of the budget, and in questions."""
        share, used = self.share_of(analyst), self._used(analyst)
        amount = share * self.budget.amount - used.spent
        return max(Fraction(0), amount), max(0, int(share * self.questions) - used.draws)

    def part(self, analyst: str) -> float:
        """Which part of the whole budget this analyst has used, for people."""
        whole = self.budget.amount
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


# The kinds of stores between which a ledger moves.
FILE, POSTGRES = "file", "postgresql"


@dataclass(slots=True)
class State:
    """The fold of all entries so far. Applying an entry is constant time."""

    ledger: str
    opening: Opening | None = None
    last: Entry | None = None
    spent: Charge = FREE
    draws: int = 0
    # Paid for and not answered, by the entry that says so.
    unanswered: dict[int, dict[str, Paid]] = field(default_factory=dict)
    answers: MutableMapping[str, Settled] = field(default_factory=Latest)
    staged: dict[str, Settled] = field(default_factory=dict)  # answers on their way to the disk
    offers: dict[tuple[object, ...], Offer] = field(default_factory=dict)  # each kind once
    accounts: Accounts = field(default_factory=lambda: Accounts(FREE, 0))
    unindexed: list[tuple[str, int]] = field(default_factory=list)  # settled since a snapshot
    overrides: list[Body] = field(default_factory=list)
    closed: bool = False
    origin: int = 1  # the entry that tells this ledger from others: the first, or a restoration
    lost: int = 0  # entries that a restoration lacks, at least
    moved: tuple[str, str] | None = None  # to which kind of store, and where, the last time
    arriving: bool = False  # the copy there may not be used yet

    @property
    def why_closed(self) -> str:
        """Why nothing new is answered; empty if the custodian closed it, or nobody did."""
        if not self.lost:
            return ""
        count = f"{self.lost:,} entries" if self.lost > 1 else "an entry"
        return f"when it was restored, {count} or more could not be, and may have spent all"

    def apply(self, entry: Entry) -> None:
        """Take in the next entry as it lies in the file, or raise LedgerDamaged."""
        try:
            self._apply(entry, entry.body)
        except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError) as error:
            raise LedgerDamaged(
                ledger=self.ledger, problem=f"makes no sense at entry {entry.sequence} ({error})"
            ) from error

    def _apply(self, entry: Entry, body: Body) -> None:
        found = body["format"]
        if found > FORMAT:
            raise LedgerTooNew(ledger=self.ledger, found=found, supported=FORMAT)
        if self.opening is None:
            self._open(entry, body)
            return
        match entry.kind:
            case "answer":
                self._answer(entry, body, self.opening.budget)
            case "lost":
                paid = self._check_and_charge(entry, body, self.opening.budget)
                self.lose(entry, paid)
            case "share":
                self.set_aside(entry, shares_from_body(body["shares"]))
            case "override":
                self.override(entry, body)
            case "restore":
                self.restore(entry, body)
            case "move":
                self.move(entry, body)
            case "close":
                self.close(entry)
            case kind:
                raise ValueError(f"kind {kind!r} is unknown")

    def charge(self, questions: Mapping[str, Paid], *, cost: Fraction, spent: Charge) -> None:
        """Questions (by digest) are paid for with `cost`; `spent` is the new total."""
        for offer in {id(paid.offer): paid.offer for paid in questions.values()}.values():
            self.remember(offer)
        draws = sum(paid.offer.draws for paid in questions.values())
        analyst = next(iter(questions.values())).analyst
        self.accounts.charge(analyst, cost, draws)
        self.spent = spent
        self.draws += draws

    def stage(self, answers: Mapping[str, Settled]) -> None:
        """These will be on disk soon: they count for whoever is charged next, and are not told."""
        self.staged.update(answers)

    def show(self, entry: Entry, answers: Mapping[str, Settled]) -> None:
        """An entry with these answers is on disk."""
        for digest, settled in answers.items():
            self.answers[digest] = settled
            self.unindexed.append((digest, entry.sequence))
            # Last: whoever looks meanwhile finds it here or there.
            self.staged.pop(digest, None)
        self.last = entry

    def lose(self, entry: Entry, questions: Mapping[str, Paid]) -> None:
        """These are paid for, and may never be answered."""
        self.unanswered[entry.sequence] = dict(questions)
        self.last = entry

    def recover(self, lost: int, digests: Iterable[str]) -> None:
        """Some of what was lost in an entry is answered after all."""
        answered = set(digests)
        waiting = {key: paid for key, paid in self.unanswered[lost].items() if key not in answered}
        if waiting:  # another one: whoever looks meanwhile goes through the old one
            self.unanswered[lost] = waiting
        else:
            del self.unanswered[lost]

    def remember(self, offer: Offer) -> None:
        """Something was drawn on these terms."""
        if self.offers and offer == next(reversed(self.offers.values())):
            return  # as most are
        key = offer.cost.amount, offer.draws, *sorted(offer.terms.items())
        self.offers.setdefault(key, offer)

    def set_aside(self, entry: Entry, shares: Mapping[str, Fraction]) -> None:
        """The custodian says who may use how much."""
        self.accounts.set_aside(shares)
        self.last = entry

    def override(self, entry: Entry, body: Body) -> None:
        """The custodian answers for something that looks like a second budget."""
        self.overrides.append({"reason": str(body["reason"]), "against": str(body["against"])})
        self.last = entry

    def restore(self, entry: Entry, body: Body) -> None:
        """All entries so far were restored, and `lost` more were not.

        An entry may have charged for any number of questions, each at any price. So what is lost
        counts as all that was left, and nothing that is paid for already goes on either: nobody
        knows which rows were read, which guesses failed and which round was over.
        """
        last, lost = self.last, body["lost"]
        if last is None or self.opening is None or body["digest"] != last.digest.hex():
            raise ValueError("other entries were restored than those before it")
        if body["entries"] != last.sequence or type(lost) is not int or lost < 0:
            raise ValueError("another number of entries was restored, or lost")
        if lost:
            self.spent, self.draws = self.opening.budget, self.opening.questions
            self.closed, self.lost = True, self.lost + lost
        self.overrides.append(restored_override(body))
        self.moved, self.arriving = None, False
        self.origin, self.last = entry.sequence, entry

    def move(self, entry: Entry, body: Body) -> None:
        """All of it went to another kind of store, and only there it goes on."""
        if body["store"] not in (FILE, POSTGRES):
            raise ValueError("it went where no ledger can be")
        arrived = body.get("arrived", True)
        if type(arrived) is not bool:
            raise ValueError("it is not told whether it arrived")
        self.moved, self.arriving = (str(body["store"]), str(body["to"])), not arrived
        self.last = entry

    def elsewhere(self, place: str) -> str | None:
        """Where this ledger goes on, if not at this place."""
        if self.moved is None:
            return None
        store = POSTGRES if is_postgres(place) else FILE
        return self.moved[1] if self.moved[0] != store else None

    def close(self, entry: Entry) -> None:
        """No more questions, for good."""
        self.closed = True
        self.last = entry

    def _open(self, entry: Entry, body: Body) -> None:
        if entry.kind != "open":
            raise ValueError("the first entry must open the ledger")
        self.opening = opening = Opening.from_body(body)
        self.spent = charge_in(opening.budget.unit)
        self.accounts = Accounts(opening.budget, opening.questions)
        self.last = entry

    def _answer(self, entry: Entry, body: Body, budget: Charge) -> None:
        answers = answers_from_body(body, unit=budget.unit)
        if any(digest in self.answers for digest in answers):
            raise ValueError("a question that was answered before")
        if "lost" in body:
            paid = paid_from_body(body, unit=budget.unit)
            waiting = self.unanswered[int(body["lost"])]
            if any(waiting[digest] != each for digest, each in paid.items()):
                raise ValueError("an answer to something else than was paid for")
            if Fraction(body["spent"]) != self.spent.amount:
                raise ValueError("the recorded total is not the sum of the charges")
            self.recover(int(body["lost"]), paid)
        else:
            self._check_and_charge(entry, body, budget)
        self.show(entry, answers)

    def too_much(self, offers: Sequence[Offer], cost: Charge, analyst: str) -> str:
        """Why these do not fit, which cost so much together; "" if they do.

        The one place where it is decided, before a charge and whenever its record is read.
        """
        draws = sum(each.draws for each in offers)
        if self.opening is None:
            return "something was charged before the ledger was opened"
        if (self.spent + cost).amount > self.opening.budget.amount:
            return "more was charged than the budget holds"
        if self.draws + draws > self.opening.questions:
            return "more was drawn than was promised for"
        if not self.accounts.within_share(analyst, cost.amount, draws):
            return "an analyst drew more than their share"
        return ""

    def _check_and_charge(self, entry: Entry, body: Body, budget: Charge) -> dict[str, Paid]:
        if self.closed:
            raise ValueError("something was charged after the ledger was closed")
        questions = paid_from_body(body, unit=budget.unit)
        offers = [paid.offer for paid in questions.values()]
        cost = cost_of(offers)
        if problem := self.too_much(offers, cost, str(body.get("analyst", ""))):
            raise ValueError(problem)
        total = self.spent + cost
        if total.amount != Fraction(body["spent"]):
            raise ValueError("the recorded total is not the sum of the charges")
        self.charge(questions, cost=cost.amount, spent=total)
        self.last = entry
        return questions
