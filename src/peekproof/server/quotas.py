"""How fast each token may ask, and whoever has none, counted for all workers together.

Each token has a slot of eight bytes in a file that the workers share: the time at which it would
have used up what it was allowed (a "generic cell rate"). A lock on those bytes makes one step of
it; nothing is written to disk on purpose, and a crash forgets at most a burst.
"""

import fcntl
import mmap
import os
import struct
import threading
import time
import zlib
from ipaddress import IPv6Address, IPv6Network, ip_address
from math import ceil
from pathlib import Path
from typing import final

from peekproof.core.errors import TooManyRequests

_SLOT = struct.Struct("d")
_SLOTS = 1 << 16
CROWD = 10  # times what one address may send, all may send together that have no token


def _told(wait: float) -> float:
    """A wait to be told, in tenths of a second, rounded up but for the last digits of clocks."""
    return max(1, ceil(10 * wait - 1e-6)) / 10


@final
class Rates:
    """Admits `rate` requests a second for each slot, after a burst."""

    def __init__(self, path: Path, *, rate: float, burst: int) -> None:
        self._step = 1 / rate
        self._reach = burst / rate
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        os.ftruncate(self._file, _SLOTS * _SLOT.size)
        self._times = mmap.mmap(self._file, _SLOTS * _SLOT.size)
        self._turn = threading.Lock()

    def admit(self, slot: int) -> None:
        """Count one request of this slot, or refuse it and say when to come again."""
        at = (slot % _SLOTS) * _SLOT.size
        with self._turn:
            fcntl.lockf(self._file, fcntl.LOCK_EX, _SLOT.size, at)
            try:
                wait = self._take(at)
            finally:
                fcntl.lockf(self._file, fcntl.LOCK_UN, _SLOT.size, at)
        if wait > 0:
            raise TooManyRequests(retry_after=_told(wait))

    def _take(self, at: int) -> float:
        """Count one request, or say how long it is too early."""
        present = time.time()  # of the machine: the workers share no other clock
        (full,) = _SLOT.unpack_from(self._times, at)
        if full > present + self._reach + self._step:
            full = present  # the clock was set back
        after = max(full, present) + self._step
        wait: float = after - present - self._reach
        if wait <= 0:
            _SLOT.pack_into(self._times, at, after)
        return wait

    def close(self) -> None:
        self._times.close()
        os.close(self._file)


@final
class Strangers:
    """Admits requests without a valid token: so many of one address, and so many in all.

    They have slots of their own, so that nobody who has a token waits for them, whatever address
    they share.
    """

    def __init__(self, beside: Path, *, rate: float, burst: int) -> None:
        self._each = Rates(beside.with_name(f"{beside.name}-strangers"), rate=rate, burst=burst)
        crowd = beside.with_name(f"{beside.name}-crowd")
        self._all = Rates(crowd, rate=CROWD * rate, burst=CROWD * burst)

    def admit(self, peer: str) -> None:
        """Count one request from this address, or refuse it and say when to come again."""
        self._each.admit(zlib.crc32(peer.encode()))
        self._all.admit(0)

    def close(self) -> None:
        self._each.close()
        self._all.close()


def peer_of(client: tuple[str, int] | None) -> str:
    """The address that a request comes from; of IPv6 the network, which has one owner."""
    try:
        found = ip_address(client[0] if client else "")
    except ValueError:
        return "unknown"
    if not isinstance(found, IPv6Address):
        return str(found)
    if found.ipv4_mapped is not None:
        return str(found.ipv4_mapped)
    return str(IPv6Network((int(found), 64), strict=False))
