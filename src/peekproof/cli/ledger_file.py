"""A new file for what a ledger gives out, which never replaces another."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TextIO

from peekproof.core.errors import InvalidInput


@contextmanager
def new_file(path: str) -> Iterator[TextIO]:
    """A file for the owner's eyes, complete or not at all."""
    try:
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise InvalidInput(
            argument="--out", accepted="a new file", given=f"{path} ({reason})"
        ) from error
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            yield file
    except BaseException:
        Path(path).unlink(missing_ok=True)
        raise
