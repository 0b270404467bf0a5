"""The embedded store: one SQLite file, or memory. Commits are synced to disk."""

import os
import re
import sqlite3
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TypeVar, final
from weakref import finalize

from peekproof.core.errors import LedgerDamaged, LedgerMismatch, LedgerTooNew, LedgerUnavailable
from peekproof.ledger.entry import FORMAT, Entry, checked
from peekproof.ledger.store import Snapshot

# The SQLite file of a ledger: how it comes to be, and what its faults mean.

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


T = TypeVar("T")

BUSY_SECONDS = 30.0

_COLUMNS = "SELECT sequence, kind, body, digest FROM entry"


@final
class SqliteStore:
    """A file, shared by processes through SQLite's locks, or memory for one."""

    def __init__(
        self, place: str, connection: sqlite3.Connection, *, file: tuple[int, int] | None = None
    ) -> None:
        self.place = place
        self._connection = connection
        self._known: Entry | None = None  # the newest entry that this process has seen
        self._path = str(Path(place).absolute())  # whatever the folder of the process is later
        self._file = file  # which file it is, by device and number
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
        refuse_links(path)
        file = _file(place)
        if file is None:  # removed just now
            raise LedgerUnavailable(ledger=place, problem="is not a file")
        with translated(place):
            connection = sqlite3.connect(
                path, isolation_level=None, check_same_thread=False, timeout=BUSY_SECONDS
            )
            try:
                check_header(connection, place)
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = FULL")
                store = cls(place, connection, file=file)
                store._check_there()  # it may have been replaced before it was opened
                return store
            except BaseException:
                connection.close()
                raise

    @classmethod
    @contextmanager
    def receiving(cls, place: str) -> Iterator["FileArrival"]:
        """A new file in which a whole ledger arrives; without `commit` nothing has."""
        path = Path(place)
        if path.exists():
            with closing(cls.open(place)) as store:
                yield FileArrival(place, store=store)
            return
        with translated(place):
            # Named so that whoever opens the ledger removes it, if its maker died.
            handle, made = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
            os.close(handle)
            try:
                yield FileArrival(place, made=Path(made))
            finally:
                for end in ("", "-journal"):
                    Path(f"{made}{end}").unlink(missing_ok=True)

    def begin(self, *, after: int) -> list[Entry]:
        with translated(self.place):
            if self._connection.in_transaction:  # an interrupt may have left it open
                self._connection.execute("ROLLBACK")
            self._connection.execute("BEGIN IMMEDIATE")
            self._check_there()
            known = self._known if self._known and self._known.sequence >= after else None
            entries = self._read("sequence >= ? ORDER BY sequence", after)
        if known and known not in entries:
            # Whatever follows it would break the chain for good.
            problem = "lost entries that were there before"
            raise LedgerDamaged(ledger=self.place, problem=problem)
        return [each for each in entries if each.sequence > after]

    def _check_there(self) -> None:
        """Refuse a file without its name: what is written there is lost when it is closed."""
        if self._file and _file(self._path) != self._file:
            raise LedgerUnavailable(
                ledger=self.place,
                problem="was removed or replaced while it was open",
                hint="put it back and open it again",
            )

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
        # All at once: a cursor that an interrupt leaves halfway would hold on to what it saw.
        rows = self._connection.execute(f"{_COLUMNS} WHERE {where}", numbers).fetchall()
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
            rows = self._connection.execute("SELECT digest, sequence FROM settled").fetchall()
        yield from rows

    def close(self) -> None:
        self._connection.close()


def _file(path: str) -> tuple[int, int] | None:
    """Which file has a name, by device and number; None if nobody can tell."""
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


@final
class FileArrival:
    """A ledger on its way into a file. What is there already must be the beginning of it."""

    def __init__(
        self, place: str, *, store: SqliteStore | None = None, made: Path | None = None
    ) -> None:
        self._place, self._store, self._made = place, store, made
        self._rest: list[Entry] = []

    def deliver(self, entries: Iterator[Entry]) -> None:
        """Keep what is not there yet; nobody sees it before `commit`."""
        sound = checked(entries, after=None, ledger=self._place)
        if self._store is not None:
            there = self._store.begin(after=0)
            everything = list(sound)
            self._rest = everything[len(there) :]
            if everything[: len(there)] != there[: len(everything)]:
                raise LedgerMismatch(
                    ledger=self._place,
                    what="other entries, the last being",
                    recorded=str(len(there)),
                    given=f"{len(everything)} of its own",
                    hint="it is another ledger; name another place",
                )
        elif self._made is not None:
            with closing(sqlite3.connect(self._made, isolation_level=None)) as connection:
                connection.executescript(SCHEMA)
                connection.execute("BEGIN")
                insert(connection, sound)
                connection.execute("COMMIT")

    def commit(self) -> None:
        """From now on it is there."""
        if self._store is not None:
            self._store.commit(self._rest)
        elif self._made is not None and not linked(self._made, Path(self._place)):
            problem = "was made by someone else meanwhile"
            raise LedgerUnavailable(ledger=self._place, problem=problem, hint="look at it first")
