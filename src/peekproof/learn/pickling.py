"""A holdout in other processes: it takes its rows along, and never a budget of its own.

What is pickled holds the labels, and for PostgreSQL all that connecting takes: it is for workers
of the same custodian. Where it is unpickled the ledger is opened again, once in a process.
"""

import hashlib
import pickle
import threading
from collections import deque
from contextlib import suppress
from typing import final
from weakref import WeakValueDictionary

from peekproof.core.errors import InvalidInput, LedgerMismatch, LedgerUnavailable
from peekproof.learn.desk import Desk, LocalDesk
from peekproof.learn.held import HeldRows
from peekproof.learn.opening import open_desk
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.places import shown
from peekproof.ledger.sqlite import MEMORY
from peekproof.noise.entropy import Entropy
from peekproof.session.forks import refuse_forked

_MOST = 8  # opened for what was unpickled, and kept for the next task of this process


@final
class _Opened:
    """The desks of this process that what is unpickled may share."""

    def __init__(self) -> None:
        self.turn = threading.RLock()
        self._known: WeakValueDictionary[tuple[str, ...], LocalDesk] = WeakValueDictionary()
        self._kept: deque[LocalDesk] = deque(maxlen=_MOST)

    def share(self, key: tuple[str, ...], desk: LocalDesk) -> None:
        with self.turn:
            self._known[key] = desk

    def keep(self, key: tuple[str, ...], desk: LocalDesk) -> None:
        self._kept.append(desk)
        self._known[key] = desk

    def get(self, key: tuple[str, ...]) -> LocalDesk | None:
        """One that is open still."""
        desk = self._known.get(key)
        if desk is not None:
            with suppress(LedgerUnavailable):  # somebody closed it
                desk.session.ledger.look()
                return desk
        return None


_opened = _Opened()


@final
class _Packed:
    """Stands for a desk in a pickle, and is one when it is unpickled."""

    def __init__(self, desk: LocalDesk) -> None:
        self._desk = desk

    def __reduce__(self) -> tuple[object, ...]:
        desk = self._desk
        if desk.place == MEMORY:
            raise InvalidInput(
                argument="ledger",
                accepted="in a file or in PostgreSQL, for a holdout that other processes use",
                given="one in memory, whose copies would each have a budget",
                hint='name a file: Holdout(X, y, ledger="holdout.peekproof")',
            )
        session = desk.session
        # Bytes, for where the ledger is open the rows are there already.
        rows = pickle.dumps(desk.held.parts)
        place, name, analyst = desk.place, session.ledger.opening.name, session.analyst
        _opened.share(_key(place, name, analyst, rows), desk)
        return _unpacked, (place, name, analyst, rows, desk.entropy)


def packed(desk: Desk) -> object:
    """What to pickle for a desk; one that is not of this process pickles by itself."""
    return _Packed(desk) if isinstance(desk, LocalDesk) else desk


def _unpacked(
    place: str, name: str, analyst: str, rows: bytes, entropy: Entropy | None
) -> LocalDesk:
    """The desk of this process for what was pickled."""
    refuse_forked(place if "://" not in place else shown(place))
    key = _key(place, name, analyst, rows)
    with _opened.turn:
        desk = _opened.get(key)
        if desk is None:
            desk = _reopened(place, name, analyst, rows, entropy)
            _opened.keep(key, desk)
        return desk


def _reopened(
    place: str, name: str, analyst: str, rows: bytes, entropy: Entropy | None
) -> LocalDesk:
    if not Ledger.exists(place):
        raise LedgerUnavailable(
            ledger=shown(place),
            problem="is not to be found where the holdout is unpickled",
            hint="its budget is there and nowhere else: work where the same file or database is",
        )
    labels, names, columns = pickle.loads(rows)  # noqa: S301 (part of what is being unpickled)
    desk = open_desk(
        HeldRows(labels, names=names, columns=columns),
        confidence=None,
        questions=None,
        ledger=place,
        analyst=analyst,
        entropy=entropy,
    )
    found = desk.session.ledger.opening.name
    if found != name:
        desk.close()
        raise LedgerMismatch(
            ledger=shown(place),
            what="the name",
            recorded=found,
            given=name,
            hint="it has taken the place of the ledger that the holdout was pickled with",
        )
    return desk


def _key(place: str, name: str, analyst: str, rows: bytes) -> tuple[str, ...]:
    # The rows in their order: a ledger knows them in any order, and predictions come in one.
    return place, name, analyst, hashlib.sha256(rows).hexdigest()
