"""Tokens and the rest of what gateways keep on disk: a SQLite file that all workers share.

It holds no data and no budget: losing it costs new tokens, nothing else. Several workers and the
token commands share it. It has a random name, by which browsers tell gateways of one host apart,
and a key from which those of pages are made.
"""

import hashlib
import hmac
import json
import secrets
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import final
from weakref import finalize

from peekproof.core.errors import DataError

PREFIX = "pp"
_ID_BYTES, _SECRET_BYTES = 6, 32
_LONGEST = 200


class Scope(Enum):
    """What a token is for. A custodian may do all that an analyst may."""

    ANALYST = "analyst"
    CUSTODIAN = "custodian"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A token as the gateway knows it: without its secret. `datasets` is empty for all."""

    id: str
    slot: int
    digest: bytes
    analyst: str
    scope: Scope
    datasets: tuple[str, ...] = ()
    created: int = 0
    expires: int | None = None
    revoked: bool = False

    def allows(self, dataset: str) -> bool:
        return not self.datasets or dataset in self.datasets

    def matches(self, secret: str) -> bool:
        """Whether the secret is the one this token was made with; in constant time."""
        return hmac.compare_digest(digest_of(secret), self.digest)


def new_secret() -> str:
    return secrets.token_urlsafe(_SECRET_BYTES)


def new_id() -> str:
    return secrets.token_hex(_ID_BYTES)


def digest_of(secret: str) -> bytes:
    """What is kept of a secret. It has 256 random bits, so a fast hash cannot be searched."""
    return hashlib.sha256(secret.encode()).digest()


def written(name: str, secret: str) -> str:
    """The token to hand out."""
    return f"{PREFIX}_{name}_{secret}"


def parts_of(token: str) -> tuple[str, str] | None:
    """The id and the secret of a token, or None if it does not look like one."""
    parts = token.split("_", 2) if len(token) <= _LONGEST and token.isascii() else []
    return (parts[1], parts[2]) if len(parts) == 3 and parts[0] == PREFIX else None


_FORMAT = 1
_KEY_BYTES = 32

_TABLES = """
CREATE TABLE tokens (
    slot INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, digest BLOB NOT NULL,
    analyst TEXT NOT NULL, scope TEXT NOT NULL, datasets TEXT NOT NULL,
    created INTEGER NOT NULL, expires INTEGER, revoked INTEGER
) STRICT;
CREATE TABLE visits (
    digest BLOB PRIMARY KEY, token TEXT NOT NULL, expires INTEGER NOT NULL
) STRICT;
CREATE TABLE replies (
    token TEXT NOT NULL, key TEXT NOT NULL, request BLOB NOT NULL, status INTEGER,
    body BLOB, at INTEGER NOT NULL, PRIMARY KEY (token, key)
) STRICT;
"""

# Also in files of before: it says nothing of what they hold.
_IDENTITY = """
CREATE TABLE IF NOT EXISTS identity (
    one INTEGER PRIMARY KEY CHECK (one = 1), name TEXT NOT NULL, key BLOB NOT NULL
) STRICT
"""

_COLUMNS = "id, slot, digest, analyst, scope, datasets, created, expires, revoked"


def now() -> int:
    """Whole seconds since 1970."""
    return int(time.time())


@final
class Store:
    """The open file. Threads take turns; a call takes microseconds unless it writes."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._turn = threading.RLock()
        self._known: dict[str, Token] = {}
        self._version: object = None
        try:
            path.touch(mode=0o600, exist_ok=True)
            self._db = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
            finalize(self, self._db.close).atexit = False  # also where nobody gets to close it
            self._db.execute("PRAGMA journal_mode = WAL")
            self._db.execute("PRAGMA synchronous = NORMAL")
            self._db.execute("PRAGMA busy_timeout = 10000")
            self._prepare()
        except (OSError, sqlite3.Error) as error:
            why = error.strerror if isinstance(error, OSError) else error
            raise DataError(
                source=str(path),
                problem=f"cannot hold the tokens of a gateway ({why})",
                hint="name another file with --tokens, or mend this one",
            ) from error

    def _prepare(self) -> None:
        with self.writing() as db:
            (found,) = db.execute("PRAGMA user_version").fetchone()
            if found == 0:
                for statement in _TABLES.split(";"):
                    db.execute(statement)
                db.execute(f"PRAGMA user_version = {_FORMAT}")
            elif found != _FORMAT:
                raise sqlite3.DatabaseError(f"format {found}, this version reads {_FORMAT}")
            db.execute(_IDENTITY)
            db.execute(
                "INSERT OR IGNORE INTO identity (one, name, key) VALUES (1, ?, ?)",
                (new_id(), secrets.token_bytes(_KEY_BYTES)),
            )
            name, key = db.execute("SELECT name, key FROM identity").fetchone()
            self.name, self.key = str(name), bytes(key)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        with self._turn:
            yield self._db

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """All or nothing, and nobody else writes meanwhile."""
        with self._turn:
            self._db.execute("BEGIN IMMEDIATE")
            self._known.clear()
            try:
                yield self._db
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # a full disk may have ended it
                    self._db.execute("ROLLBACK")
                raise

    def create_token(
        self,
        *,
        analyst: str,
        scope: Scope,
        datasets: tuple[str, ...] = (),
        lifetime: int | None = None,
    ) -> str:
        """A new token, to be shown once."""
        name, secret, start = new_id(), new_secret(), now()
        with self.writing() as db:
            db.execute(
                "INSERT INTO tokens (id, digest, analyst, scope, datasets, created, expires) "
                "VALUES (?, ?, ?, ?, ?, ?, ?)",
                (
                    name,
                    digest_of(secret),
                    analyst,
                    scope.value,
                    json.dumps(datasets),
                    start,
                    None if lifetime is None else start + lifetime,
                ),
            )
        return written(name, secret)

    def rotate_token(self, name: str) -> str | None:
        """A new secret for a token that is not revoked; the old one, and its visits, end now."""
        secret = new_secret()
        with self.writing() as db:
            changed = db.execute(
                "UPDATE tokens SET digest = ? WHERE id = ? AND revoked IS NULL",
                (digest_of(secret), name),
            ).rowcount
            db.execute("DELETE FROM visits WHERE token = ?", (name,))
        return written(name, secret) if changed else None

    def revoke_token(self, name: str) -> bool:
        """End a token and its visits; whether there was one to end."""
        with self.writing() as db:
            changed = db.execute(
                "UPDATE tokens SET revoked = ? WHERE id = ? AND revoked IS NULL", (now(), name)
            ).rowcount
            db.execute("DELETE FROM visits WHERE token = ?", (name,))
        return bool(changed)

    def token(self, name: str) -> Token | None:
        """The token with this id, revoked ones too.

        Every request wants one, so they are remembered until anybody writes to the file.
        """
        with self.reading() as db:
            version = db.execute("PRAGMA data_version").fetchone()
            if version != self._version:  # another process has written, or another connection
                self._version = version
                self._known.clear()
            if name not in self._known:
                row = db.execute(f"SELECT {_COLUMNS} FROM tokens WHERE id = ?", (name,)).fetchone()  # noqa: S608
                if row is None:
                    return None  # unknown ones are as many as anybody likes to make up
                self._known[name] = _token(row)
            return self._known[name]

    def tokens(self) -> list[Token]:
        with self.reading() as db:
            rows = db.execute(f"SELECT {_COLUMNS} FROM tokens ORDER BY slot").fetchall()  # noqa: S608
        return [_token(row) for row in rows]

    def close(self) -> None:
        with self._turn:
            self._db.close()


def _token(row: tuple[object, ...]) -> Token:
    name, slot, digest, analyst, scope, datasets, created, expires, revoked = row
    return Token(
        id=str(name),
        slot=int(str(slot)),
        digest=bytes(digest) if isinstance(digest, bytes) else b"",
        analyst=str(analyst),
        scope=Scope(str(scope)),
        datasets=tuple(json.loads(str(datasets))),
        created=int(str(created)),
        expires=None if expires is None else int(str(expires)),
        revoked=revoked is not None,
    )
