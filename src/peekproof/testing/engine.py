"""A kind of store under test, and small ledgers to keep in it."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from peekproof.accounting.session_gate import SessionGate
from peekproof.core.charge import GDP, Charge, Offer, Refused
from peekproof.ledger.entry import Entry, follow
from peekproof.ledger.ledger import Ledger, Reservation
from peekproof.ledger.opening import Opening
from peekproof.ledger.places import create_store, has_store, open_store
from peekproof.ledger.snapshot import taken
from peekproof.ledger.store import Store
from peekproof.testing.violation import Violation

AFFORDABLE = 10
COST = GDP(Fraction(1, 3))  # a third: no sum of floats would be exact
BUDGET = COST * AFFORDABLE
GATE = SessionGate.within(BUDGET)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """A kind of store.

    name     what messages call it
    place    where nothing is yet; another one each time
    create   a store with this first entry; if there is one already, that one
    open     the store at an existing place
    exists   whether there is one
    forge    puts these entries into an open store, behind its back, for all that it has
    newer    marks a place as one that a newer version wrote; None in memory
    """

    name: str
    place: Callable[[], str]
    forge: Callable[[Store, Sequence[Entry]], None]
    create: Callable[[str, Entry], Store] = create_store
    open: Callable[[str], Store] = open_store
    exists: Callable[[str], bool] = has_store
    newer: Callable[[str], None] | None = None

    @contextmanager
    def made(self) -> Iterator[tuple[Store, Ledger]]:
        """A new store, and a ledger on it."""
        place = self.place()
        store = self.create(place, first_entry(place))
        try:
            yield store, Ledger(store)
        finally:
            store.close()

    @contextmanager
    def opened(self, place: str) -> Iterator[tuple[Store, Ledger]]:
        """The store at an existing place, and a ledger on it."""
        store = self.open(place)
        try:
            yield store, Ledger(store)
        finally:
            store.close()


def opening(place: str) -> Opening:
    """A promise of ten questions about data that belongs to this place."""
    return Opening(
        fingerprint=f"pp1-{hashlib.sha256(place.encode()).hexdigest()[:32]}",
        key=hashlib.sha256(f"the key of {place}".encode()).hexdigest(),  # of nobody's data
        rows=1000,
        confidence=Fraction(19, 20),
        questions=AFFORDABLE,
        mechanism={"kind": "gaussian", "sigma": "1/100", "step": "1/8192"},
        budget=BUDGET,
        entropy="system",
    )


def first_entry(place: str) -> Entry:
    return follow(None, "open", opening(place).to_body())


def asked(ledger: Ledger, *names: str, analyst: str = "") -> Reservation | Refused[Charge]:
    """What comes of asking for these questions."""
    return ledger.reserve(
        {name: f"{name} > 1" for name in names},
        offers=lambda digests, _: [Offer(cost=COST)] * len(digests),
        gate=GATE,
        analyst=analyst,
    )


def reserved(ledger: Ledger, *names: str, analyst: str = "") -> Reservation:
    """The reservation of questions that there is a budget for."""
    found = asked(ledger, *names, analyst=analyst)
    if isinstance(found, Refused):
        raise Violation(f"{ledger.place} refused {names} although there is budget left")
    return found


def answer(ledger: Ledger, *names: str, analyst: str = "") -> None:
    """Reserve and settle; the answers are 1/2, 1/3, …"""
    values = {name: Fraction(1, index + 2) for index, name in enumerate(names)}
    ledger.settle(reserved(ledger, *names, analyst=analyst), values)


def eventful(ledger: Ledger) -> None:
    """Everything that can be in a ledger, but for its end."""
    answer(ledger, "p", "q")
    asked(ledger, *(f"too many {number}" for number in range(AFFORDABLE)))
    reserved(ledger, "r")
    ledger.set_aside({"ann": Fraction(1, 2)})
    answer(ledger, "s", analyst="ann")
    ledger.override(reason="the disk broke", against="a copy")


def said(ledger: Ledger) -> dict[str, object]:
    """All that a ledger says, with what other handles wrote."""
    state = ledger.look()
    return {
        "opening": state.opening,
        "last": state.last,
        "spent": state.spent,
        "draws": state.draws,
        "pending": dict(state.pending),
        "answers": dict(state.answers.items()),
        "repeated": list(state.repeated),
        "offers": set(state.offers),
        "shares": dict(state.accounts.shares),
        "accounts": dict(state.accounts.by_name),
        "overrides": list(state.overrides),
        "closed": state.closed,
    }


def following(last: Entry, count: int) -> list[Entry]:
    """So many entries that continue the chain; for stores, which need not know what they mean."""
    found = [last]
    for number in range(count):
        found.append(follow(found[-1], "refuse", {"format": 2, "asked": number, "text": "ü\0"}))
    return found[1:]


def save(store: Store, ledger: Ledger) -> Entry:
    """Save a snapshot as a ledger does when one is due; the entry it stands on."""
    state = ledger.look()
    snapshot = taken(state)
    store.save(snapshot, state.unindexed)
    if state.last is None:
        raise Violation("a ledger without entries")
    return state.last
