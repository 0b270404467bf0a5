"""Reaching a PostgreSQL server, and what its faults mean."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import Connection, IsolationLevel, errors
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from peekproof.core.errors import LedgerDamaged, LedgerUnavailable
from peekproof.ledger.postgres_place import Address, refused, separated

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
