"""The SQLite file of a ledger: how it comes to be, and what its faults mean."""

import os
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from holdfast.core.errors import LedgerDamaged, LedgerTooNew, LedgerUnavailable
from holdfast.ledger.entry import Entry
from holdfast.ledger.state import FORMAT

MEMORY = ":memory:"
APPLICATION = 0x484F4C44  # "HOLD": lets `file` and this code tell a ledger from other databases

SCHEMA = f"""
    PRAGMA application_id = {APPLICATION};
    PRAGMA user_version = {FORMAT};
    CREATE TABLE entry (
        sequence INTEGER PRIMARY KEY,
        kind TEXT NOT NULL,
        body TEXT NOT NULL,
        digest BLOB NOT NULL CHECK (length(digest) = 32)
    );
"""


def insert(connection: sqlite3.Connection, entry: Entry) -> None:
    connection.execute(
        "INSERT INTO entry VALUES (?, ?, ?, ?)",
        (entry.sequence, entry.kind, entry.text, entry.digest),
    )


def create_file(path: Path, first: Entry) -> None:
    """Put a complete one-entry ledger at `path`, unless something is there already.

    It is built under another name and linked into place, so that no crash can leave a file at
    `path` that is not yet a ledger and might be taken for an unspent one.
    """
    with translated(str(path)):
        try:
            handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
        except OSError as error:
            reason = error.strerror or str(error)
            raise LedgerUnavailable(
                ledger=str(path), problem=f"cannot be created ({reason.lower()})"
            ) from error
        os.close(handle)
        try:
            with closing(sqlite3.connect(temporary, isolation_level=None)) as connection:
                connection.executescript(SCHEMA)
                insert(connection, first)
            _link(Path(temporary), path)
        finally:
            Path(temporary).unlink()


def _link(temporary: Path, path: Path) -> None:
    try:
        os.link(temporary, path)
    except FileExistsError:
        return
    except OSError as error:
        raise LedgerUnavailable(
            ledger=str(path), problem=f"cannot be created ({error.strerror})"
        ) from error
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def check_header(connection: sqlite3.Connection, place: str) -> None:
    """Refuse a database that is not a ledger, or that a newer version wrote."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION:
        raise LedgerDamaged(ledger=place, problem="is a database, but not a ledger")
    if found > FORMAT:
        raise LedgerTooNew(ledger=place, found=found, supported=FORMAT)
    # A damaged page can hide its last entries, which no chain would miss.
    (sound,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if sound != "ok":
        raise LedgerDamaged(ledger=place, problem=f"is damaged ({sound})")


@contextmanager
def translated(place: str) -> Iterator[None]:
    """SQLite's errors as ours: trouble that may pass, or a damaged file."""
    try:
        yield
    except sqlite3.ProgrammingError as error:
        raise LedgerUnavailable(ledger=place, problem="was closed") from error
    except sqlite3.OperationalError as error:
        # A missing table, or text the driver cannot decode, is not trouble that will pass.
        text = str(error)
        code = getattr(error, "sqlite_errorcode", None)
        if code == sqlite3.SQLITE_ERROR or text.startswith("Could not decode"):
            raise LedgerDamaged(ledger=place, problem=f"is damaged ({text})") from error
        problem = "is locked by another process" if "locked" in text else f"cannot be used ({text})"
        raise LedgerUnavailable(ledger=place, problem=problem) from error
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        raise LedgerDamaged(ledger=place, problem=f"is damaged ({error})") from error
