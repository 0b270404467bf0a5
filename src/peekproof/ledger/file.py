"""The SQLite file of a ledger: how it comes to be, and what its faults mean."""

import os
import re
import sqlite3
import tempfile
from collections.abc import Iterable
from contextlib import closing, suppress
from pathlib import Path
from typing import final

from peekproof.core.errors import LedgerDamaged, LedgerTooNew, LedgerUnavailable
from peekproof.ledger.entry import Entry
from peekproof.ledger.opening import FORMAT

MEMORY = ":memory:"
_DATABASE = b"SQLite format 3\0"
APPLICATION = 0x5045454B  # "PEEK": lets `file` and this code tell a ledger from other databases

SCHEMA = f"""
    PRAGMA application_id = {APPLICATION};
    CREATE TABLE entry (
        sequence INTEGER PRIMARY KEY,
        kind TEXT NOT NULL,
        body TEXT NOT NULL,
        digest BLOB NOT NULL CHECK (length(digest) = 32)
    );
    CREATE TABLE snapshot (
        sequence INTEGER PRIMARY KEY,
        body TEXT NOT NULL,
        digest BLOB NOT NULL
    );
    CREATE TABLE settled (
        digest TEXT PRIMARY KEY,
        sequence INTEGER NOT NULL
    ) WITHOUT ROWID;
    PRAGMA user_version = {FORMAT};
"""


def is_database(path: Path) -> bool:
    """Whether a file is an SQLite database; one that cannot be read is told by who opens it."""
    return begins(path, _DATABASE)


def begins(path: Path, head: bytes) -> bool:
    """Whether there is a file that begins like this."""
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return file.read(len(head)) == head
    except OSError:
        return False


def insert(connection: sqlite3.Connection, entries: Iterable[Entry]) -> None:
    for each in entries:  # faster for one, and no slower for many, than all at once
        row = each.sequence, each.kind, each.text, each.digest
        connection.execute("INSERT INTO entry VALUES (?, ?, ?, ?)", row)


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
                insert(connection, [first])
            linked(Path(temporary), path)
        finally:
            Path(temporary).unlink(missing_ok=True)  # who opens it meanwhile may have tidied up


def linked(temporary: Path, path: Path) -> bool:
    """Give a complete file its name, durably; whether the name was free."""
    try:
        os.link(temporary, path)
    except FileExistsError:
        return False
    except OSError as error:
        raise LedgerUnavailable(
            ledger=str(path), problem=f"cannot be created ({error.strerror})"
        ) from error
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
    return True


def refuse_links(path: Path) -> None:
    """Refuse a file with several names: SQLite would keep a journal beside each, and destroy it.

    The second name that a new ledger has for a moment, or for ever if its creator died, is removed.
    """
    if path.stat().st_nlink == 1:
        return
    real = path.resolve()
    left = re.compile(re.escape(f".{real.name}.") + "[a-z0-9_]{8}")  # as `create_file` names it
    with suppress(OSError):
        for each in real.parent.iterdir():
            if left.fullmatch(each.name) and each.exists() and each.samefile(real):
                each.unlink(missing_ok=True)
    names = path.stat().st_nlink
    if names > 1:
        raise LedgerUnavailable(
            ledger=str(path),
            problem=f"has {names} names (hard links), and writing under two of them destroys it",
            hint="close what has it open, then remove all names but one (find FOLDER -samefile "
            f"{path} lists them); a second name may be a symbolic link, a backup a copy",
        )


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


@final
class translated:  # noqa: N801 (a context manager, and a class because every write enters three)
    """SQLite's errors as ours: trouble that may pass, or a damaged file."""

    __slots__ = ("_place",)

    def __init__(self, place: str) -> None:
        self._place = place

    def __enter__(self) -> None:
        pass

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        if error is not None:
            self._translate(error)

    def _translate(self, error: BaseException) -> None:
        if isinstance(error, sqlite3.ProgrammingError):
            raise LedgerUnavailable(ledger=self._place, problem="was closed") from error
        if isinstance(error, sqlite3.OperationalError):
            # A missing table, or text the driver cannot decode, is not trouble that will pass.
            text = str(error)
            code = getattr(error, "sqlite_errorcode", None)
            if code == sqlite3.SQLITE_ERROR or text.startswith("Could not decode"):
                raise LedgerDamaged(ledger=self._place, problem=f"is damaged ({text})") from error
            locked = "is locked by another process"
            problem = locked if "locked" in text else f"cannot be used ({text})"
            raise LedgerUnavailable(ledger=self._place, problem=problem) from error
        if isinstance(error, sqlite3.DatabaseError | UnicodeDecodeError):
            raise LedgerDamaged(ledger=self._place, problem=f"is damaged ({error})") from error
