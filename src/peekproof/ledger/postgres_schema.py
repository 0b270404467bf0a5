"""The tables of ledgers in a PostgreSQL database, and how they come to be."""

from collections.abc import Sequence

from psycopg import Connection

from peekproof.core.errors import LedgerDamaged, LedgerMismatch, LedgerTooNew
from peekproof.ledger.entry import Entry
from peekproof.ledger.opening import FORMAT
from peekproof.ledger.postgres_place import Address

# What takes a database from one format to the next, by the format it leads to. Entries never
# change. The first format was never kept in PostgreSQL: it is a database without ledgers.
_STEPS = {
    2: """
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
    INSERT INTO peekproof.format (version) VALUES (2);
""",
}
_NOTHING = 1

_MAKING = 0x484F4C44  # the lock of whoever makes or changes tables

INSERT = """
    INSERT INTO peekproof.entry (ledger, sequence, kind, body, digest)
    SELECT %s, * FROM unnest(%s::bigint[], %s::text[], %s::text[], %s::bytea[])
"""


def format_of(connection: Connection, place: str) -> int:
    """The format of the tables; that of a database without ledgers if there are none."""
    # By a query: to_regclass() may remember from before a lock that there were none.
    found = connection.execute(
        "SELECT FROM pg_catalog.pg_tables WHERE schemaname = 'peekproof' AND tablename = 'format'"
    ).fetchone()
    if found is None:
        return _NOTHING
    version = connection.execute("SELECT version FROM peekproof.format").fetchone()
    if version is None:
        raise LedgerDamaged(ledger=place, problem="is in a database that lost its format")
    if version[0] > FORMAT:
        raise LedgerTooNew(ledger=place, found=version[0], supported=FORMAT)
    return int(version[0])


def has_tables(connection: Connection, place: str) -> bool:
    """Whether the database was made for ledgers; older tables are brought to the format of today.

    Tables of a newer version are refused.
    """
    found = format_of(connection, place)
    if _NOTHING < found < FORMAT:
        make_tables(connection, place)
    return found > _NOTHING


def make_tables(connection: Connection, place: str) -> None:
    """Bring a database to the format of today, all at once, whoever else tries the same."""
    if format_of(connection, place) == FORMAT:  # then this needs no right to make any
        return
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (_MAKING,))
        for step in range(format_of(connection, place) + 1, FORMAT + 1):
            connection.execute(_STEPS[step].encode())
            connection.execute("UPDATE peekproof.format SET version = %s", (step,))


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
