"""The store for several machines: a PostgreSQL database, its tables and connections to it."""

import json
import os
import sys
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import chain
from typing import TypeVar, final

import psycopg
from psycopg import Connection, IsolationLevel, errors
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import PipelineStatus, TransactionStatus
from psycopg.rows import TupleRow

from peekproof.core.errors import LedgerDamaged, LedgerMismatch, LedgerTooNew, LedgerUnavailable
from peekproof.ledger.entry import FORMAT, PUBLIC_NAME, Entry, Opening, checked
from peekproof.ledger.postgres_place import Address, refused, separated
from peekproof.ledger.store import CHUNK, Snapshot

_DEFAULTS = {"connect_timeout": "10", "application_name": "peekproof"}
_FIXED = {"client_encoding": "utf8"}


def address_of(place: str) -> Address:
    """Which database and which ledger a place means."""
    try:
        parts = conninfo_to_dict(separated(place)[0])
    except psycopg.Error:
        # Its message may quote a password that was taken for something else.
        raise refused("that libpq can read") from None
    given = {key: str(value) for key, value in parts.items()}
    return Address.of(place, given, make_conninfo(**{**_DEFAULTS, **given, **_FIXED}))


def connect(address: Address) -> Connection:
    """A connection to a server that keeps what it confirms."""
    # What is prepared is lost where connections are pooled.
    connection = psycopg.connect(address.connection, autocommit=True, prepare_threshold=None)
    try:
        connection.isolation_level = IsolationLevel.READ_COMMITTED
        connection.read_only = False
        (fsync,) = connection.execute("SELECT current_setting('fsync')").fetchone() or ("",)
        if fsync != "on":
            problem = "is on a server that may forget what it confirmed (fsync is off)"
            raise LedgerUnavailable(ledger=address.shown, problem=problem)
    except BaseException:
        connection.close()
        raise
    return connection


# What the server says of tables that someone changed, and of pages that the disk did.
_DAMAGE = (
    psycopg.IntegrityError,
    psycopg.DataError,
    errors.UndefinedTable,
    errors.UndefinedColumn,
    errors.InvalidSchemaName,
    errors.DataCorrupted,
    errors.IndexCorrupted,
)


@contextmanager
def translated(place: str) -> Iterator[None]:
    """PostgreSQL's errors as ours: trouble that may pass, or damaged tables.

    An interrupt stays one: the driver puts an error of its own in its place if it cannot end what
    it was at.
    """
    outside = sys.exc_info()[1]
    try:
        yield
    except errors.LockNotAvailable as error:
        problem = "is locked by another process"
        raise LedgerUnavailable(ledger=place, problem=problem) from error
    except _DAMAGE as error:
        problem = f"is damaged ({_first_line(error)})"
        raise LedgerDamaged(ledger=place, problem=problem) from error
    except psycopg.Error as error:
        found: BaseException | None = error
        while found is not None and found is not outside:
            if not isinstance(found, Exception):
                raise found from None
            found = found.__context__
        problem = f"cannot be used ({_first_line(error)})"
        raise LedgerUnavailable(ledger=place, problem=problem) from error


def _first_line(error: psycopg.Error) -> str:
    return error.diag.message_primary or (str(error).splitlines() or [type(error).__name__])[0]


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


T = TypeVar("T")

LOCK_SECONDS = 30
IDLE_SECONDS = 60  # so long a machine that is gone without a word can keep the others out

# Otherwise the connection was lost, or its user was interrupted while the server was at work.
_WHOLE = (TransactionStatus.IDLE, TransactionStatus.INTRANS, TransactionStatus.INERROR)

# Each statement sees what is there when it starts, so the last one all that was committed before
# the lock was given. As one text, and not in a pipeline of messages: those end with one that stops
# the server's clock for idle transactions.
_BEGIN = """
    BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
    SELECT set_config('synchronous_commit', 'on', true),
        set_config('lock_timeout', '{lock:.0f}', true),
        set_config('idle_in_transaction_session_timeout', '{idle:.0f}', true),
        pg_advisory_xact_lock(hashtextextended('peekproof ledger', {ledger:d}));
    SELECT sequence, kind, body, digest FROM peekproof.entry
        WHERE ledger = {ledger:d} AND sequence >= {after:d} ORDER BY sequence
"""
_COMMIT = "COMMIT"
_ENTRIES = "SELECT sequence, kind, body, digest FROM peekproof.entry WHERE ledger = %s"


