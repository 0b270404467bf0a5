"""Whether a whole ledger is what it claims to be."""

from collections.abc import Callable, Mapping
from typing import Protocol

from peekproof.core.errors import LedgerDamaged
from peekproof.ledger.entry import Entry, checked
from peekproof.ledger.snapshot import taken
from peekproof.ledger.state import State
from peekproof.ledger.store import Snapshot


class Reader(Protocol):
    """Reads the next entries."""

    def __call__(self, *, after: int) -> list[Entry]: ...


def verified(
    read: Reader,
    *,
    place: str,
    known: Entry,
    snapshot: Snapshot | None,
    index: Mapping[str, int],
    progress: Callable[[int, int], None] | None,
) -> int:
    """Replay all entries, compare them with snapshot and index; the number of entries.

    `known` is the last entry that this process has seen, which must still be there. An index that
    was read after the snapshot may know more than that: others save later ones at any time.
    """
    state, settled, fits, met = State(place), dict[str, int](), snapshot is None, False
    while chunk := read(after=state.last.sequence if state.last else 0):
        for entry in checked(chunk, after=state.last, ledger=place):
            state.apply(entry)
            met = met or entry == known
            if entry.kind == "answer":
                for each in entry.body["questions"]:
                    settled[str(each["digest"])] = entry.sequence
            if snapshot and entry.sequence == snapshot.sequence:
                fits = taken(state) == snapshot
        if progress and state.last:
            progress(state.last.sequence, max(known.sequence, state.last.sequence))
    if state.last is None:
        raise LedgerDamaged(ledger=place, problem="has no entries")
    if not met:
        raise LedgerDamaged(ledger=place, problem="lost entries that were there before")
    upto = snapshot.sequence if snapshot else 0
    lacks = any(entry <= upto and digest not in index for digest, entry in settled.items())
    if not fits or lacks or any(settled.get(digest) != entry for digest, entry in index.items()):
        raise LedgerDamaged(ledger=place, problem="has a snapshot that its entries do not give")
    return state.last.sequence
