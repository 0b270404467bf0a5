"""What worker processes run; they import it by its name."""

from __future__ import annotations

import os

import peekproof
from learn.holdouts import Cut


def score(holdout: peekproof.Holdout, cut: float) -> tuple[int, int, float | None]:
    """The process, the identity of its session, and a score, or None if it is refused."""
    try:
        answer = holdout.score(Cut(cut), guess=0.8)
    except peekproof.BudgetExhausted:
        return os.getpid(), id(holdout.desk), None
    return os.getpid(), id(holdout.desk), answer.value


def insist(holdout: peekproof.Holdout, cut: float) -> float:
    """A score, or the error."""
    return holdout.score(Cut(cut), guess=0.8).value
