"""The audit log: who asked for what and what became of it, one line of JSON for each request
(but those that anyone may send and that change nothing, such as for health).

Requests without a valid token, and those that come too fast, are as many as anybody likes to send:
they are counted, and have one line a minute for each sender.

It has no answers, no durations and no words of errors: nothing in it depends on the rows.
"""

import asyncio
import errno
import json
import logging
import os
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import ClassVar, final

_log = logging.getLogger("peekproof.server")


@final
class Journal:
    """An open log. Lines of several workers do not mix: each is one write at the end."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        self._turn = threading.Lock()

    def write(self, line: Mapping[str, object]) -> None:
        at = datetime.now(UTC).isoformat(timespec="seconds")
        text = json.dumps({"at": at, **line}, ensure_ascii=True) + "\n"
        data = text.encode()
        with self._turn:
            if os.write(self._file, data) < len(data):
                raise OSError(errno.ENOSPC, "the audit log is full")

    def close(self) -> None:
        os.close(self._file)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Sender:
    """Who sends what has no line of its own: an address, or a token and whose it is."""

    peer: str | None = None
    token: str | None = None
    analyst: str | None = None

    def summary(self, requests: int, seconds: float) -> str:
        """What one line says in words."""
        if self.token is not None:
            what = f"requests too many with the token {self.token}"
        else:
            what = f"requests without a valid token from {self.peer}"
        return f"{requests} {what} in the last {seconds:g} seconds"


OTHERS = Sender(peer="other addresses")


@final
class Tally:
    """Counts requests by sender and status, and writes what it has counted once in a while.

    All of it is for the loop's thread alone. It holds a bounded number of senders: the rest are
    counted together.
    """

    interval: ClassVar[float] = 60.0  # seconds
    most: ClassVar[int] = 256  # senders with a line of their own

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._counts: dict[Sender, Counter[int]] = {}
        self._timer: asyncio.TimerHandle | None = None

    def count(self, sender: Sender, status: int) -> None:
        """Count one request of this sender, which ended with this status."""
        if sender not in self._counts and len(self._counts) >= self.most:
            sender = OTHERS
        self._counts.setdefault(sender, Counter())[status] += 1
        if self._timer is None:
            self._timer = asyncio.get_running_loop().call_later(self.interval, self.write)

    def write(self) -> None:
        """Write what was counted since the last time, and begin again."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        counts, self._counts = self._counts, {}
        try:
            for sender, statuses in counts.items():
                requests = statuses.total()
                self._journal.write(
                    {
                        "peer": sender.peer,
                        "token": sender.token,
                        "analyst": sender.analyst,
                        "requests": requests,
                        "seconds": self.interval,
                        "statuses": {str(each): statuses[each] for each in sorted(statuses)},
                        "summary": sender.summary(requests, self.interval),
                    }
                )
        except OSError as error:  # nothing was told to them: nothing has to be taken back
            _log.error("the audit log cannot be written: %s", error.strerror)
