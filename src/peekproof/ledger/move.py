"""A ledger carried over from a file to PostgreSQL, or back, so that only one of the two goes on.

All entries are put in place where nobody sees them; then the old place records, durably, that it is
retired and where the ledger went; then the copy becomes visible, with a last entry that tells it
from other copies, but it does not go on. The old place records that same entry, and only then the
copy records that it has arrived, and goes on; the old place takes that over.

Wherever that is interrupted, at most one goes on, and moving again with the same places completes
it. But no second copy goes on once the old place has recorded one, for an empty path does not tell
whether the first was taken elsewhere.
"""

from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import final

from peekproof.core.errors import InvalidInput, LedgerMoved
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.places import named, receiving, shown
from peekproof.ledger.postgres_place import is_postgres
from peekproof.ledger.state import FILE, POSTGRES
from peekproof.ledger.witness import Witness


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Moved:
    """Where a ledger was, where it is, and with how many entries."""

    source: str
    ledger: str
    entries: int
    digest: str


def move(source: str, target: str, *, witness: Witness | None) -> Moved:
    """Carry a ledger over from a file to PostgreSQL, or back; the old place is retired for good."""
    if is_postgres(source) == is_postgres(target):
        raise InvalidInput(
            argument="TARGET",
            accepted="in PostgreSQL for a ledger in a file, or a file for one in PostgreSQL",
            given="the same kind",
            hint="a file is moved as files are; between databases, by way of a file",
        )
    with closing(Ledger.open(source)) as book:
        book.verify()
        target = named(target, book.opening.fingerprint)
        to = shown(target) if is_postgres(target) else str(Path(target).resolve())
        gone = book.look().elsewhere(book.place)
        if gone not in (None, to):
            raise LedgerMoved(ledger=book.place, to=gone or "", delivered=book.delivered)
        if witness and (gone is None or not book.delivered):
            book.attend(witness, moving=gone is not None)
        if gone is None:
            store = POSTGRES if is_postgres(target) else FILE
            with receiving(target) as arrival:
                book.hand_over(store=store, to=to, deliver=arrival.deliver)
                arrival.commit()
        elif not _has_all(target, of=book):
            if book.delivered:
                raise LedgerMoved(ledger=book.place, to=to)
            with receiving(target) as arrival:
                arrival.deliver(book.redelivered())
                arrival.commit()
        place = book.place
        with closing(Ledger.open(target)) as there:
            there.verify()
            book.release(there)
            there.arrive()
            book.conclude(there)
    with closing(Ledger.open(target)) as there:
        if witness:
            there.attend(witness)
        entries = there.verify()
        last = there.entry(entries)
        digest = last.digest.hex() if last else ""
        return Moved(source=place, ledger=there.place, entries=entries, digest=digest)


def _has_all(target: str, *, of: Ledger) -> bool:
    """Whether the ledger at the target has all of the old place, and what tells the copy."""
    if not Ledger.exists(target):
        return False
    with closing(Ledger.open(target)) as there:
        last = of.look().last
        if last is None or there.entry(last.sequence) != last:
            return False
        return of.delivered or there.entry(last.sequence + 1) is not None
