"""What a ledger says: the result of replaying its entries, and nothing else."""

from collections.abc import Mapping, MutableMapping
from dataclasses import dataclass, field
from fractions import Fraction

from peekproof.core.charge import Charge, Offer, amount_of, cost_of, nothing, unit_of
from peekproof.core.errors import LedgerDamaged, LedgerTooNew
from peekproof.core.loss import FREE
from peekproof.ledger.accounts import Accounts, shares_from_body
from peekproof.ledger.entry import Body, Entry
from peekproof.ledger.opening import FORMAT, Opening
from peekproof.ledger.record import Paid, Settled, Value, paid_from_body, values_from_body


@dataclass(slots=True)
class State:
    """The fold of all entries so far. Applying an entry is constant time."""

    ledger: str
    opening: Opening | None = None
    last: Entry | None = None
    spent: Charge = FREE
    draws: int = 0
    pending: dict[int, Mapping[str, Paid]] = field(default_factory=dict)
    answers: MutableMapping[str, Settled] = field(default_factory=dict)
    repeated: list[Settled] = field(default_factory=list)  # drawn although answered meanwhile
    offers: dict[tuple[object, ...], Offer] = field(default_factory=dict)  # each kind once
    accounts: Accounts = field(default_factory=lambda: Accounts(FREE, 0))
    unindexed: list[tuple[str, int]] = field(default_factory=list)  # settled since a snapshot
    overrides: list[Body] = field(default_factory=list)
    closed: bool = False

    def apply(self, entry: Entry) -> None:
        """Take in the next entry as it lies in the file, or raise LedgerDamaged."""
        try:
            self._apply(entry, entry.body)
        except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError) as error:
            raise LedgerDamaged(
                ledger=self.ledger, problem=f"makes no sense at entry {entry.sequence} ({error})"
            ) from error

    def _apply(self, entry: Entry, body: Body) -> None:
        # In format 1 only the first entry named its format.
        found = body.get("format", 1) if self.opening else body["format"]
        if found > FORMAT:
            raise LedgerTooNew(ledger=self.ledger, found=found, supported=FORMAT)
        if self.opening is None:
            self._open(entry, body)
            return
        match entry.kind:
            case "reserve":
                self._check_and_charge(entry, body, self.opening.budget)
            case "settle":
                self.settle(entry, int(body["reserve"]), values_from_body(body))
            case "refuse":
                self.refuse(entry, str(body.get("analyst", "")))
            case "share":
                self.set_aside(entry, shares_from_body(body["shares"]))
            case "override":
                self.override(entry, body)
            case "close":
                self.close(entry)
            case kind:
                raise ValueError(f"kind {kind!r} is unknown")

    def charge(
        self, entry: Entry, questions: Mapping[str, Paid], *, cost: Fraction, spent: Charge
    ) -> None:
        """Questions (by digest) are paid for with `cost`; `spent` is the new total."""
        for offer in {id(paid.offer): paid.offer for paid in questions.values()}.values():
            self.remember(offer)
        draws = sum(paid.offer.draws for paid in questions.values())
        analyst = next(iter(questions.values())).analyst
        self.accounts.charge(analyst, cost, draws)
        self.spent = spent
        self.draws += draws
        self.pending[entry.sequence] = questions
        self.last = entry

    def remember(self, offer: Offer) -> None:
        """Something was drawn on these terms."""
        if self.offers and offer == next(reversed(self.offers.values())):
            return  # as most are
        key = amount_of(offer.cost), offer.draws, *sorted(offer.terms.items())
        self.offers.setdefault(key, offer)

    def settle(self, entry: Entry, reserve: int, values: Mapping[str, Value]) -> None:
        """The questions of entry `reserve` are answered."""
        for digest, paid in self.pending[reserve].items():
            # Two processes may have drawn the same question at once: the first settled stands.
            settled = paid.settled(values[digest])
            if digest in self.answers:
                self.repeated.append(settled)
            else:
                self.answers[digest] = settled
                self.unindexed.append((digest, entry.sequence))
        del self.pending[reserve]  # last: whoever looks meanwhile finds it here or there
        self.last = entry

    def refuse(self, entry: Entry, analyst: str) -> None:
        """Someone asked for more than is left."""
        self.accounts.refuse(analyst)
        self.last = entry

    def set_aside(self, entry: Entry, shares: Mapping[str, Fraction]) -> None:
        """The custodian says who may use how much."""
        self.accounts.set_aside(shares)
        self.last = entry

    def override(self, entry: Entry, body: Body) -> None:
        """The custodian answers for something that looks like a second budget."""
        self.overrides.append({"reason": str(body["reason"]), "against": str(body["against"])})
        self.last = entry

    def close(self, entry: Entry) -> None:
        """No more questions, for good."""
        self.closed = True
        self.last = entry

    def _open(self, entry: Entry, body: Body) -> None:
        if entry.kind != "open":
            raise ValueError("the first entry must open the ledger")
        self.opening = opening = Opening.from_body(body)
        self.spent = nothing(unit_of(opening.budget))
        self.accounts = Accounts(opening.budget, opening.questions)
        self.last = entry

    def _check_and_charge(self, entry: Entry, body: Body, budget: Charge) -> None:
        if self.closed:
            raise ValueError("something was reserved after the ledger was closed")
        questions = paid_from_body(body, unit=unit_of(budget))
        cost = amount_of(cost_of([paid.offer for paid in questions.values()]))
        total = amount_of(self.spent) + cost
        if total > amount_of(budget):
            raise ValueError("more was reserved than the budget holds")
        draws = sum(paid.offer.draws for paid in questions.values())
        if self.opening and self.draws + draws > self.opening.questions:
            raise ValueError("more was drawn than was promised for")
        if not self.accounts.within_share(str(body.get("analyst", "")), cost, draws):
            raise ValueError("an analyst drew more than their share")
        if total != Fraction(body["spent"]):
            raise ValueError("the recorded total is not the sum of the charges")
        self.charge(entry, questions, cost=cost, spent=type(budget)(total))
