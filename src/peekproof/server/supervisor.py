"""Several workers that share a socket: one that ends is replaced, and all end together.

A worker's end is told by the system, so it is replaced at once, whatever the others are busy with.
"""

import logging
import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from multiprocessing.connection import wait
from multiprocessing.context import SpawnProcess
from types import FrameType
from typing import final

from peekproof.server.endpoint import where

_log = logging.getLogger("peekproof.server")

_ENDS = (signal.SIGINT, signal.SIGTERM)
_PATIENCE = 40.0  # seconds for a worker to finish what it has begun
_SOON = 5.0  # one that lasts less has failed to start, and is not tried again at once
_spawning = multiprocessing.get_context("spawn")  # threads and ledgers must not be forked


@final
class Supervisor:
    """Keeps so many processes at `work`, which ends when it is sent SIGTERM."""

    def __init__(self, work: Callable[[], None], *, workers: int) -> None:
        self._work = work
        self._count = workers
        self._workers: dict[int, tuple[SpawnProcess, float]] = {}  # with when each was started
        self._not_before = 0.0

    def run(self) -> None:
        """Until a signal says so."""
        told, tell = os.pipe()

        def end(_: int, __: FrameType | None) -> None:
            os.write(tell, b"!")

        before = {each: signal.signal(each, end) for each in _ENDS}
        try:
            while told not in self._waited(told):
                self._replace()
        finally:
            self._end()
            for each, handler in before.items():
                signal.signal(each, handler)
            os.close(told)
            os.close(tell)

    def _waited(self, told: int) -> list[object]:
        """What has happened: the end of workers, or a signal."""
        missing = self._count - len(self._workers)
        timeout = max(0.0, self._not_before - time.monotonic()) if missing else None
        return list(wait([told, *self._workers], timeout))

    def _replace(self) -> None:
        for sentinel, (process, started) in list(self._workers.items()):
            if not process.is_alive():
                process.join()
                _log.warning("a worker ended with code %s; another one follows", process.exitcode)
                del self._workers[sentinel]
                if time.monotonic() - started < _SOON:
                    self._not_before = time.monotonic() + _SOON
        if time.monotonic() >= self._not_before:
            while len(self._workers) < self._count:
                process = _spawning.Process(target=_at_work, args=(self._work,))
                # Ctrl-C is for the supervisor; workers, who may be starting, are told by it.
                before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
                process.start()
                signal.pthread_sigmask(signal.SIG_SETMASK, before)
                self._workers[process.sentinel] = process, time.monotonic()

    def _end(self) -> None:
        processes = [process for process, _ in self._workers.values()]
        for process in processes:
            process.terminate()
        deadline = time.monotonic() + _PATIENCE
        for process in processes:
            process.join(timeout=max(0.0, deadline - time.monotonic()))
            if process.is_alive():
                process.kill()
                process.join()


def _at_work(work: Callable[[], None]) -> None:
    """In a worker. It ends with its supervisor, also if that was killed.

    What escapes is told by its place alone: a traceback of the system's would quote its words.
    """
    supervisor = multiprocessing.parent_process()
    if supervisor is not None:
        threading.Thread(target=_outlived, args=(supervisor.sentinel,), daemon=True).start()
    try:
        work()
    except KeyboardInterrupt:
        sys.exit(1)
    except Exception as error:
        _log.error("a worker failed: %s", where(error))
        sys.exit(1)


def _outlived(supervisor: int) -> None:
    wait([supervisor])
    os.kill(os.getpid(), signal.SIGTERM)
