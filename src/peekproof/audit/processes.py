"""Processes that work side by side, and stop when whoever started them does."""

import os
import pickle
import signal
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import active_children, get_context, parent_process
from threading import Thread

from peekproof.core.errors import InvalidInput


@contextmanager
def processes(workers: int, *, task: object) -> Iterator[ProcessPoolExecutor]:
    """So many processes for parts of a task; all of them end with the block, however it ends.

    A task that cannot be sent to them is refused before any is started.
    """
    try:
        pickle.dumps(task)
    except (AttributeError, TypeError, pickle.PicklingError) as problem:
        raise _homebound(workers) from problem
    others = set(active_children())
    # Engines have threads, whose locks a forked process would share.
    pool = ProcessPoolExecutor(
        workers, mp_context=get_context("spawn"), initializer=end_with_parent
    )
    try:
        yield pool
    except BaseException as problem:
        # Leaving a pool waits for all that was submitted, which may be minutes.
        for child in set(active_children()) - others:
            child.terminate()
        pool.shutdown(cancel_futures=True)
        if isinstance(problem, BrokenProcessPool):
            raise _homebound(workers) from problem
        raise
    pool.shutdown()


def _homebound(workers: int) -> InvalidInput:
    return InvalidInput(
        argument="workers",
        accepted="1 for a setup or an analyst that cannot be sent to another process",
        given=str(workers),
        hint="define its classes and functions in a module that can be imported, and call this "
        'below `if __name__ == "__main__":`',
    )


def end_with_parent() -> None:
    """The parent hears an interrupt, and ends its workers; if it is gone, they go too."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_wait_for_parent, daemon=True).start()


def _wait_for_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
