"""Entries on their way to the store, and the jobs that write them."""

from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from time import time
from typing import Generic, TypeVar, final

from peekproof.core.errors import PeekproofError
from peekproof.ledger.entry import Body, Entry, follow
from peekproof.ledger.opening import FORMAT

T_co = TypeVar("T_co", covariant=True)


@lru_cache(maxsize=4)
def _at(seconds: int) -> str:
    return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


@final
class Draft:
    """The entries of one transaction, chained after `after`."""

    def __init__(self, *, after: Entry) -> None:
        self.entries: list[Entry] = []
        self.settling: set[int] = set()  # reservations, which none of the entries settles twice
        self._last = after
        self._later: list[Callable[[], None]] = []

    def add(self, kind: str, body: Body) -> Entry:
        """The entry that says `body`, with the time in whole seconds: finer would time the data."""
        self._last = follow(self._last, kind, {**body, "format": FORMAT, "at": _at(int(time()))})
        self.entries.append(self._last)
        return self._last

    def once_written(self, show: Callable[[], None]) -> None:
        """What to do when all entries are on disk."""
        self._later.append(show)

    def show(self) -> None:
        for each in self._later:
            each()


@final
class Job(Generic[T_co]):
    """A step that adds entries, and how it went. Late ones come after all others of a batch."""

    __slots__ = ("_error", "_result", "_step", "late")

    def __init__(self, step: Callable[[Draft], T_co], *, late: bool) -> None:
        self._step = step
        self.late = late
        self._result: list[T_co] = []
        self._error: Exception | None = None

    def run(self, draft: Draft) -> None:
        """Take the step. An error is the caller's own; the others of the batch go on."""
        try:
            self._result = [self._step(draft)]
        except Exception as error:
            self._error = error

    def fail(self, error: PeekproofError) -> None:
        """The batch was not written. Everyone gets an error of their own to raise."""
        self._error = self._error or type(error)(**error.fields())

    @property
    def done(self) -> bool:
        """Whether it is known how it went."""
        return bool(self._result) or self._error is not None

    def outcome(self) -> T_co:
        if self._error is not None:
            raise self._error
        return self._result[0]
