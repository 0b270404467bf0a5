"""A bar for every pass that an engine makes over all rows."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import final

from peekproof.cli import render


@final
class RowBar:
    """What a source tells how many rows are done; a bar is drawn while it is `shown`."""

    def __init__(self) -> None:
        self._advance: Callable[[str, int, int], None] | None = None

    def __call__(self, done: int, total: int) -> None:
        if self._advance:
            self._advance("reading rows", done, total)

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Draw the bar; it is gone before anything else is printed."""
        with render.progress() as advance:
            self._advance = advance
            try:
                yield
            finally:
                self._advance = None
