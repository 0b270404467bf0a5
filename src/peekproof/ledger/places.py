"""Which store a place means: a file, memory, or a PostgreSQL database."""

import re
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from peekproof.core.errors import LedgerUnavailable
from peekproof.ledger.entry import Entry
from peekproof.ledger.export import is_export, only_read
from peekproof.ledger.postgres_place import FORM, is_postgres, named
from peekproof.ledger.sqlite import MEMORY, SqliteStore
from peekproof.ledger.store import Store

if TYPE_CHECKING:
    from peekproof.ledger.postgres import PostgresStore


class Arrival(Protocol):
    """A ledger on its way to a place."""

    def deliver(self, entries: Iterator[Entry]) -> None:
        """Take all entries, but show nobody."""
        ...

    def commit(self) -> None:
        """Have them there, durably."""
        ...


_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")

__all__ = ["create_store", "has_store", "named", "open_store", "receiving", "shown"]


def shown(place: str) -> str:
    """A place as messages may show it: without a password."""
    return _postgres().shown(place) if _in_postgres(place) else place


def has_store(place: str) -> bool:
    """Whether there is something at a place that may be a ledger."""
    if _in_postgres(place):
        return _postgres().exists(place)
    return place != MEMORY and Path(place).exists()


def open_store(place: str) -> Store:
    """The store at an existing place."""
    if _in_postgres(place):
        return _postgres().open(place)
    if is_export(Path(place)):
        raise only_read(place)
    return SqliteStore.open(place)


def create_store(place: str, first: Entry) -> Store:
    """A store whose first entry this is; if there is one already, that one."""
    if _in_postgres(place):
        return _postgres().create(place, first)
    return SqliteStore.create(place, first)


def receiving(place: str) -> "AbstractContextManager[Arrival]":
    """Where a ledger arrives that moves to this place; it is there once that is committed."""
    return _postgres().receiving(place) if _in_postgres(place) else SqliteStore.receiving(place)


def _in_postgres(place: str) -> bool:
    """Whether a place is in PostgreSQL. Another URI is no file, and may hold a password."""
    if is_postgres(place):
        return True
    if _ELSEWHERE.match(place):
        scheme, _, rest = place.partition("://")
        raise LedgerUnavailable(
            ledger=f"{scheme}://{rest.rpartition('@')[2].partition('?')[0]}",
            problem="is neither a file nor in PostgreSQL",
            hint=f"write {FORM}, or the path of a file",
        )
    return False


def _postgres() -> "type[PostgresStore]":
    try:
        from peekproof.ledger.postgres import PostgresStore  # noqa: PLC0415
    except ImportError as error:  # psycopg, or the library that it needs
        raise LedgerUnavailable(
            ledger="in PostgreSQL", problem="needs psycopg (pip install 'peekproof[postgres]')"
        ) from error
    return PostgresStore
