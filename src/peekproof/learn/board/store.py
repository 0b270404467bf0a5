"""The file of a board: entries, predictions kept for the final, choices, and how far it is.

Every change is one transaction, on disk when it returns. Whoever writes has the file alone, also
among processes, for as long as it takes: so entries are in the order of the ledger. Of its ledgers
a board asks a share for each team, and how far they have come.
"""

import json
import sqlite3
import threading
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import final
from weakref import finalize

import numpy as np

from peekproof.core.certificate import Certificate
from peekproof.core.errors import DataError, InvalidInput
from peekproof.learn.board.submission import Entry
from peekproof.learn.column import Predictions, predictions_of
from peekproof.ledger.ledger import Ledger

FILE = "entries.sqlite"
_FORMAT = 1
_PATIENCE = 60  # seconds that one writer waits for others
_TABLES = """
CREATE TABLE entries (
    number INTEGER PRIMARY KEY, team TEXT NOT NULL, predictions TEXT NOT NULL, body TEXT NOT NULL,
    bounded INTEGER NOT NULL, value REAL NOT NULL, wrong INTEGER NOT NULL,
    UNIQUE (team, predictions)
) STRICT;
CREATE TABLE kept (
    digest TEXT PRIMARY KEY, text INTEGER NOT NULL, content BLOB NOT NULL
) STRICT;
CREATE TABLE choices (team TEXT PRIMARY KEY, number INTEGER NOT NULL) STRICT;
CREATE TABLE states (name TEXT PRIMARY KEY, body TEXT NOT NULL) STRICT;
"""


@final
class BoardStore:
    """The open file. Threads take turns."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._turn = threading.RLock()
        self._depth = 0
        try:
            path.touch(mode=0o600, exist_ok=True)
            self._db = sqlite3.connect(
                path, timeout=_PATIENCE, check_same_thread=False, isolation_level=None
            )
            finalize(self, self._db.close).atexit = False  # also where nobody gets to close it
            self._db.execute("PRAGMA synchronous = FULL")
            with self.writing():
                self._prepare()
        except (OSError, sqlite3.Error) as error:
            raise self._trouble(error) from error

    def _prepare(self) -> None:
        (found,) = self._db.execute("PRAGMA user_version").fetchone()
        if found == 0:
            for statement in _TABLES.split(";"):
                self._db.execute(statement)
            self._db.execute(f"PRAGMA user_version = {_FORMAT}")
        elif found != _FORMAT:
            raise sqlite3.DatabaseError(f"format {found}, this version reads {_FORMAT}")

    def _trouble(self, error: Exception) -> DataError:
        problem = f"cannot hold the entries of a board ({error})"
        hint = "look at its rights and at the disk; nothing that was acknowledged is lost"
        return DataError(source=str(self._path), problem=problem, hint=hint)

    @contextmanager
    def writing(self) -> Iterator[None]:
        """All that is written within, or nothing of it. May be nested: the outermost counts."""
        with self._turn:
            if self._depth:
                yield
                return
            try:
                self._db.execute("BEGIN IMMEDIATE")
            except sqlite3.Error as error:
                raise self._trouble(error) from error
            self._depth = 1
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException as error:
                if self._db.in_transaction:
                    self._db.execute("ROLLBACK")
                if isinstance(error, sqlite3.Error):
                    raise self._trouble(error) from error
                raise
            finally:
                self._depth = 0

    def _rows(self, query: str, *values: object) -> list[tuple[object, ...]]:
        with self._turn:
            try:
                return self._db.execute(query, values).fetchall()
            except sqlite3.Error as error:
                raise self._trouble(error) from error

    def entries(self, team: str | None = None) -> list[Entry]:
        """All entries, or those of a team, in their order."""
        if team is None:
            found = self._rows("SELECT body FROM entries ORDER BY number")
        else:
            found = self._rows("SELECT body FROM entries WHERE team = ? ORDER BY number", team)
        return [Entry.from_text(str(body)) for (body,) in found]

    def entry(self, number: int) -> Entry | None:
        found = self._rows("SELECT body FROM entries WHERE number = ?", number)
        return Entry.from_text(str(found[0][0])) if found else None

    def same(self, team: str, predictions: str) -> Entry | None:
        """The entry that a team made with these predictions before."""
        query = "SELECT body FROM entries WHERE team = ? AND predictions = ?"
        found = self._rows(query, team, predictions)
        return Entry.from_text(str(found[0][0])) if found else None

    def best(self, *, higher: bool) -> float | None:
        """The best that is known of a sample's score from both sides; None if there is none."""
        best = "max" if higher else "min"
        ((found,),) = self._rows(f"SELECT {best}(value) FROM entries WHERE bounded")  # noqa: S608
        return None if found is None else float(str(found))

    def corrected(self, team: str) -> int:
        """How many declared scores of a team turned out wrong."""
        ((found,),) = self._rows("SELECT count(*) FROM entries WHERE team = ? AND wrong", team)
        return int(str(found))

    def next_number(self) -> int:
        ((last,),) = self._rows("SELECT coalesce(max(number), 0) FROM entries")
        return int(str(last)) + 1

    def add(self, entry: Entry, final: Predictions, *, sample: float, wrong: bool) -> None:
        """Keep an entry, what it predicts for the final, and whether its declaration was wrong.

        `sample` is a score that it has in the sample, or less than it has.
        """
        body = json.dumps(entry.to_dict(), sort_keys=True)
        sorted_out = int(entry.bounded), sample, int(wrong)
        with self.writing():
            self._db.execute(
                "INSERT INTO entries VALUES (?, ?, ?, ?, ?, ?, ?)",
                (entry.number, entry.team, entry.predictions, body, *sorted_out),
            )
            self._db.execute(
                "INSERT OR IGNORE INTO kept VALUES (?, ?, ?)",
                (entry.predictions, int(final.text), _packed(final)),
            )

    def kept(self, predictions: str, *, rows: int) -> Predictions:
        """What was predicted for the final."""
        query = "SELECT text, content FROM kept WHERE digest = ?"
        ((text, content),) = self._rows(query, predictions)
        plain = zlib.decompress(content)  # type: ignore[arg-type]
        values: object = np.array(json.loads(plain)) if text else np.frombuffer(plain, np.float64)
        return predictions_of(values, rows=rows)

    def choices(self) -> dict[str, int]:
        """Which entry each team has chosen, of those that have."""
        return {str(k): int(str(v)) for k, v in self._rows("SELECT team, number FROM choices")}

    def choose(self, team: str, number: int) -> None:
        with self.writing():
            self._db.execute("INSERT OR REPLACE INTO choices VALUES (?, ?)", (team, number))

    def state(self, name: str) -> dict[str, object] | None:
        """Something that is said once about the whole board."""
        found = self._rows("SELECT body FROM states WHERE name = ?", name)
        return dict(json.loads(str(found[0][0]))) if found else None

    def say(self, name: str, body: Mapping[str, object]) -> None:
        with self.writing():
            self._db.execute("INSERT INTO states VALUES (?, ?)", (name, json.dumps(body)))

    def close(self) -> None:
        with self._turn:
            self._db.close()


