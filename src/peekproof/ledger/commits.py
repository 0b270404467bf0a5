"""Group commit: while one write is on its way to the disk, the next ones gather and go together."""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar, final

J = TypeVar("J")


@final
class _Waiting(Generic[J]):
    """A job whose caller sleeps until it is done, or until it is their turn to lead."""

    __slots__ = ("awake", "job", "leads")

    def __init__(self, job: J) -> None:
        self.job = job
        self.leads = False
        self.awake = threading.Lock()
        self.awake.acquire()


@final
class Commits(Generic[J]):
    """Runs jobs, as many together as have gathered, one batch at a time.

    The first to come leads: it writes its own job and all that wait, wakes their callers, and
    hands the lead to one who came meanwhile. Nobody writes for others for ever, and no thread of
    its own is needed. `write` notes in each job how it went; what it raises, the leader raises.
    """

    def __init__(self, write: Callable[[list[J]], None]) -> None:
        self._write = write
        self._gate = threading.Lock()
        self._queue: list[_Waiting[J]] = []
        self._led = False

    def do(self, job: J) -> None:
        """Return when the job's batch was run."""
        mine = _Waiting(job)
        try:
            with self._gate:
                self._queue.append(mine)
                mine.leads, self._led = not self._led, True
            if not mine.leads:
                mine.awake.acquire()
            if mine.leads:
                self._lead(mine)
        except BaseException:  # interrupted: whoever was given the lead must not leave with it
            with self._gate:
                if mine in self._queue:
                    self._queue.remove(mine)
            if mine.leads:
                self._hand_over(mine, [])
            raise

    def _lead(self, mine: _Waiting[J]) -> None:
        batch: list[_Waiting[J]] = []
        try:
            with self._gate:
                batch, self._queue = self._queue, []
            self._write([each.job for each in batch])
        finally:
            self._hand_over(mine, batch)

    def _hand_over(self, mine: _Waiting[J], batch: list[_Waiting[J]]) -> None:
        """Wake those whose jobs were run, and whoever leads now."""
        with self._gate:
            mine.leads = False
            following = self._queue[:1]
            self._led = bool(following)
            for each in following:
                each.leads = True
        for each in (*batch, *following):
            if each is not mine:  # who leads is awake, and an interrupted one holds no lock
                each.awake.release()
