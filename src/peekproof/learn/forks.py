"""Forked processes, where a holdout can neither be used nor opened again.

The rows are evaluated by threads, which a fork leaves behind: the copy would wait for them for
ever. And the copy of an SQLite file believes in locks that only its parent holds.
"""

import os

from peekproof.core.errors import LedgerUnavailable

HINT = (
    "start workers afresh: joblib's default does, and a ProcessPoolExecutor with "
    'mp_context=multiprocessing.get_context("spawn")'
)

_held = False  # whether this process has had the rows of a holdout
_inherited = False  # whether the one that it was forked from had


def note_rows() -> None:
    """From now on processes that are forked from this one are refused."""
    global _held  # noqa: PLW0603 (it is about the process)
    _held = True


def refuse_forked(place: str) -> None:
    """Refuse a holdout with a ledger at this place, where it would hang."""
    if _inherited:
        raise forked(place)


def forked(place: str) -> LedgerUnavailable:
    """Why nothing is asked in a forked process."""
    return LedgerUnavailable(
        ledger=place, problem="cannot be used in a process that was forked", hint=HINT
    )


def _in_child() -> None:
    global _inherited  # noqa: PLW0603
    _inherited = _inherited or _held


if hasattr(os, "register_at_fork"):  # not on Windows, which does not fork
    os.register_at_fork(after_in_child=_in_child)
