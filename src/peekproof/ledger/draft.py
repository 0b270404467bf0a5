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
        self.written = False  # at once for all jobs: no interrupt can come between two of them
        self._last = after
        self._later: list[Callable[[], None]] = []

    def add(self, kind: str, body: Body) -> Entry:
        """The entry that says `body`, with the time in whole seconds: finer would time the data."""
        return self.put(self.prepared(kind, body))

    def prepared(self, kind: str, body: Body) -> Entry:
        """What `add` would add now."""
        return follow(self._last, kind, {**body, "format": FORMAT, "at": _at(int(time()))})

    def put(self, entry: Entry) -> Entry:
        """Add an entry that was prepared, with none added in between."""
        self.entries.append(entry)
        self._last = entry
        return entry

    def once_written(self, show: Callable[[], None]) -> None:
        """What to do when all entries are on disk."""
        self._later.append(show)

    def show(self) -> None:
        """Do all that waited for the disk; from then on its jobs are done."""
        for each in self._later:
            each()
        self.written = True


@final
class Job(Generic[T_co]):
    """A step that adds entries, and how it went.

    It has a result only once its draft was written, whoever is interrupted before that.
    """

    __slots__ = ("_draft", "_error", "_result", "_step")

    def __init__(self, step: Callable[[Draft], T_co]) -> None:
        self._step = step
        self._draft: Draft | None = None
        self._result: list[T_co] = []
        self._error: Exception | None = None

    def run(self, draft: Draft) -> None:
        """Take the step. An error is the caller's own; the others of the batch go on."""
        self._draft = draft
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
        written = self._draft is not None and self._draft.written and bool(self._result)
        return written or self._error is not None

    def outcome(self) -> T_co:
        if self._error is not None:
            raise self._error
        return self._result[0]
