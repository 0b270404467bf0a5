"""States as snapshots, and back: so that opening a ledger need not replay all of it."""

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping, MutableMapping
from fractions import Fraction
from itertools import islice
from typing import final

from peekproof.core.charge import charge_in
from peekproof.core.errors import LedgerDamaged
from peekproof.ledger.entry import (
    FORMAT,
    Entry,
    Settled,
    answers_from_body,
    checked,
    offer_from_body,
    offer_to_body,
    paid_from_body,
)
from peekproof.ledger.state import Latest, State
from peekproof.ledger.store import CHUNK, Snapshot, Store


@final
class Answers(MutableMapping[str, Settled]):
    """Answers by the digests of their questions, in the order in which they were settled."""

    def __init__(
        self, store: Store, *, upto: int, count: int, unit: str, lock: threading.RLock
    ) -> None:
        self._store = store
        self._upto, self._count = upto, count  # what the index knows of: entries, and answers
        self._unit = unit
        self._lock = lock
        self._new = Latest()
        self._found: dict[str, Settled] = {}

    def __getitem__(self, digest: str) -> Settled:
        if digest in self._new:
            return self._new[digest]
        if digest not in self._found:
            with self._lock:
                sequence = self._indexed(digest)
                if sequence is None:
                    raise KeyError(digest)
                self._found[digest] = self._settled(digest, sequence)
        return self._found[digest]

    def __contains__(self, digest: object) -> bool:
        if digest in self._new or digest in self._found:
            return True
        with self._lock:
            return self._indexed(str(digest)) is not None

    def __setitem__(self, digest: str, settled: Settled) -> None:
        self._new[digest] = settled

    def __delitem__(self, digest: str) -> None:
        raise TypeError("an answer is for ever")

    def __iter__(self) -> Iterator[str]:
        after = 0
        while after < self._upto:
            with self._lock:
                entries = self._store.read(after=after, most=min(CHUNK, self._upto - after))
            for entry in entries:
                if entry.kind == "answer":
                    yield from (str(each["digest"]) for each in entry.body["questions"])
            if not entries:
                raise self._damaged(after + 1)
            after = entries[-1].sequence
        yield from list(self._new)  # a copy, for another thread may add to it meanwhile

    def __len__(self) -> int:
        return self._count + len(self._new)

    def after(self, count: int) -> tuple[Settled, ...]:
        """All but the first `count` answers."""
        if count >= self._count:
            return tuple(self._new.listed[count - self._count :])
        return tuple(self[digest] for digest in islice(self, count, None))

    def _indexed(self, digest: str) -> int | None:
        sequence = self._store.settled(digest)
        return sequence if sequence is not None and sequence <= self._upto else None

    def _settled(self, digest: str, sequence: int) -> Settled:
        body = self._linked(sequence, "answer").body
        try:
            return answers_from_body(body, unit=self._unit)[digest]
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise self._damaged(sequence) from error

    def _linked(self, sequence: int, kind: str) -> Entry:
        """One entry, once it is clear that it continues the one before it."""
        found = self._store.read(after=sequence - 2, most=2)
        if [each.sequence for each in found] != [sequence - 1, sequence]:
            raise self._damaged(sequence)
        (entry,) = checked(found[1:], after=found[0], ledger=self._store.place)
        if entry.kind != kind:
            raise self._damaged(sequence)
        return entry

    def _damaged(self, sequence: int) -> LedgerDamaged:
        problem = f"has an index that does not fit its entry {sequence}"
        return LedgerDamaged(ledger=self._store.place, problem=problem)


def answers_after(answers: Mapping[str, Settled], count: int) -> tuple[Settled, ...]:
    """All but the first `count` answers, in the order in which they were settled."""
    if isinstance(answers, Answers):
        return answers.after(count)
    if isinstance(answers, Latest):
        return tuple(answers.listed[count:])
    return tuple(islice(answers.values(), count, None))


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
