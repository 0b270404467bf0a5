"""Pieces of rows shared out among the processors."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")

_WORKERS = min(8, os.cpu_count() or 1)
_WORTH_A_THREAD = 64  # functions of a piece: some milliseconds; less is done before help comes

_pool: ThreadPoolExecutor | None = None


def spread(work: Callable[[Iterator[int]], T], starts: range, *, each: int) -> list[T]:
    """What each of several workers makes of the starts that it takes, each taken by one.

    `each` is how many functions are to be computed for a start.
    """
    taken = iter(starts)  # one step of it is not interrupted
    others = min(_WORKERS, len(starts)) - 1
    if others < 1 or len(starts) * each < _WORTH_A_THREAD:
        return [work(taken)]
    futures = [_threads().submit(work, taken) for _ in range(others)]
    own = work(taken)
    # One that has not begun by now has nothing left to take.
    return [own, *(future.result() for future in futures if not future.cancel())]


def _threads() -> ThreadPoolExecutor:
    global _pool  # noqa: PLW0603 (threads are for the whole process)
    if _pool is None:
        _pool = ThreadPoolExecutor(_WORKERS, thread_name_prefix="peekproof-rows")
    return _pool


def _forget() -> None:
    """A forked child has none of its parent's threads."""
    global _pool  # noqa: PLW0603
    _pool = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