def _packed(predicted: Predictions) -> bytes:
    values = predicted.values
    plain = json.dumps(values.tolist()).encode() if predicted.text else values.tobytes()
    return zlib.compress(plain)


def set_aside(ledger: Ledger, team: str, share: Fraction) -> None:
    """Give a new team its share of the submissions, unless the custodian gave it one."""
    shares = dict(ledger.look().accounts.shares)
    if team in shares:
        return
    if sum(shares.values(), share) > 1:
        raise InvalidInput(
            argument="team",
            accepted="one of those that have a share",
            given=repr(team),
            hint=f"all shares of {share} are taken; the custodian can move them",
        )
    ledger.set_aside({**shares, team: share})


def share_left(ledger: Ledger, team: str, share: Fraction, *, submissions: int) -> int | None:
    """What a team would get that has no share yet, as of the last look; None if it has one."""
    shares = ledger.seen.accounts.shares
    if team in shares:
        return None
    return int(share * submissions) if sum(shares.values(), share) <= 1 else 0


def head(ledger: Ledger) -> dict[str, object]:
    """How many entries a ledger has, and the digest that chains them all."""
    last = ledger.look().last
    return {"entries": last.sequence, "head": last.digest.hex()} if last else {}


def head_at(path: Path) -> dict[str, object]:
    """The same, of a ledger that is not open."""
    ledger = Ledger.open(str(path))
    try:
        return head(ledger)
    finally:
        ledger.close()


def promise(certificate: Certificate) -> dict[str, object]:
    """What the answers of a ledger rest on."""
    return {
        "theorems": list(certificate.theorems),
        "assumptions": list(certificate.assumptions),
    }
