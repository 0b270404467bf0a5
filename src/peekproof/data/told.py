"""How far several workers are with the rows of one pass, told by the one who is asked."""

import threading
from typing import final

from peekproof.data.source import Progress


@final
class Told:
    """Adds up what workers are done with: so many rows, for some of so many questions.

    `progress` is called in the thread that began the pass alone: who listens is known by it. It
    hears of rows as if all questions about one came before the next, which depends on no value.
    """

    def __init__(self, rows: int, progress: Progress) -> None:
        self._rows, self._progress = rows, progress
        self._thread = threading.get_ident()
        self._turn = threading.Lock()
        self._done = 0

    def done(self, rows: int, *, of: int) -> None:
        """So many more were read for one question each, where there are questions `of` them."""
        with self._turn:
            self._done += rows
            done = self._done
        if threading.get_ident() == self._thread:
            self._progress(done // of, self._rows)
