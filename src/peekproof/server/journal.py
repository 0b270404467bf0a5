"""The audit log: who asked for what and what became of it, one line of JSON for each request
(but those that anyone may send and that change nothing, such as for health).

It has no answers, no durations and no words of errors: nothing in it depends on the rows.
"""

import errno
import json
import os
import threading
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import final


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
