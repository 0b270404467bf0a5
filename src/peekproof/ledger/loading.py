"""Opening from the latest snapshot, and saving one when much has been written since."""

import threading

from peekproof.core.errors import LedgerUnavailable
from peekproof.ledger.entry import checked
from peekproof.ledger.snapshot import restored, taken
from peekproof.ledger.state import State
from peekproof.ledger.store import CHUNK, Store

# Replaying so many entries takes a fraction of a second, saving a snapshot much less.
_DUE = 16_384


def load(store: Store, *, lock: threading.RLock) -> tuple[State, int]:
    """The state of a store, its chain checked from the snapshot on; and where that was taken."""
    snapshot = store.snapshot()
    found = restored(store, snapshot, lock=lock) if snapshot else None
    state = found or State(store.place)
    saved = snapshot.sequence if snapshot and found else 0
    while news := store.read(after=state.last.sequence if state.last else 0, most=CHUNK):
        for entry in checked(news, after=state.last, ledger=store.place):
            state.apply(entry)
    return state, saved


def save(store: Store, state: State, *, before: int) -> int:
    """Save a snapshot if one is due; where the latest is then. `before` is where it was."""
    if state.last is None or state.last.sequence - before < _DUE:
        return before
    snapshot = taken(state)
    try:
        store.save(snapshot, state.unindexed)
    except LedgerUnavailable:
        return before  # it only saves time; the next write tries again
    state.unindexed.clear()
    return snapshot.sequence
