"""Group commit: while one write is on its way to the disk, the next ones gather and go together.

An interrupt (KeyboardInterrupt) can come between any two steps of the main thread, also within
`finally`. So nothing that others wait for depends on a step of the one they wait for:

- One batch at a time: whoever writes holds `_turn`. A `with` of a lock cannot be interrupted
  between taking the lock and being bound to let go of it, nor on its way out.
- A job is in the queue until its batch is taken, and whoever holds `_turn` and finds their job gone
  knows that the batch is over.
- Calls to wake up only save time. Who was not called in time looks for themselves whether anybody
  is at work, and if nobody is, they lead.
"""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, TypeVar, final

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
