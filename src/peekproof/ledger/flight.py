"""Single flight: who asks what another is drawing waits for its answer, which is then free.

Without this, the same question at the same moment would be paid for by each who asks.
"""

import os
import random
import struct
import sys
import threading
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from io import FileIO
from pathlib import Path
from typing import TypeVar, final

from peekproof.core.errors import LedgerUnavailable

if sys.platform != "win32":
    import fcntl

T = TypeVar("T")

PATIENCE = 600.0  # seconds for a process that lives and does not answer: it may have been stopped

_LOCK = struct.Struct("hhqqi4x")  # as Linux has it: kind, whence, start, length, no process
_DIGITS = 12  # of a digest: which byte of the file is its own
_BYTES = 16**_DIGITS
_MANY = 64  # so many bytes are locked one by one; for more questions all of them are


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


def alone_with_file(place: Path, digests: Collection[str], act: Callable[[], T]) -> T:
    """What `act` returns, while no other process on this machine draws any of these.

    Each digest is a byte of a file beside the ledger that is there meanwhile. The locks are those
    of an open file: the system lets go of them when the process ends, however it does. Where there
    are no such locks or the file cannot be made, all may draw: that costs a question more.
    """
    beside, ends = Path(f"{place}-flight"), time.monotonic() + PATIENCE
    while sys.platform == "linux":
        try:
            file = FileIO(str(beside), "r+", opener=lambda name, _: _opened(name, place))
        except OSError:
            break
        with file:
            _lock(file, digests, place, ends)
            if os.fstat(
                file.fileno()
            ).st_nlink:  # else another has removed it, and with it the lock
                try:
                    return act()
                finally:
                    _remove(file, beside)
    return act()


def _opened(name: str, place: Path) -> int:
    mode = place.stat().st_mode & 0o666  # whoever may write to the ledger
    return os.open(name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW, mode)


def _lock(file: FileIO, digests: Collection[str], place: Path, ends: float) -> None:
    """Take the bytes in their order, so that nobody waits in a circle."""
    bytes_ = sorted({int(each[:_DIGITS], 16) % _BYTES for each in digests})
    wanted = [(each, 1) for each in bytes_] if len(bytes_) <= _MANY else [(0, _BYTES)]
    for start, length in wanted:
        pause = 0.001
        while not _locked(file, start, length):
            if time.monotonic() > ends:
                raise LedgerUnavailable(
                    ledger=str(place),
                    problem=f"waited {PATIENCE:.0f} seconds for another process that draws the "
                    "answer to the same question",
                    hint="end that process, or ask again: nothing was charged",
                )
            time.sleep(pause * random.uniform(0.5, 1))  # noqa: S311 (no secret)
            pause = min(2 * pause, 0.05)


def _locked(file: FileIO, start: int, length: int) -> bool:
    lock = _LOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, start, length, 0)
    try:
        # Of the open file, not of the process, whose threads would share it.
        fcntl.fcntl(file.fileno(), fcntl.F_OFD_SETLK, lock)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _remove(file: FileIO, beside: Path) -> None:
    """Remove the file, if nobody else has a lock in it."""
    with suppress(OSError):
        if _locked(file, 0, _BYTES):
            beside.unlink()
