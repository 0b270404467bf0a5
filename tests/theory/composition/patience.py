"""A limit on how long a test may wait."""

from collections.abc import Iterator
from contextlib import contextmanager
from signal import ITIMER_REAL, SIGALRM, setitimer, signal


@contextmanager
def within(seconds: float) -> Iterator[None]:
    """Raise TimeoutError instead of waiting for ever."""

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal(SIGALRM, stop)
    setitimer(ITIMER_REAL, seconds)
    try:
        yield
    finally:
        setitimer(ITIMER_REAL, 0)
        signal(SIGALRM, before)
