"""The embedded store: one SQLite file, or memory. Commits are synced to disk."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import final
from weakref import finalize

from peekproof.core.errors import LedgerDamaged, LedgerUnavailable
from peekproof.ledger.entry import Entry
from peekproof.ledger.file import (
    MEMORY,
    SCHEMA,
    check_header,
    create_file,
    insert,
    migrate,
    translated,
)
from peekproof.ledger.store import Snapshot

BUSY_SECONDS = 30.0

_COLUMNS = "SELECT sequence, kind, body, digest FROM entry"


@final
class SqliteStore:
    """A file, shared by processes through SQLite's locks, or memory for one."""

    def __init__(self, place: str, connection: sqlite3.Connection) -> None:
        self.place = place
        self._connection = connection
        self._known: Entry | None = None  # the newest entry that this process has seen
        # In a cycle the connection, which is older, is finalized before a `__del__` of this is,
        # and complains. Not at exit, where a fork may come first.
        finalize(self, connection.close).atexit = False

    @classmethod
    def create(cls, place: str, first: Entry) -> "SqliteStore":
        """A new file, complete or not at all; if there is one already, that one."""
        if place != MEMORY:
            create_file(Path(place), first)
            return cls.open(place)
        connection = sqlite3.connect(MEMORY, isolation_level=None, check_same_thread=False)
        connection.executescript(SCHEMA)
        insert(connection, [first])
        return cls(place, connection)

    @classmethod
    def open(cls, place: str) -> "SqliteStore":
        """An existing file, if it is a sound database of ours."""
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
                migrate(connection)
                return cls(place, connection)
            except BaseException:
                connection.close()
                raise

    def begin(self, *, after: int) -> list[Entry]:
        with translated(self.place):
            if self._connection.in_transaction:  # an interrupt may have left it open
                self._connection.execute("ROLLBACK")
            self._connection.execute("BEGIN IMMEDIATE")
            known = self._known if self._known and self._known.sequence >= after else None
            entries = self._read("sequence >= ? ORDER BY sequence", after)
        if known and known not in entries:
            # Whatever follows it would break the chain for good.
            problem = "lost entries that were there before"
            raise LedgerDamaged(ledger=self.place, problem=problem)
        return [each for each in entries if each.sequence > after]

    def commit(self, entries: Sequence[Entry]) -> None:
        with translated(self.place):
            if not self._connection.in_transaction:  # without one each entry would stand alone
                raise LedgerUnavailable(ledger=self.place, problem="lost its transaction")
            insert(self._connection, entries)
            self._connection.execute("COMMIT")
            self._known = entries[-1] if entries else self._known

    def rollback(self) -> None:
        with translated(self.place):
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")

    def read(self, *, after: int, most: int) -> list[Entry]:
        with translated(self.place):
            return self._read("sequence > ? ORDER BY sequence LIMIT ?", after, most)

    def _read(self, where: str, *numbers: int) -> list[Entry]:
        rows = self._connection.execute(f"{_COLUMNS} WHERE {where}", numbers)
        entries = [Entry(*row) for row in rows]
        if entries and (self._known is None or entries[-1].sequence >= self._known.sequence):
            self._known = entries[-1]
        return entries

    def snapshot(self) -> Snapshot | None:
        with translated(self.place):
            row = self._connection.execute("SELECT sequence, body, digest FROM snapshot").fetchone()
            return Snapshot(*row) if row else None

    def save(self, snapshot: Snapshot, settled: Iterable[tuple[str, int]]) -> None:
        with translated(self.place):
            try:
                self._connection.execute("BEGIN IMMEDIATE")
                found = self.snapshot()
                if found is None or found.sequence < snapshot.sequence:
                    self._replace(snapshot, settled)
                self._connection.execute("COMMIT")
            except BaseException:
                self.rollback()
                raise

    def _replace(self, snapshot: Snapshot, settled: Iterable[tuple[str, int]]) -> None:
        self._connection.executemany("INSERT OR IGNORE INTO settled VALUES (?, ?)", settled)
        self._connection.execute("DELETE FROM snapshot")
        row = snapshot.sequence, snapshot.text, snapshot.digest
        self._connection.execute("INSERT INTO snapshot VALUES (?, ?, ?)", row)

    def settled(self, digest: str) -> int | None:
        with translated(self.place):
            row = self._connection.execute(
                "SELECT sequence FROM settled WHERE digest = ?", (digest,)
            ).fetchone()
            return int(row[0]) if row else None

    def index(self) -> Iterator[tuple[str, int]]:
        with translated(self.place):
            yield from self._connection.execute("SELECT digest, sequence FROM settled")

    def close(self) -> None:
        self._connection.close()
