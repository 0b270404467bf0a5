"""Counts of requests by route and outcome, one for all workers, and the page that monitors read."""

import fcntl
import mmap
import os
import struct
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import final

import msgspec

_COUNT = struct.Struct("Q")  # of the machine: written at once, also if the writer is killed
_LENGTH = struct.Struct("H")
_RECORD = 256
_NAME_AT = _COUNT.size + _LENGTH.size
LONGEST = _RECORD - _NAME_AT  # bytes of a name
RECORDS = 2048  # names are of the code, not of requests: a few hundred
_SIZE = RECORDS * _RECORD


@final
class Counts:
    """What was counted since the file was made, by whichever worker."""

    def __init__(self, path: Path) -> None:
        self._turn = threading.Lock()
        self._places: dict[bytes, int] = {}
        self._next = 0  # where the records that were not looked at begin
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        self._lock(_SIZE)  # which is no byte of any record
        try:
            missing = _SIZE - os.fstat(self._file).st_size
            if missing > 0:  # written, not only promised: a full disk must not end a worker later
                os.pwrite(self._file, bytes(missing), _SIZE - missing)
        finally:
            self._unlock(_SIZE)
        self._memory = mmap.mmap(self._file, _SIZE)

    def add(self, name: bytes) -> None:
        """Count one of this name; of more names than there is room for none is counted."""
        with self._turn:
            at = self._places.get(name)
            if at is None:
                at = self._place(name)
            if at is None:
                return
            self._lock(at)
            try:
                (count,) = _COUNT.unpack_from(self._memory, at)
                _COUNT.pack_into(self._memory, at, count + 1)
            finally:
                self._unlock(at)

    def all(self) -> dict[bytes, int]:
        """How often each name was counted, by all workers."""
        with self._turn:
            self._look()
            return {
                name: _COUNT.unpack_from(self._memory, at)[0] for name, at in self._places.items()
            }

    def close(self) -> None:
        with self._turn:
            self._memory.close()
            os.close(self._file)

    def _place(self, name: bytes) -> int | None:
        """Where a name is, which is new to this worker."""
        self._lock(_SIZE)
        try:
            self._look()
            if name not in self._places and self._next < _SIZE and len(name) <= LONGEST:
                start = self._next + _NAME_AT
                self._memory[start : start + len(name)] = name
                # Last, for the length makes it a record: others may be looking.
                _LENGTH.pack_into(self._memory, self._next + _COUNT.size, len(name))
                self._look()
        finally:
            self._unlock(_SIZE)
        return self._places.get(name)

    def _look(self) -> None:
        """Take in the records that others have made."""
        while self._next < _SIZE:
            (length,) = _LENGTH.unpack_from(self._memory, self._next + _COUNT.size)
            if length == 0:
                return
            start = self._next + _NAME_AT
            self._places.setdefault(self._memory[start : start + length], self._next)
            self._next += _RECORD

    def _lock(self, at: int) -> None:
        fcntl.lockf(self._file, fcntl.LOCK_EX, _COUNT.size, at)

    def _unlock(self, at: int) -> None:
        fcntl.lockf(self._file, fcntl.LOCK_UN, _COUNT.size, at)


MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Labels = tuple[tuple[str, str], ...]


@final
class Metrics:
    """What all workers have counted: any of them answers for all, so that no count goes back."""

    def __init__(self, counts: Counts) -> None:
        self._counts = counts
        self._names: dict[tuple[str, Labels], bytes] = {}

    def count(self, name: str, **labels: str) -> None:
        key = name, tuple(sorted(labels.items()))
        written = self._names.get(key)
        if written is None:
            written = self._names[key] = msgspec.json.encode(key)
        self._counts.add(written)

    def samples(self) -> list[tuple[str, Labels, float]]:
        return [(*_read(written), value) for written, value in self._counts.all().items()]

    def close(self) -> None:
        self._counts.close()


def _read(written: bytes) -> tuple[str, Labels]:
    return msgspec.json.decode(written, type=tuple[str, Labels])


# Name, type and help of everything that is exposed.
FAMILIES: tuple[tuple[str, str, str], ...] = (
    ("peekproof_requests_total", "counter", "Requests by route and status."),
    ("peekproof_refusals_total", "counter", "Problems by name."),
    ("peekproof_questions_asked", "gauge", "Questions paid for, by data set."),
    ("peekproof_questions_left", "gauge", "New questions that fit as planned, by data set."),
    ("peekproof_budget_spent_ratio", "gauge", "Part of the budget that is spent, by data set."),
    ("peekproof_ledger_entries", "gauge", "Entries of the ledger, by data set."),
    ("peekproof_board_entries", "gauge", "Entries that were handed in, by board."),
    ("peekproof_board_submissions_left", "gauge", "New predictions that can be scored, by board."),
    ("peekproof_board_closed", "gauge", "1 if the board is closed, by board."),
    ("peekproof_requests_waiting", "gauge", "Requests at work or in line in this worker."),
)


def exposition(samples: Iterable[tuple[str, Labels, float]]) -> str:
    """The text format of Prometheus."""
    listed = list(samples)
    lines = []
    for name, kind, help in FAMILIES:
        lines += [f"# HELP {name} {help}", f"# TYPE {name} {kind}"]
        for each, labels, value in listed:
            if each == name:
                inside = ",".join(f'{key}="{_escaped(text)}"' for key, text in labels)
                lines.append(f"{name}{{{inside}}} {value!r}" if inside else f"{name} {value!r}")
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
