"""A store, the state that its entries give, and all writes to it, in groups."""

import os
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from typing import TypeVar, final

from peekproof.core.errors import (
    LedgerDamaged,
    LedgerMoved,
    LedgerUnavailable,
    PeekproofError,
)
from peekproof.ledger.commits import Commits
from peekproof.ledger.draft import Draft, Job
from peekproof.ledger.entry import Entry, checked
from peekproof.ledger.flight import Flight
from peekproof.ledger.loading import load, save
from peekproof.ledger.state import State
from peekproof.ledger.store import CHUNK, Store
from peekproof.ledger.verifying import verified
from peekproof.ledger.watch import Watch

T = TypeVar("T")


@final
class Log:
    """Entries and what they amount to. Threads share it; a forked process must not.

    A write takes the store's lock, catches up with what other processes wrote, lets each job add
    its entries, and commits them together.
    """

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lock = threading.RLock()
        self._process = os.getpid()
        self._commits = Commits(self._write)
        self._flight = Flight()
        self._stale = False
        self.watch: Watch | None = None
        self.state, self._saved = load(store, lock=self._lock)
        self._save_if_due()

    @property
    def place(self) -> str:
        return self._store.place

    def look(self) -> State:
        """The state with all that any process wrote."""
        self.check_process()  # first: in a forked process nobody releases the lock
        with self._lock:
            self._refresh()
            self._stale = True  # an entry may be taken in by half, whoever is interrupted
            while news := self._store.read(after=self._last.sequence, most=CHUNK):
                self._take_in(news)
            self._stale = False
            return self.state

    def vouch(self) -> State:
        """As `look`, once the witness knows of all that this process wrote.

        An answer on disk that no witness has heard of could be taken back, and paid for anew.
        """
        with self._lock:
            state = self.look()
            if self.watch:
                self.watch.catch_up()
            return state

    def do(self, step: Callable[[Draft], T]) -> T:
        """Take a step that adds entries; they are on disk when it returns."""
        self.check_process()
        job = Job(step)
        self._commits.do(job)
        if not job.done:  # whoever was to write it was interrupted before
            raise LedgerUnavailable(ledger=self.place, problem="was interrupted")
        return job.outcome()

    def do_while_moving(self, step: Callable[[Draft], T]) -> T:
        """Take a step of a move, which a ledger also takes that is retired or not yet usable."""
        self.check_process()
        job = Job(step)
        self._write([job], moving=True)
        return job.outcome()

    def alone(self, digests: Collection[str], act: Callable[[], T]) -> T:
        """What `act` returns, while no other thread of this process draws any of these."""
        self.check_process()
        return self._flight.alone(digests, act)

    def stream(self, *, after: int = 0) -> Iterator[Entry]:
        """All entries after one, as they lie in the store, read as they are wanted."""
        while chunk := self._chunk(after=after):
            yield from chunk
            after = chunk[-1].sequence

    def entries(self) -> list[Entry]:
        """All entries, as they lie in the store."""
        return list(self.stream())

    def head(self) -> Entry:
        """The last entry that any process wrote."""
        self.look()
        return self._last

    def entry(self, sequence: int) -> Entry | None:
        """One entry, if the store has it by now."""
        with self._lock:
            self.check_process()
            found = self._store.read(after=sequence - 1, most=1)
        return found[0] if found and found[0].sequence == sequence else None

    def verify(self, *, progress: Callable[[int, int], None] | None) -> int:
        """Recheck everything from the first entry; the number of entries."""
        self.check_process()
        with self._lock:
            self._refresh()
            known, snapshot = self._last, self._store.snapshot()
            index = dict(self._store.index())
        return verified(
            self._chunk,
            place=self.place,
            known=known,
            snapshot=snapshot,
            index=index,
            progress=progress,
        )

    def check_process(self) -> None:
        """Refuse a forked process, where locks may be held by threads that are not there."""
        if os.getpid() != self._process:
            # A forked copy of a connection corrupts; a forked copy of memory doubles the budget.
            raise LedgerUnavailable(ledger=self.place, problem="was opened by another process")

    def check_here(self) -> None:
        """Refuse a ledger that goes on elsewhere."""
        if to := self.state.elsewhere(self.place):
            known = self.state.opening
            place, to = (known.published(each) if known else each for each in (self.place, to))
            raise LedgerMoved(ledger=place, to=to, delivered=self.delivered)
        if self.state.arriving:
            raise LedgerUnavailable(
                ledger=self.place,
                problem="has not arrived yet, for its move was interrupted",
                hint="run peekproof ledger move again, with the same places",
            )

    @property
    def delivered(self) -> bool:
        """Whether a ledger that was moved says which copy goes on, so that no other ever does."""
        return not self.state.arriving or "copy" in self._last.body

    def close(self) -> None:
        with self._lock:
            self._store.close()
            if self.watch:
                self.watch.close()

    @property
    def _last(self) -> Entry:
        if self.state.last is None:
            raise LedgerDamaged(ledger=self.place, problem="has no entries")
        return self.state.last

    def _write(self, jobs: Sequence[Job[object]], *, moving: bool = False) -> None:
        with self._lock:
            try:
                self._refresh()
                self._stale = True  # until memory says what is on disk, whoever is interrupted
                self._take_in(self._store.begin(after=self._last.sequence))
                if not moving:
                    self.check_here()
                if self.watch:
                    self.watch.check(self.entry, last=lambda: self._last)
                draft = Draft(after=self._last)
                for job in jobs:
                    job.run(draft)
                self._finish(draft)
            except PeekproofError as error:
                self._give_up(jobs, error)
            except BaseException:
                interrupted = LedgerUnavailable(ledger=self.place, problem="was interrupted")
                self._give_up(jobs, interrupted)
                raise
            self._save_if_due()

    def _finish(self, draft: Draft) -> None:
        if draft.entries:
            self._store.commit(draft.entries)
        else:
            self._store.rollback()
        draft.show()
        if draft.entries:  # what shows late must not hide what came after it
            self.state.last = draft.entries[-1]
        self._stale = False
        if draft.entries and self.watch:
            self.watch.wrote(draft.entries)

    def _give_up(self, jobs: Sequence[Job[object]], error: PeekproofError) -> None:
        self._stale = True
        for job in jobs:
            job.fail(error)
        with suppress(PeekproofError):
            self._store.rollback()

    def _refresh(self) -> None:
        """After a failed write, forget what may not be on disk."""
        if self._stale:
            if self.watch:
                self.watch.doubt()  # it may be another chain by now
            self._store.rollback()  # if that was interrupted, what was not committed still shows
            self.state, self._saved = load(self._store, lock=self._lock)
            self._stale = False

    def _take_in(self, news: Sequence[Entry]) -> None:
        for entry in checked(news, after=self.state.last, ledger=self.place):
            self.state.apply(entry)

    def _chunk(self, *, after: int) -> list[Entry]:
        self.check_process()
        with self._lock:
            return self._store.read(after=after, most=CHUNK)

    def _save_if_due(self) -> None:
        if not self._stale:
            self._saved = save(self._store, self.state, before=self._saved)
