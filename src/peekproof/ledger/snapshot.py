"""States as snapshots, and back: so that opening a ledger need not replay all of it."""

import hashlib
import json
import threading
from fractions import Fraction

from peekproof.core.charge import charge_in
from peekproof.core.errors import LedgerDamaged
from peekproof.ledger.answers import Answers
from peekproof.ledger.entry import (
    FORMAT,
    Entry,
    checked,
    offer_from_body,
    offer_to_body,
    paid_from_body,
)
from peekproof.ledger.state import State
from peekproof.ledger.store import Snapshot, Store


def taken(state: State) -> Snapshot:
    """The snapshot of a state that is not empty. Answers are left to the index."""
    if state.last is None:
        raise TypeError("nothing to take a snapshot of")
    body = {
        "format": FORMAT,
        "spent": str(state.spent.amount),
        "draws": state.draws,
        "answers": len(state.answers),
        "unanswered": {str(entry): sorted(each) for entry, each in state.unanswered.items()},
        "offers": [offer_to_body(each) for each in state.offers.values()],
        "overrides": state.overrides,
        "closed": state.closed,
        "origin": state.origin,
        "lost": state.lost,
        "moved": state.moved,
        **({"arriving": True} if state.arriving else {}),
        **state.accounts.to_body(),
    }
    text = json.dumps(body, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return Snapshot(state.last.sequence, text, _digest(state.last, text))


def _digest(last: Entry, text: str) -> bytes:
    return hashlib.sha256(last.digest + text.encode()).digest()


def restored(store: Store, snapshot: Snapshot, *, lock: threading.RLock) -> State | None:
    """The state that a snapshot holds; None if a newer version took it.

    Of the chain only the entry it stands on is looked at; `Ledger.verify` checks the rest.
    """
    place = store.place
    try:
        body = json.loads(snapshot.text)
        if body["format"] > FORMAT:
            return None
        (last,) = store.read(after=snapshot.sequence - 1, most=1)
        if last.sequence != snapshot.sequence or _digest(last, snapshot.text) != snapshot.digest:
            raise ValueError("the snapshot does not fit its entry")
        state = State(place)
        (first,) = checked(store.read(after=0, most=1), after=None, ledger=place)
        state.apply(first)
        if state.opening is None:
            raise ValueError("the first entry opens nothing")
        unit = state.opening.budget.unit
        state.spent = charge_in(unit, Fraction(body["spent"]))
        state.draws = int(body["draws"])
        for sequence, digests in body["unanswered"].items():
            (entry,) = store.read(after=int(sequence) - 1, most=1)
            paid = paid_from_body(entry.body, unit=unit)
            state.unanswered[entry.sequence] = {digest: paid[digest] for digest in digests}
        for each in body["offers"]:
            state.remember(offer_from_body(each, unit=unit))
        state.overrides = list(body["overrides"])
        state.closed = bool(body["closed"])
        state.origin, state.lost = int(body["origin"]), int(body["lost"])
        state.moved = (body["moved"][0], body["moved"][1]) if body["moved"] else None
        state.arriving = bool(body.get("arriving", False))
        state.accounts.load(body)
        state.answers = Answers(
            store, upto=snapshot.sequence, count=int(body["answers"]), unit=unit, lock=lock
        )
        state.last = last
    except (KeyError, TypeError, ValueError, AttributeError, ZeroDivisionError) as error:
        problem = f"has a damaged snapshot ({error})"
        raise LedgerDamaged(ledger=place, problem=problem) from error
    return state
