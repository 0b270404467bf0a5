"""Which processes are still there: each holds a lock that ends with it, however it ends.

Process numbers would not do: they are used again, and mean nothing in another container.
"""

import fcntl
import os
import secrets
import weakref
from pathlib import Path
from typing import final


@final
class Living:
    """This process, under a name of its own beside a file that all of them share."""

    def __init__(self, beside: Path) -> None:
        self._beside = beside
        self.name = secrets.token_hex(8)
        made = self._place(f"{self.name}.new")
        self._file = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        fcntl.flock(self._file, fcntl.LOCK_EX)
        made.rename(self._place(self.name))  # locked before anybody can look for it
        self._end = weakref.finalize(self, _ended, self._file, self._place(self.name))

    def has(self, name: str) -> bool:
        """Whether the process of this name is still there."""
        if not name.isalnum():
            return False
        try:
            found = os.open(self._place(name), os.O_WRONLY)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(found, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(found)
        self._place(name).unlink(missing_ok=True)
        return False

    def forget_the_dead(self) -> None:
        """Remove what those who were killed have left behind."""
        for path in self._beside.parent.glob(f"{self._beside.name}-living-*"):
            name = path.name.rpartition("-")[2]
            if name != self.name:
                self.has(name)

    def close(self) -> None:
        self._end()

    def _place(self, name: str) -> Path:
        return self._beside.with_name(f"{self._beside.name}-living-{name}")


def _ended(file: int, path: Path) -> None:
    path.unlink(missing_ok=True)
    os.close(file)