@final
class PostgresStore:
    """A ledger in a database. A lost connection is made anew, but never within a transaction."""

    def __init__(self, address: Address) -> None:
        self.place = address.shown
        self._address = address
        self._process = os.getpid()
        self._lock = threading.RLock()  # two threads in one pipeline would wait for ever
        self._connection: Connection | None = None
        self._in_use = False  # also if whoever used it was interrupted
        self._ledger = 0
        self._known: Entry | None = None  # the newest entry that this process has seen
        self._closed = False

    @classmethod
    def shown(cls, place: str) -> str:
        """The place without passwords."""
        return address_of(place).shown

    @classmethod
    def exists(cls, place: str) -> bool:
        """Whether the database has this ledger. If nobody can tell, that is an error."""
        address = address_of(place)
        with translated(address.shown), closing(connect(address)) as connection:
            return has_tables(connection, address.shown) and bool(_found(connection, address))

    @classmethod
    def create(cls, place: str, first: Entry) -> "PostgresStore":
        """A new ledger, complete or not at all; if there is one already, that one."""
        address = address_of(place)
        with translated(address.shown), closing(connect(address)) as connection:
            make_tables(connection, address.shown)
            register(connection, address, first)
        return cls.open(place)

    @classmethod
    def open(cls, place: str) -> "PostgresStore":
        """An existing ledger."""
        store = cls(address_of(place))
        with store._lock, store._used():
            store._ready()
        return store

    @classmethod
    @contextmanager
    def receiving(cls, place: str) -> Iterator["Arrival"]:
        """A transaction in which a whole ledger arrives; without `commit` nothing has."""
        address = address_of(place)
        with translated(address.shown), closing(connect(address)) as connection:
            make_tables(connection, address.shown)
            connection.execute("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
            connection.execute("SET LOCAL synchronous_commit = on")
            yield Arrival(connection, address)

    def begin(self, *, after: int) -> list[Entry]:
        with self._lock, self._used():
            connection = self._ready()
            if self._status() != TransactionStatus.IDLE:
                raise LedgerUnavailable(ledger=self.place, problem="is being written already")
            known = self._known
            entries = self._begun(connection, after)
        if after and (not entries or entries[0].sequence != after):
            raise LedgerDamaged(ledger=self.place, problem=f"lost entry {after}")
        if known and known.sequence >= after and known not in entries:
            # Whatever follows it would break the chain for good.
            problem = "lost entries that were there before"
            raise LedgerDamaged(ledger=self.place, problem=problem)
        return entries[1:] if after else entries

    def commit(self, entries: Sequence[Entry]) -> None:
        with self._lock, self._used():
            connection = self._ready()
            # On a connection that was made since, nobody else is kept out.
            if self._status() != TransactionStatus.INTRANS:
                raise self._lost()
            with connection.pipeline():  # one round trip
                connection.execute(INSERT, (self._ledger, *columns(entries)))
                done = connection.execute(_COMMIT)
            if done.statusmessage != "COMMIT":  # the server ends a failed transaction without error
                raise self._lost()
            self._known = entries[-1] if entries else self._known

    def rollback(self) -> None:
        with self._lock:
            if self._connection is None or self._status() == TransactionStatus.IDLE:
                return
            if self._status() in _WHOLE and not self._in_use:
                with suppress(psycopg.Error):
                    self._connection.execute("ROLLBACK")
            if self._status() != TransactionStatus.IDLE:
                self._drop()  # then the server rolls back

    def read(self, *, after: int, most: int) -> list[Entry]:
        with self._lock, self._used():
            connection = self._ready()
            rows = connection.execute(
                f"{_ENTRIES} AND sequence > %s ORDER BY sequence LIMIT %s",
                (self._ledger, after, most),
                binary=True,
            )
            return self._seen(rows.fetchall())

    def snapshot(self) -> Snapshot | None:
        with self._lock, self._used():
            connection = self._ready()
            row = connection.execute(
                "SELECT sequence, body, digest FROM peekproof.snapshot WHERE ledger = %s",
                (self._ledger,),
            ).fetchone()
            return Snapshot(*row) if row else None

    def save(self, snapshot: Snapshot, settled: Iterable[tuple[str, int]]) -> None:
        listed = list(settled)  # reads from here, so before the transaction
        digests, sequences = [each[0] for each in listed], [each[1] for each in listed]
        with self._lock, self._used():
            connection = self._ready()
            try:
                self._begun(connection, snapshot.sequence)
                with connection.pipeline():
                    connection.execute(
                        "INSERT INTO peekproof.settled (ledger, digest, sequence) "
                        "SELECT %s, * FROM unnest(%s::text[], %s::bigint[]) ON CONFLICT DO NOTHING",
                        (self._ledger, digests, sequences),
                    )
                    connection.execute(
                        "INSERT INTO peekproof.snapshot AS old VALUES (%s, %s, %s, %s) "
                        "ON CONFLICT (ledger) DO UPDATE SET sequence = excluded.sequence, "
                        "body = excluded.body, digest = excluded.digest "
                        "WHERE old.sequence < excluded.sequence",
                        (self._ledger, snapshot.sequence, snapshot.text, snapshot.digest),
                    )
                    connection.execute("COMMIT")
            except BaseException:
                self.rollback()
                raise

    def settled(self, digest: str) -> int | None:
        with self._lock, self._used():
            connection = self._ready()
            row = connection.execute(
                "SELECT sequence FROM peekproof.settled WHERE ledger = %s AND digest = %s",
                (self._ledger, digest),
            ).fetchone()
            return int(row[0]) if row else None

    def index(self) -> Iterator[tuple[str, int]]:
        with self._lock, self._used():
            connection = self._ready()
            rows = connection.execute(
                "SELECT digest, sequence FROM peekproof.settled WHERE ledger = %s", (self._ledger,)
            ).fetchall()
        yield from ((str(digest), int(sequence)) for digest, sequence in rows)

    def close(self) -> None:
        self._closed = True
        self._drop()

    def __del__(self) -> None:
        self._drop()

    @contextmanager
    def _used(self) -> Iterator[None]:
        """Use the connection, with PostgreSQL's errors as ours; never again after an interrupt.

        For then the driver asks the server to cancel what it is at, and that may come late, to
        whatever is next.
        """
        if self._in_use:
            self._drop()
        self._in_use = True
        try:
            with translated(self.place):
                yield
        except Exception:
            self._in_use = False
            raise
        self._in_use = False

    def _ready(self) -> Connection:
        """The connection, made anew if the last one was lost.

        Whoever calls it holds the lock, in a `with` of their own: one within a context manager in
        Python would be kept by whoever is interrupted on the way in.
        """
        if self._closed:
            raise LedgerUnavailable(ledger=self.place, problem="was closed")
        if self._status() not in _WHOLE:
            self._drop()
        if self._connection is None:
            self._connection = self._attached()
        return self._connection

    def _status(self) -> TransactionStatus:
        """What the connection is doing; unknown without one."""
        if self._connection is None:
            return TransactionStatus.UNKNOWN
        if self._connection.pgconn.pipeline_status != PipelineStatus.OFF:  # left by an interrupt
            return TransactionStatus.UNKNOWN
        return TransactionStatus(self._connection.info.transaction_status)

    def _attached(self) -> Connection:
        """A new connection, on which the ledger is the one it was."""
        connection = connect(self._address)
        try:
            found = has_tables(connection, self.place) and _found(connection, self._address)
            if not found:
                problem = "is not in this database"
                raise LedgerUnavailable(ledger=self.place, problem=problem)
            self._ledger, fingerprint = found
            self._check(connection, fingerprint)
        except BaseException:
            connection.close()
            raise
        return connection

    def _check(self, connection: Connection, fingerprint: str) -> None:
        """Refuse a copy under another name, and a database that lost what was seen in it."""
        row = connection.execute(
            f"{_ENTRIES} AND sequence = %s",
            (self._ledger, self._known.sequence if self._known else 1),
        ).fetchone()
        found = Entry(*row) if row else None
        if self._known and found != self._known:
            problem = "lost entries that were there before"
            raise LedgerDamaged(ledger=self.place, problem=problem)
        if found and found.sequence == 1:
            with suppress(ValueError):  # what it says makes no sense: its reader will tell
                said = str(found.body.get("fingerprint"))
                if said != fingerprint:
                    refuse_second_name(connection, self._address, said)
                    problem = "is registered for other data than its first entry names"
                    raise LedgerDamaged(ledger=self.place, problem=problem)

    def _begun(self, connection: Connection, after: int) -> list[Entry]:
        """Begin a transaction that keeps others out; entry `after` and all that follow it."""
        terms = {"lock": LOCK_SECONDS * 1000, "idle": IDLE_SECONDS * 1000}
        text = _BEGIN.format(ledger=self._ledger, after=after, **terms)
        cursor = connection.execute(text.encode())
        while cursor.nextset():
            pass
        return self._seen(cursor.fetchall())

    def _seen(self, rows: Sequence[TupleRow]) -> list[Entry]:
        entries = [Entry(*row) for row in rows]
        if entries and (self._known is None or entries[-1].sequence >= self._known.sequence):
            self._known = entries[-1]
        return entries

    def _lost(self) -> LedgerUnavailable:
        return LedgerUnavailable(ledger=self.place, problem="lost its transaction")

    def _drop(self) -> None:
        """Give up the connection; a forked copy of it belongs to the process it was made by."""
        connection, self._connection = self._connection, None
        if connection and os.getpid() == self._process:
            connection.close()


@final
class Arrival:
    """A ledger on its way into a database. What is there already must be the beginning of it."""

    def __init__(self, connection: Connection, address: Address) -> None:
        self._connection = connection
        self._address = address

    def deliver(self, entries: Iterator[Entry]) -> None:
        """Put in what is not there yet, and read it back; nobody sees it before `commit`."""
        first = next(entries)
        ledger = self._registered(str(first.body["fingerprint"]))
        there = self._connection.execute(
            f"{_ENTRIES} ORDER BY sequence DESC LIMIT 1", (ledger,)
        ).fetchone()
        before = Entry(*there) if there else None
        start = before.sequence if before else 0
        last, chunk = first, list[Entry]()
        for last in chain([first], entries):
            if last.sequence == start and last != before:
                raise self._another(start, last)
            if last.sequence > start:
                chunk.append(last)
            if len(chunk) == CHUNK:
                self._connection.execute(INSERT, (ledger, *columns(chunk)))
                chunk.clear()
        self._connection.execute(INSERT, (ledger, *columns(chunk)))
        # A chain that holds the last entry holds all before it.
        if last not in checked(self._stored(ledger), after=None, ledger=self._address.shown):
            raise self._another(start, last)

    def _another(self, there: int, mine: Entry) -> LedgerMismatch:
        return LedgerMismatch(
            ledger=self._address.shown,
            what="other entries, the last being",
            recorded=str(there),
            given=f"{mine.sequence} of its own",
            hint="it is another ledger; name another place",
        )

    def _stored(self, ledger: int) -> Iterator[Entry]:
        for row in self._connection.execute(f"{_ENTRIES} ORDER BY sequence", (ledger,)):
            yield Entry(*row)

    def commit(self) -> None:
        """From now on it is there."""
        done = self._connection.execute(_COMMIT)
        if done.statusmessage != "COMMIT":
            raise LedgerUnavailable(ledger=self._address.shown, problem="lost its transaction")

    def _registered(self, fingerprint: str) -> int:
        made = self._connection.execute(
            "INSERT INTO peekproof.ledger (name, fingerprint) VALUES (%s, %s) "
            "ON CONFLICT DO NOTHING RETURNING id",
            (self._address.name, fingerprint),
        ).fetchone()
        if made is None:
            refuse_second_name(self._connection, self._address, fingerprint)
            found = _found(self._connection, self._address)
            if found is None or found[1] != fingerprint:
                raise LedgerMismatch(
                    ledger=self._address.shown,
                    what="other data under the name",
                    recorded=self._address.name,
                    given=fingerprint,
                    hint="name it otherwise with ?ledger=NAME",
                )
            made = found
        lock = "SELECT pg_advisory_xact_lock(hashtextextended('peekproof ledger', %s))"
        self._connection.execute(lock, (int(made[0]),))
        return int(made[0])


def _found(connection: Connection, address: Address) -> tuple[int, str] | None:
    """The number and the data's fingerprint of the ledger with this name, or public name."""
    row = connection.execute(
        "SELECT id, fingerprint FROM peekproof.ledger WHERE name = %s", (address.name,)
    ).fetchone()
    if row is None and PUBLIC_NAME.fullmatch(address.name):
        row = _published(connection, address.name)
    return (int(row[0]), str(row[1])) if row else None


def _published(connection: Connection, name: str) -> TupleRow | None:
    """The ledger that receipts name so, instead of by the fingerprint that is its name here."""
    ledgers = connection.execute(
        "SELECT id, fingerprint, body FROM peekproof.ledger "
        "JOIN peekproof.entry ON ledger = id AND sequence = 1 WHERE name = fingerprint"
    )
    for number, fingerprint, body in ledgers:
        with suppress(ValueError, LookupError, TypeError):  # damaged, or of another version
            if Opening.from_body(json.loads(body)).public_name == name:
                return number, fingerprint
    return None
