"""Opening a holdout: its rows, the ledger that its budget is in, and both in other processes."""

import hashlib
import pickle
import threading
from collections import deque
from collections.abc import Mapping, Sized
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final
from weakref import WeakValueDictionary

from peekproof.core.errors import InvalidInput, LedgerMismatch, LedgerUnavailable
from peekproof.learn.column import check_index, index_of, labels_of
from peekproof.learn.desk import Desk
from peekproof.learn.features import Features
from peekproof.learn.held import LABEL, ROW, HeldRows
from peekproof.learn.naming import row_names
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.places import shown
from peekproof.ledger.sqlite import MEMORY
from peekproof.mechanisms.checking import Checking
from peekproof.noise.entropy import Entropy
from peekproof.session.forks import refuse_forked
from peekproof.session.opening import open_with
from peekproof.session.session import Session

QUESTIONS = 10_000
_ROWS = "the rows of X"


def held_rows(
    features: object,
    labels: object,
    columns: Mapping[str, object],
    *,
    classes: object = None,
    given: object = None,
) -> HeldRows:
    """The rows of a holdout, with columns besides by which they can be grouped.

    `given` are the labels in the order in which they came, if that was another one.
    """
    known, index = labels_of(labels, classes=classes), rows_index(features, labels)
    for name, column in columns.items():
        check_index(column, index, f"groups[{name!r}]", rows=_ROWS)
        if name in (LABEL, ROW):
            raise InvalidInput(
                argument="groups", accepted=f"columns not called {name!r}", given=repr(name)
            )
        if not isinstance(column, Sized) or len(column) != known.rows:
            given = f"{len(column):,}" if isinstance(column, Sized) else repr(column)[:80]
            raise InvalidInput(
                argument="groups",
                accepted=f"columns of one value for each of the {known.rows:,} rows",
                given=f"{given} in {name!r}",
            )
    names = row_names(features, rows=known.rows)
    check_index(labels, index, "y", rows=_ROWS)
    return HeldRows(
        known,
        names=names,
        columns=columns,
        features=Features.of(features),
        given=None if given is None else labels_of(given),
    )


def rows_index(features: object, labels: object) -> Any:
    """The index by which pandas names rows: that of the features, else of the labels, else None."""
    found = index_of(features)
    return index_of(labels) if found is None else found


def open_desk(
    held: HeldRows,
    *,
    confidence: float | None,
    questions: int | None,
    ledger: str | Path | None,
    analyst: str = "",
    override: str | None = None,
    entropy: Entropy | None = None,
) -> Desk:
    """A session about the rows that checks guesses: new, or the one that the ledger holds."""
    place = MEMORY if ledger is None else ledger
    session = open_with(
        held,
        QUESTIONS,
        confidence=confidence,
        questions=questions,
        ledger=place,
        mechanisms=[Checking],
        analyst=analyst,
        override=override,
        entropy=entropy,
    )
    # Other processes, and this one in a while, may be in another folder.
    known = place == MEMORY or "://" in str(place)
    lasting = str(place) if known else str(Path(place).absolute())
    return desk_of(session, held, place=lasting, entropy=entropy)


# In other processes: a desk takes its rows along, and never a budget of its own.

_MOST = 8  # opened for what was unpickled, and kept for the next task of this process


@final
class _Opened:
    """The desks of this process that what is unpickled may share."""

    def __init__(self) -> None:
        self.turn = threading.RLock()
        self._known: WeakValueDictionary[tuple[str, ...], Desk] = WeakValueDictionary()
        self._kept: deque[Desk] = deque(maxlen=_MOST)

    def share(self, key: tuple[str, ...], desk: Desk) -> None:
        with self.turn:
            self._known[key] = desk

    def keep(self, key: tuple[str, ...], desk: Desk) -> None:
        self._kept.append(desk)
        self._known[key] = desk

    def get(self, key: tuple[str, ...]) -> Desk | None:
        """One that is open still."""
        desk = self._known.get(key)
        if desk is not None:
            with suppress(LedgerUnavailable):  # somebody closed it
                desk.session.ledger.look()
                return desk
        return None


_opened = _Opened()


def desk_of(
    session: Session, held: HeldRows, *, place: str = MEMORY, entropy: Entropy | None = None
) -> Desk:
    """A desk for rows that are at hand; its ledger can be opened again at `place`."""
    return Desk(session, held.labels, home=LedgerHome(place, entropy), held=held)


@final
@dataclass(frozen=True, slots=True)
class LedgerHome:
    """A ledger that other processes open with a copy of the rows: one budget for all of them.

    What is pickled holds the labels, and for PostgreSQL all that connecting takes: it is for
    workers of the same custodian. Where it is unpickled the ledger is opened again, once in a
    process.
    """

    place: str
    entropy: Entropy | None

    def ids(self) -> None:
        """None: whoever has the rows has their order."""

    def packed(self, desk: Desk) -> tuple[object, ...]:
        if self.place == MEMORY or desk.held is None:
            raise InvalidInput(
                argument="ledger",
                accepted="in a file or in PostgreSQL, for a holdout that other processes use",
                given="one in memory, whose copies would each have a budget",
                hint='name a file: Holdout(X, y, ledger="holdout.peekproof")',
            )
        name, analyst = desk.session.ledger.opening.name, desk.session.analyst
        # Bytes, for where the ledger is open the rows are there already.
        rows = pickle.dumps(desk.held.parts)
        _opened.share(_key(self.place, name, analyst, rows), desk)
        return _unpacked, (self.place, name, analyst, rows, self.entropy)


def _unpacked(place: str, name: str, analyst: str, rows: bytes, entropy: Entropy | None) -> Desk:
    """The desk of this process for what was pickled."""
    refuse_forked(place if "://" not in place else shown(place))
    key = _key(place, name, analyst, rows)
    with _opened.turn:
        desk = _opened.get(key)
        if desk is None:
            desk = _reopened(place, name, analyst, rows, entropy)
            _opened.keep(key, desk)
        return desk


def _reopened(place: str, name: str, analyst: str, rows: bytes, entropy: Entropy | None) -> Desk:
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
