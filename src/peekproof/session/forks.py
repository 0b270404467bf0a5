"""Forked processes, where rows can neither be asked about nor opened again.

The rows are evaluated by threads, which a fork leaves behind: the copy would wait for them for
ever. And the copy of an SQLite file believes in locks that only its parent holds.
"""

import os
import re
import sys
import threading
from contextlib import suppress
from pathlib import Path

from peekproof.core.errors import LedgerUnavailable

HINT = (
    "start workers afresh: joblib's default does, and a ProcessPoolExecutor with "
    'mp_context=multiprocessing.get_context("spawn")'
)

_TASKS = Path("/proc/self/task")
_ANY = re.compile(r"polars-.*")
_EVALUATING = re.compile(r"polars-\d+|async-executor.*|tokio-rt-worker")  # as Polars names them
_SECONDS = 5.0  # until a sum of two numbers counts as waiting for ever

_held = False  # whether this process has had rows, and so threads that evaluate them
_inherited = False  # whether the one that it was forked from had


def note_rows() -> None:
    """From now on processes that are forked from this one are refused."""
    global _held  # noqa: PLW0603 (it is about the process)
    _held = True


def note_threads() -> None:
    """The same, where nobody can see which threads there are when a process is forked."""
    if sys.platform != "linux":
        note_rows()


def refuse_forked(place: str) -> None:
    """Refuse rows with a ledger at this place, where whoever reads them would hang."""
    global _inherited, _doubtful
    if _doubtful:
        _inherited, _doubtful = _inherited or not _adds_up(), False
    if _inherited:
        raise forked(place)


def forked(place: str) -> LedgerUnavailable:
    """Why nothing is asked in a forked process."""
    return LedgerUnavailable(
        ledger=place, problem="cannot be used in a process that was forked", hint=HINT
    )


def _runs(threads: re.Pattern[str]) -> bool:
    """Whether threads with such names run, where that can be seen."""
    with suppress(OSError):
        for task in _TASKS.iterdir():
            with suppress(OSError):  # it may have just ended
                if threads.fullmatch((task / "comm").read_text().strip()):
                    return True
    return False


def _adds_up() -> bool:
    """Whether Polars evaluates anything here; a thread that waits for ever dies with the rest."""

    def add() -> None:
        import polars as pl  # noqa: PLC0415 (it is there, and whoever forks may never need it)

        frame = pl.DataFrame({"number": [1, 2]}).lazy()
        frame.select(pl.col("number").sum()).collect()
        done.set()

    done = threading.Event()
    threading.Thread(target=add, daemon=True).start()
    return done.wait(_SECONDS)


def _before() -> None:
    global _held  # noqa: PLW0603
    _held = _held or _runs(_EVALUATING)  # importing Polars starts none of these


def _in_child() -> None:
    global _inherited  # noqa: PLW0603
    _inherited = _inherited or _held


# Polars was there before this module, without its threads: it may have been forked in between.
_doubtful = "polars" in sys.modules and not _runs(_ANY)

if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(before=_before, after_in_child=_in_child)
