"""Idempotency keys: a request that is sent again with its key gets the reply it got, or would have.

A question is answered and charged once in any case. The key keeps the whole reply, with what the
first one cost, for a client that never saw it. Until there is one, the key names the process that
works on it; if that was killed, whoever sends the key again is answered by another.
"""

import fcntl
import hashlib
import logging
import os
import secrets
import sqlite3
import time
import weakref
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import final
from weakref import WeakKeyDictionary

from peekproof.core.errors import InvalidInput, KeyInUse
from peekproof.server.store import Store, Token, now


@final
class Living:
    """This process, under a name of its own beside a file that all of them share."""

    def __init__(self, beside: Path) -> None:
        self._beside = beside
        self.name = secrets.token_hex(8)
        made = self._place(f"{self.name}.new")
        self._file = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        fcntl.flock(self._file, fcntl.LOCK_EX)
        made.rename(self._place(self.name))  # locked before anybody can look for it
        self._end = weakref.finalize(self, _ended, self._file, self._place(self.name))

    def has(self, name: str) -> bool:
        """Whether the process of this name is still there."""
        if not name.isalnum():
            return False
        try:
            found = os.open(self._place(name), os.O_WRONLY)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(found, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(found)
        self._place(name).unlink(missing_ok=True)
        return False

    def forget_the_dead(self) -> None:
        """Remove what those who were killed have left behind."""
        for path in self._beside.parent.glob(f"{self._beside.name}-living-*"):
            name = path.name.rpartition("-")[2]
            if name != self.name:
                self.has(name)

    def close(self) -> None:
        self._end()

    def _place(self, name: str) -> Path:
        return self._beside.with_name(f"{self._beside.name}-living-{name}")


def _ended(file: int, path: Path) -> None:
    path.unlink(missing_ok=True)
    os.close(file)


_log = logging.getLogger("peekproof.server")

HEADER = "idempotency-key"
_KEPT = 24 * 3600
_ABANDONED = 600  # no reply will come, though its process is there
_SWEEP = 60  # seconds between two searches for what need not be kept any more
_LONGEST = 200
_MOST, _MOST_BYTES = 1000, 64 << 20  # replies kept for one token


# The oldest go first, so that no token fills the disk.
_TRIM = """
DELETE FROM replies WHERE token = :token AND key IN (
    SELECT key FROM (
        SELECT key, row_number() OVER newest AS place, sum(length(body)) OVER newest AS size
        FROM replies WHERE token = :token AND status IS NOT NULL
        WINDOW newest AS (ORDER BY rowid DESC)
    ) WHERE place > :most OR size > :bytes
)
"""


@final
class _Worker:
    """This process as the keys of one store know it."""

    def __init__(self, store: Store) -> None:
        self.living = Living(store.path)
        self._swept = float("-inf")

    @property
    def name(self) -> bytes:
        return self.living.name.encode()

    def sweeps(self) -> bool:
        """Whether it is time to search; the table may be long, and requests are many."""
        present = time.monotonic()
        due = present - self._swept > _SWEEP
        if due:
            self._swept = present
        return due


_workers: "WeakKeyDictionary[Store, _Worker]" = WeakKeyDictionary()
_turn = Lock()


def _worker(store: Store) -> _Worker:
    with _turn:
        if store not in _workers:
            _workers[store] = _Worker(store)
        return _workers[store]


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Keyed:
    """A request under a key, until it has a reply."""

    store: Store
    token: str
    key: str

    def keep(self, status: int, body: bytes) -> None:
        """Remember the reply, if the file has room for it: what is paid for goes out anyway."""
        try:
            with self.store.writing() as db:
                db.execute(
                    "UPDATE replies SET status = ?, body = ? WHERE token = ? AND key = ?",
                    (status, body, self.token, self.key),
                )
                limits = {"token": self.token, "most": _MOST, "bytes": _MOST_BYTES}
                db.execute(_TRIM, limits)
        except sqlite3.Error as error:
            _log.error("the reply to a key cannot be kept: %s", error)
            with suppress(sqlite3.Error):
                self.forget()

    def forget(self) -> None:
        """Let the key be tried again: there is no reply to be kept."""
        with self.store.writing() as db:
            db.execute(
                "DELETE FROM replies WHERE token = ? AND key = ? AND status IS NULL",
                (self.token, self.key),
            )


def begin(
    store: Store, token: Token, key: str, *, request: bytes
) -> tuple[Keyed, tuple[int, bytes] | None]:
    """The request under its key, and the reply that it got before, if any."""
    if not 0 < len(key) <= _LONGEST or not key.isascii() or not key.isprintable():
        raise InvalidInput(
            argument="Idempotency-Key",
            accepted=f"from 1 to {_LONGEST} printable ASCII characters",
            given=repr(key)[:80],
        )
    keyed = Keyed(store=store, token=token.id, key=key)
    digest, present, worker = hashlib.sha256(request).digest(), now(), _worker(store)
    with store.writing() as db:
        if worker.sweeps():
            db.execute(
                "DELETE FROM replies WHERE at < ? OR (status IS NULL AND at < ?)",
                (present - _KEPT, present - _ABANDONED),
            )
            worker.living.forget_the_dead()
        db.execute(
            "DELETE FROM replies WHERE token = ? AND key = ? AND at < ?",
            (token.id, key, present - _KEPT),
        )
        row = db.execute(
            "SELECT request, status, body FROM replies WHERE token = ? AND key = ?",
            (token.id, key),
        ).fetchone()
        if row is None:
            db.execute(
                "INSERT INTO replies (token, key, request, body, at) VALUES (?, ?, ?, ?, ?)",
                (token.id, key, digest, worker.name, present),
            )
            return keyed, None
        found, status, body = row
        if found == digest and status is None and not _at_work(worker, body):
            db.execute(
                "UPDATE replies SET body = ?, at = ? WHERE token = ? AND key = ?",
                (worker.name, present, token.id, key),
            )
            return keyed, None
    if found != digest:
        raise KeyInUse(problem="stands for another request; use a new one")
    if status is None:
        raise KeyInUse(problem="belongs to a request that is still at work; try again in a second")
    return keyed, (int(status), bytes(body))


def _at_work(worker: _Worker, name: object) -> bool:
    """Whether the process that a key without a reply names may still finish."""
    if name == worker.name:
        return True
    return isinstance(name, bytes) and worker.living.has(name.decode("ascii", "replace"))
