"""The tables of ledgers in a PostgreSQL database, and how they come to be."""

from collections.abc import Sequence

from psycopg import Connection

from peekproof.core.errors import LedgerDamaged, LedgerMismatch, LedgerTooNew
from peekproof.ledger.entry import FORMAT, Entry
from peekproof.ledger.postgres_place import Address

_TABLES = """
    CREATE SCHEMA IF NOT EXISTS peekproof;
    CREATE TABLE peekproof.format (
        version integer NOT NULL,
        single boolean PRIMARY KEY DEFAULT true CHECK (single)
    );
    CREATE TABLE peekproof.ledger (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        name text NOT NULL UNIQUE,
        fingerprint text NOT NULL UNIQUE
    );
    CREATE TABLE peekproof.entry (
        ledger bigint NOT NULL REFERENCES peekproof.ledger,
        sequence bigint NOT NULL,
        kind text NOT NULL,
        body text NOT NULL,
        digest bytea NOT NULL CHECK (octet_length(digest) = 32),
        PRIMARY KEY (ledger, sequence)
    );
    CREATE TABLE peekproof.snapshot (
        ledger bigint PRIMARY KEY REFERENCES peekproof.ledger,
        sequence bigint NOT NULL,
        body text NOT NULL,
        digest bytea NOT NULL
    );
    CREATE TABLE peekproof.settled (
        ledger bigint NOT NULL REFERENCES peekproof.ledger,
        digest text NOT NULL,
        sequence bigint NOT NULL,
        PRIMARY KEY (ledger, digest)
    );
    INSERT INTO peekproof.format (version) VALUES (1);
"""

_MAKING = 0x5045454B  # the lock of whoever makes the tables

INSERT = """
    INSERT INTO peekproof.entry (ledger, sequence, kind, body, digest)
    SELECT %s, * FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::bytea[])
"""


def has_tables(connection: Connection, place: str) -> bool:
    """Whether the database was made for ledgers. Tables of a newer version are refused."""
    # By a query: to_regclass() may remember from before a lock that there were none.
    found = connection.execute(
        "SELECT FROM pg_catalog.pg_tables WHERE schemaname = 'peekproof' AND tablename = 'format'"
    ).fetchone()
    if found is None:
        return False
    version = connection.execute("SELECT version FROM peekproof.format").fetchone()
    if version is None:
        raise LedgerDamaged(ledger=place, problem="is in a database that lost its format")
    if version[0] > FORMAT:
        raise LedgerTooNew(ledger=place, found=version[0], supported=FORMAT)
    return True


def make_tables(connection: Connection, place: str) -> None:
    """Make the tables of ledgers, all at once, whoever else tries the same."""
    if has_tables(connection, place):  # then this needs no right to make any
        return
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_MAKING,))
        if not has_tables(connection, place):
            connection.execute(_TABLES.encode())


def register(connection: Connection, address: Address, first: Entry) -> None:
    """Put a ledger with one entry under its name, unless there is one; data has one name only."""
    fingerprint = str(first.body["fingerprint"])
    with connection.transaction():
        connection.execute("SET LOCAL synchronous_commit = on")
        made = connection.execute(
            "INSERT INTO peekproof.ledger (name, fingerprint) VALUES (%s, %s) "
            "ON CONFLICT DO NOTHING RETURNING id",
            (address.name, fingerprint),
        ).fetchone()
        if made:
            connection.execute(INSERT, (made[0], *columns([first])))
            return
    there = connection.execute(
        "SELECT name FROM peekproof.ledger WHERE name = %s", (address.name,)
    ).fetchone()
    if not there:
        refuse_second_name(connection, address, fingerprint)


def refuse_second_name(connection: Connection, address: Address, fingerprint: str) -> None:
    """Raise if this data has its ledger under another name."""
    other = connection.execute(
        "SELECT name FROM peekproof.ledger WHERE fingerprint = %s AND name <> %s",
        (fingerprint, address.name),
    ).fetchone()
    if other:
        raise LedgerMismatch(
            ledger=address.shown,
            what="this data under the name",
            recorded=str(other[0]),
            given=f"the name {address.name}",
            hint="a budget belongs to the data, and a second name would be a second budget; "
            f"continue with ledger={other[0]}",
        )


def columns(entries: Sequence[Entry]) -> tuple[list[int], list[str], list[str], list[bytes]]:
    """Entries as `INSERT` takes them."""
    return (
        [each.sequence for each in entries],
        [each.kind for each in entries],
        [each.text for each in entries],
        [each.digest for each in entries],
    )
