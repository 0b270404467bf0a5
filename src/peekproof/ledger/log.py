"""A store, the state that its entries give, and all writes to it, in groups."""

import os
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import lru_cache
from time import time
from typing import Generic, Protocol, TypeVar, final

from peekproof.core.errors import LedgerDamaged, LedgerMoved, LedgerUnavailable, PeekproofError
from peekproof.ledger.entry import FORMAT, Body, Entry, checked, follow
from peekproof.ledger.snapshot import restored, taken
from peekproof.ledger.state import State
from peekproof.ledger.store import CHUNK, Snapshot, Store
from peekproof.ledger.witness import Watch

T = TypeVar("T")

# Single flight: who asks what another is drawing waits for its answer, which is then free.
#
# For what is charged before it is read: the same question at the same moment would be paid for by
# each thread that asks.


@final
class Flight:
    """The questions that threads of this process draw from one ledger.

    Each call holds a lock of its own as long as it lasts, and those who want one of its questions
    wait for that lock. It is taken and released by `with`, where no interrupt can come between; a
    question that an interrupted call left on the list is free once its lock is.
    """

    def __init__(self) -> None:
        self._gate = threading.Lock()
        self._busy: dict[str, threading.Lock] = {}

    def alone(self, digests: Collection[str], act: Callable[[], T]) -> T:
        """What `act` returns, while no other thread draws any of these.

        All are taken at once, so nobody waits in a circle.
        """
        mine = threading.Lock()
        with mine:
            while others := self._others(digests, mine):
                for other in others:
                    with other:
                        pass
            try:
                return act()
            finally:
                with self._gate:
                    for each in digests:
                        if self._busy.get(each) is mine:
                            del self._busy[each]

    def _others(self, digests: Collection[str], mine: threading.Lock) -> list[threading.Lock]:
        """Who is to be waited for; if nobody is, the questions are taken."""
        with self._gate:
            known = [self._busy[each] for each in digests if each in self._busy]
            others = [each for each in known if each.locked()]
            if not others:
                self._busy.update(dict.fromkeys(digests, mine))
            return others


# Group commit: while one write is on its way to the disk, the next ones gather and go together.
#
# An interrupt (KeyboardInterrupt) can come between any two steps of the main thread, also within
# `finally`. So nothing that others wait for depends on a step of the one they wait for:
#
# - One batch at a time: whoever writes holds `_turn`. A `with` of a lock cannot be interrupted
#   between taking the lock and being bound to let go of it, nor on its way out.
# - A job is in the queue until its batch is taken, and whoever holds `_turn` and finds their job
#   gone knows that the batch is over.
# - Calls to wake up only save time. Who was not called in time looks for themselves whether anybody
#   is at work, and if nobody is, they lead.

J = TypeVar("J")

_PATIENCE = 0.1  # seconds until a sleeper looks whether anybody is at work


@final
class _Waiting(Generic[J]):
    """A job whose caller sleeps until it is done, or until it is their turn to lead."""

    __slots__ = ("awake", "job", "over")

    def __init__(self, job: J) -> None:
        self.job = job
        self.over = False  # whether its batch was run, if whoever ran it could say so
        self.awake = threading.Lock()
        self.awake.acquire()

    def call(self) -> None:
        """Wake the sleeper; twice is no harm."""
        with suppress(RuntimeError):  # awake already
            self.awake.release()


