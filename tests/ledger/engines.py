"""The three kinds of stores, as the conformance suite takes them."""

from __future__ import annotations

import itertools
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from ledger.postgres_server import Database
from peekproof.ledger.entry import FORMAT, Entry
from peekproof.ledger.postgres import PostgresStore
from peekproof.ledger.sqlite import APPLICATION, MEMORY, SqliteStore
from peekproof.ledger.store import Store
from peekproof.testing.ledgers import Engine

# As version 1 made its files.
FIRST_FORMAT = f"""
    PRAGMA application_id = {APPLICATION};
    CREATE TABLE entry (
        sequence INTEGER PRIMARY KEY,
        kind TEXT NOT NULL,
        body TEXT NOT NULL,
        digest BLOB NOT NULL CHECK (length(digest) = 32)
    );
    PRAGMA user_version = 1;
"""


def rows(entries: Sequence[Entry]) -> list[tuple[int, str, str, bytes]]:
    return [(each.sequence, each.kind, each.text, each.digest) for each in entries]


def forge_sqlite(store: Store, entries: Sequence[Entry]) -> None:
    assert isinstance(store, SqliteStore)
    store._connection.execute("BEGIN IMMEDIATE")
    store._connection.execute("DELETE FROM entry")
    store._connection.executemany("INSERT INTO entry VALUES (?, ?, ?, ?)", rows(entries))
    store._connection.execute("COMMIT")


def forge_postgres(store: Store, entries: Sequence[Entry]) -> None:
    assert isinstance(store, PostgresStore)
    connection, ledger = store._connection, store._ledger
    assert connection is not None
    with connection.transaction(), connection.cursor() as cursor:
        cursor.execute("SET LOCAL synchronous_commit = off")
        cursor.execute("DELETE FROM peekproof.entry WHERE ledger = %s", (ledger,))
        insert = "INSERT INTO peekproof.entry VALUES (%s, %s, %s, %s, %s)"
        cursor.executemany(insert, [(ledger, *row) for row in rows(entries)])


def memory() -> Engine:
    return Engine(name="SQLite in memory", place=lambda: MEMORY, forge=forge_sqlite)


def files(folder: Path) -> Engine:
    """Ledgers in a folder."""
    numbers = itertools.count()

    def newer(place: str) -> None:
        with closing(sqlite3.connect(place)) as connection:
            connection.execute(f"PRAGMA user_version = {FORMAT + 1}")

    return Engine(
        name="SQLite",
        place=lambda: str(folder / f"{next(numbers)}.peekproof"),
        forge=forge_sqlite,
        newer=newer,
    )


def postgres(database: Database) -> Engine:
    """Ledgers in one database."""
    numbers = itertools.count()

    def newer(place: str) -> None:
        database.execute("UPDATE peekproof.format SET version = version + 1")

    return Engine(
        name="PostgreSQL",
        place=lambda: database.place(f"number {next(numbers)}"),
        forge=forge_postgres,
        newer=newer,
    )
