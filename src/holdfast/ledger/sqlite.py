"""The embedded ledger: one SQLite file, or memory.

A charge is one transaction that takes the write lock first, catches up with what other
processes wrote, asks the gate, and appends. Commits are synced to disk before they return.
"""

import os
import sqlite3
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import final

from holdfast.core.charge import Charge, Offer, added, amount_of, cost_of
from holdfast.core.errors import InvalidInput, LedgerDamaged, LedgerUnavailable
from holdfast.core.gate import Gate, Refused
from holdfast.core.loss import FREE
from holdfast.ledger.entry import Body, Entry, checked, follow
from holdfast.ledger.file import MEMORY, SCHEMA, check_header, create_file, insert, translated
from holdfast.ledger.state import (
    Opening,
    Paid,
    Settled,
    State,
    Value,
    offer_to_body,
    value_to_json,
)

BUSY_SECONDS = 30.0


@final
@dataclass(frozen=True, slots=True)
class Reservation:
    """Questions that are paid for and may now be drawn, each once.

    `offers` is what was paid for each. `first` draws and `before` in charges came before them.
    """

    sequence: int
    digests: tuple[str, ...]
    offers: tuple[Offer, ...] = ()
    first: int = 0
    before: Charge = FREE


@final
class Ledger:
    """An open ledger. Safe to share between threads; processes share the file."""

    def __init__(self, place: str, connection: sqlite3.Connection) -> None:
        self.place = place
        self._connection = connection
        self._lock = threading.RLock()
        self._process = os.getpid()
        self._state = State(place)
        self._catch_up()
        if self._state.opening is None:
            raise LedgerDamaged(ledger=place, problem="has no entries")
        self.opening = self._state.opening

    @classmethod
    def exists(cls, place: str) -> bool:
        return place != MEMORY and Path(place).exists()

    @classmethod
    def create(cls, place: str, opening: Opening) -> "Ledger":
        """A new ledger; if another process created the file first, that one."""
        first = follow(None, "open", opening.to_body())
        if place != MEMORY:
            create_file(Path(place), first)
            return cls.open(place)
        connection = sqlite3.connect(MEMORY, isolation_level=None, check_same_thread=False)
        connection.executescript(SCHEMA)
        insert(connection, first)
        return cls(place, connection)

    @classmethod
    def open(cls, place: str) -> "Ledger":
        """The ledger in an existing file, its chain checked and replayed."""
        path = Path(place)
        if not path.is_file():
            raise LedgerUnavailable(ledger=place, problem="is not a file")
        if path.stat().st_size == 0:
            raise LedgerDamaged(ledger=place, problem="is empty, which a ledger never is")
        with translated(place):
            connection = sqlite3.connect(
                path, isolation_level=None, check_same_thread=False, timeout=BUSY_SECONDS
            )
            try:
                check_header(connection, place)
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
                return cls(place, connection)
            except BaseException:
                connection.close()
                raise

    @property
    def seen(self) -> State:
        """The state as of the last look; other processes may have moved on. Only to be read."""
        return self._state

    def spent(self) -> Charge:
        """All that was ever reserved, by any process."""
        with self._lock, translated(self.place):
            self._catch_up()
            return self._state.spent

    def draws(self) -> int:
        """How many questions were ever paid for, settled or not."""
        with self._lock, translated(self.place):
            self._catch_up()
            return self._state.draws

    def answers(self) -> Mapping[str, Settled]:
        """Every settled answer by the digest of its question."""
        with self._lock, translated(self.place):
            self._catch_up()
            return self._state.answers

    def reserve(
        self,
        questions: Mapping[str, str],
        *,
        offers: Callable[[tuple[str, ...], int], Sequence[Offer]],
        gate: Gate[Charge, Charge],
    ) -> Reservation | Refused[Charge]:
        """Charge for each question (text by digest) that is still unanswered.

        `offers(digests, i)` says what these cost after i draws; all are charged or none is.
        Durable when it returns. A refusal writes nothing.
        """
        with self._lock, translated(self.place):
            with self._transaction():
                answered = self._state.answers
                fresh = {key: text for key, text in questions.items() if key not in answered}
                if not fresh:
                    return Reservation(0, ())
                first, before = self._state.draws, self._state.spent
                made = tuple(offers(tuple(fresh), first))
                if first + sum(each.draws for each in made) > self.opening.questions:
                    return Refused(self.opening.budget)
                cost = cost_of(made)
                verdict = gate.admit(cost, spent=before)
                if isinstance(verdict, Refused):
                    return verdict
                total = added(before, cost)
                if amount_of(total) > amount_of(self.opening.budget):  # whatever the gate may think
                    return Refused(self.opening.budget)
                entry = self._insert("reserve", _reserved(fresh, made, total))
            paid = {
                digest: Paid(text, each)
                for (digest, text), each in zip(fresh.items(), made, strict=True)
            }
            self._state.charge(entry, paid, spent=total)
            return Reservation(entry.sequence, tuple(fresh), made, first, before)

    def settle(self, reservation: Reservation, values: Mapping[str, Value]) -> None:
        """Record the answers drawn for a reservation. Durable when it returns."""
        if not reservation.digests:
            return
        with self._lock, translated(self.place):
            with self._transaction():
                paid = self._state.pending.get(reservation.sequence, {})
                if set(reservation.digests) != set(paid):
                    raise InvalidInput(
                        argument="reservation",
                        accepted="paid for in this ledger and not settled yet",
                        given=f"entry {reservation.sequence}",
                    )
                answers = {digest: value_to_json(values[digest]) for digest in reservation.digests}
                body: Body = {"reserve": reservation.sequence, "answers": answers}
                entry = self._insert("settle", body)
            self._state.settle(entry, reservation.sequence, values)

    def entries(self) -> list[Entry]:
        """All entries from the first, as they lie in the file."""
        with self._lock, translated(self.place):
            self._check_process()
            return self._entries_after(0)

    def verify(self) -> int:
        """Recheck every link and every amount from the first entry; the number of entries."""
        state = State(self.place)
        with self._lock:
            known = self._state.last
            entries = self.entries()
        if not entries:
            raise LedgerDamaged(ledger=self.place, problem="has no entries")
        for entry in checked(entries, after=None, ledger=self.place):
            state.apply(entry)
        if known is not None and known not in entries[known.sequence - 1 : known.sequence]:
            raise LedgerDamaged(ledger=self.place, problem="lost entries that were there before")
        return len(entries)

    def close(self) -> None:
        with self._lock:
            self._connection.close()

    def __del__(self) -> None:
        self._connection.close()

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        """The write lock, taken before looking: two charges cannot both see the last unit."""
        self._check_process()
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            self._catch_up()
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    def _check_process(self) -> None:
        if os.getpid() != self._process:
            # A forked copy of a connection corrupts; a forked copy of memory doubles the budget.
            raise LedgerUnavailable(ledger=self.place, problem="was opened by another process")

    def _catch_up(self) -> None:
        self._check_process()
        last = self._state.last
        news = self._entries_after(last.sequence if last else 0)
        for entry in checked(news, after=last, ledger=self.place):
            self._state.apply(entry)

    def _entries_after(self, sequence: int) -> list[Entry]:
        rows = self._connection.execute(
            "SELECT sequence, kind, body, digest FROM entry WHERE sequence > ? ORDER BY sequence",
            (sequence,),
        )
        return [Entry(*row) for row in rows]

    def _insert(self, kind: str, body: Body) -> Entry:
        entry = follow(self._state.last, kind, body)
        insert(self._connection, entry)
        return entry


def _reserved(questions: Mapping[str, str], offers: tuple[Offer, ...], total: Charge) -> Body:
    """The body of a reservation: what all offers have in common is said once."""
    listed: list[Body] = [{"digest": key, "text": text} for key, text in questions.items()]
    body: Body = {"questions": listed, "spent": str(amount_of(total))}
    if all(offer == offers[0] for offer in offers):
        return {**body, **offer_to_body(offers[0])}
    for each, offer in zip(listed, offers, strict=True):
        each.update(offer_to_body(offer))
    return body