@final
class Commits(Generic[J]):
    """Runs jobs, as many together as have gathered, one batch at a time.

    The first to come leads: it writes its own job and all that wait, wakes their callers, and
    hands the lead to one who came meanwhile. Nobody writes for others for ever, and no thread of
    its own is needed. `write` notes in each job how it went; what it raises, the leader raises.
    """

    def __init__(self, write: Callable[[list[J]], None]) -> None:
        self._write = write
        self._turn = threading.Lock()  # held by the leader at work
        self._gate = threading.Lock()  # for what follows
        self._queue: list[_Waiting[J]] = []
        self._led = False  # whether someone will look at the queue; wrong after an interrupt

    def do(self, job: J) -> None:
        """Return when the job's batch was run."""
        mine = _Waiting(job)
        try:
            with self._gate:
                self._queue.append(mine)
                first, self._led = not self._led, True
            if not first:
                self._sleep(mine)
            if not mine.over:
                self._lead(mine)
        except BaseException:  # interrupted: what nobody waits for is not to be run
            with self._gate:
                if mine in self._queue:
                    self._queue.remove(mine)
            self._hand_over([])  # it may have been called to lead
            raise

    def _sleep(self, mine: _Waiting[J]) -> None:
        """Return when called, or when nobody is at work who could call."""
        while not mine.awake.acquire(timeout=_PATIENCE) and self._turn.locked():
            pass

    def _lead(self, mine: _Waiting[J]) -> None:
        """Run all jobs that wait, unless another leader has run this one meanwhile."""
        batch: list[_Waiting[J]] = []
        try:
            with self._turn:
                with self._gate:
                    if mine in self._queue:
                        batch, self._queue = self._queue, []
                if batch:
                    self._write([each.job for each in batch])
        finally:
            self._hand_over(batch)

    def _hand_over(self, batch: list[_Waiting[J]]) -> None:
        """Wake those whose jobs were run, and whoever leads now."""
        with self._gate:
            following = self._queue[:1]
            self._led = bool(following)
        for each in following:
            each.call()
        for each in batch:
            each.over = True
            each.call()


# Entries on their way to the store, and the jobs that write them.

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


# Opening from the latest snapshot, and saving one when much has been written since.

# Replaying so many entries takes a fraction of a second, saving a snapshot much less.
_DUE = 16_384


def load(store: Store, *, lock: threading.RLock) -> tuple[State, int]:
    """The state of a store, its chain checked from the snapshot on; and where that was taken."""
    snapshot = store.snapshot()
    found = restored(store, snapshot, lock=lock) if snapshot else None
    state = found or State(store.place)
    saved = snapshot.sequence if snapshot and found else 0
    while news := store.read(after=state.last.sequence if state.last else 0, most=CHUNK):
        for entry in checked(news, after=state.last, ledger=store.place):
            state.apply(entry)
    return state, saved


def save(store: Store, state: State, *, before: int) -> int:
    """Save a snapshot if one is due; where the latest is then. `before` is where it was."""
    if state.last is None or state.last.sequence - before < _DUE:
        return before
    snapshot = taken(state)
    try:
        store.save(snapshot, state.unindexed)
    except LedgerUnavailable:
        return before  # it only saves time; the next write tries again
    state.unindexed.clear()
    return snapshot.sequence


# Whether a whole ledger is what it claims to be.


class Reader(Protocol):
    """Reads the next entries."""

    def __call__(self, *, after: int) -> list[Entry]: ...


def verified(
    read: Reader,
    *,
    place: str,
    known: Entry,
    snapshot: Snapshot | None,
    index: Mapping[str, int],
    progress: Callable[[int, int], None] | None,
) -> int:
    """Replay all entries, compare them with snapshot and index; the number of entries.

    `known` is the last entry that this process has seen, which must still be there. An index that
    was read after the snapshot may know more than that: others save later ones at any time.
    """
    state, settled, fits, met = State(place), dict[str, int](), snapshot is None, False
    while chunk := read(after=state.last.sequence if state.last else 0):
        for entry in checked(chunk, after=state.last, ledger=place):
            state.apply(entry)
            met = met or entry == known
            if entry.kind == "answer":
                for each in entry.body["questions"]:
                    settled[str(each["digest"])] = entry.sequence
            if snapshot and entry.sequence == snapshot.sequence:
                fits = taken(state) == snapshot
        if progress and state.last:
            progress(state.last.sequence, max(known.sequence, state.last.sequence))
    if state.last is None:
        raise LedgerDamaged(ledger=place, problem="has no entries")
    if not met:
        raise LedgerDamaged(ledger=place, problem="lost entries that were there before")
    upto = snapshot.sequence if snapshot else 0
    lacks = any(entry <= upto and digest not in index for digest, entry in settled.items())
    if not fits or lacks or any(settled.get(digest) != entry for digest, entry in index.items()):
        raise LedgerDamaged(ledger=place, problem="has a snapshot that its entries do not give")
    return state.last.sequence


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
