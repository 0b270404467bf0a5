"""Questions at work: one that is asked again meanwhile waits for its answer, which is then free.

Without this, the same question at the same moment would be paid for by each who asks.
"""

import fcntl
import os
import struct
import sys
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import final

_LOCK = struct.Struct("hhqqi4x")  # as Linux has it: kind, whence, start, length, no process


@final
class Flight:
    """The digests that threads of this process are drawing answers for.

    Workers on Linux that share a file know those of each other, too; each digest is a byte of it
    that is locked, and a worker that dies lets go of its own.
    """

    def __init__(self, shared: Path | None = None) -> None:
        self._shared = shared
        self._busy: set[str] = set()
        self._landed = threading.Condition()

    @contextmanager
    def of(self, digests: Iterable[str]) -> Iterator[None]:
        """Alone with these questions. All are taken at once, so nobody waits in a circle."""
        wanted = set(digests)
        with self._landed:
            self._landed.wait_for(lambda: wanted.isdisjoint(self._busy))
            self._busy |= wanted
        try:
            with self._alone_of_all(wanted):
                yield
        finally:
            with self._landed:
                self._busy -= wanted
                self._landed.notify_all()

    @contextmanager
    def _alone_of_all(self, digests: set[str]) -> Iterator[None]:
        """Alone among the workers: all take their bytes in one order, so there is no circle."""
        if self._shared is None or sys.platform != "linux":
            yield
            return
        file = os.open(self._shared, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            for at in sorted(int(each[:12], 16) for each in digests):
                # Of the open file, not of the process, whose threads would share it.
                lock = _LOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, at, 1, 0)
                fcntl.fcntl(file, fcntl.F_OFD_SETLKW, lock)
            yield
        finally:
            os.close(file)  # and with it all of its locks
