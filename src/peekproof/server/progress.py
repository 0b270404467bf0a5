"""How far an engine is with the rows of one request."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import final

Listener = Callable[[int, int], None]


@final
class Progress:
    """What engines tell: it reaches whoever listens in the thread that reads."""

    def __init__(self) -> None:
        self._here = threading.local()

    def __call__(self, done: int, total: int) -> None:
        listener: Listener | None = getattr(self._here, "listener", None)
        if listener is not None:
            listener(done, total)

    @contextmanager
    def told_to(self, listener: Listener) -> Iterator[None]:
        self._here.listener = listener
        try:
            yield
        finally:
            self._here.listener = None
