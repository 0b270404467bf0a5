"""Where entries lie: what a database must do for a ledger, which alone knows what they mean."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar, final

from peekproof.ledger.entry import Entry

T = TypeVar("T")

# How many entries are read at a time.
CHUNK = 4096


@final
@dataclass(frozen=True, slots=True)
class Snapshot:
    """The state after entry `sequence`, as text; `digest` covers it and, by the chain, all before.

    It only saves time: everything in it follows from the entries.
    """

    sequence: int
    text: str
    digest: bytes


class Store(Protocol):
    """A sequence of entries that only grows, and that one writer at a time can add to.

    Errors are the LedgerError that fits. One thread at a time uses a store.
    """

    @property
    def place(self) -> str:
        """Where it is, for people: without passwords."""
        ...

    def begin(self, *, after: int) -> list[Entry]:
        """Keep other writers out until `commit` or `rollback`; what follows entry `after`."""
        ...

    def commit(self, entries: Sequence[Entry]) -> None:
        """Append entries, and let others in. They are on disk when it returns.

        If it raises, they may or may not be there; `begin` tells.
        """
        ...

    def rollback(self) -> None:
        """Let others in without having written anything; a broken connection is given up."""
        ...

    def read(self, *, after: int, most: int) -> list[Entry]:
        """At most so many entries after entry `after`, in order."""
        ...

    def snapshot(self) -> Snapshot | None:
        """The latest one that was saved."""
        ...

    def save(self, snapshot: Snapshot, settled: Iterable[tuple[str, int]]) -> None:
        """Replace an older snapshot, and index questions by the entry that settled them first.

        A later one that another process saved meanwhile stays.
        """
        ...

    def settled(self, digest: str) -> int | None:
        """Which entry settled a question, if the index says so."""
        ...

    def index(self) -> Iterator[tuple[str, int]]:
        """The whole index."""
        ...

    def close(self) -> None:
        """Let go of the place."""
        ...
