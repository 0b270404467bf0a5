"""Attacks that climb leaderboards of exact scores do not climb this one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import log, sqrt
from pathlib import Path

import numpy as np
import polars as pl

from learn.board.contests import OPEN, Signs, names
from peekproof.audit.analysts.correlation import leanings
from peekproof.learn.board.board import Board
from peekproof.learn.board.submission import Entry
from peekproof.testing.statistics import statistical

_MISS = 1e-9  # how often the board may be wrong; and so this test
_MARGIN = 0.15  # by which attacks must fool a plain board


@dataclass
class Score:
    """What an attacker learns."""

    value: float
    low: float
    high: float


Submit = Callable[[Signs], Score]


def attack(submit: Submit, *, rows: int, count: int, seed: int) -> list[Score]:
    """Random predictions, then three ways to make one of them and of what they scored.

    The majority of those that scored above one half; the same with the rest turned round; and
    all, weighted by the log-odds of their scores.
    """
    rng = np.random.default_rng(seed)
    tries: Signs = rng.integers(0, 2, (count, rows))
    scores = [submit(each).value for each in tries]
    signs = 2 * tries - 1
    liked = np.array([score > 0.5 for score in scores])
    votes = [
        np.where(liked, 1, 0),
        np.where(liked, 1, -1),
        np.array(leanings(scores)),
    ]
    half = rng.integers(0, 2, rows)  # where votes are equal
    found = []
    for weights in votes:
        total = weights @ signs
        found.append(submit(np.where(total == 0, half, (total > 0).astype(np.int64))))
    return found


def test_a_plain_board_is_fooled() -> None:
    rows, count = 120, 160
    labels = np.random.default_rng(6).integers(0, 2, rows)

    def exact(predictions: Signs) -> Score:
        value = float(np.mean(predictions == labels))
        reach = sqrt(log(2 * (count + 3) / 0.05) / (2 * rows))  # as if nothing were adaptive
        return Score(value, value - reach, value + reach)

    found = attack(exact, rows=rows, count=count, seed=7)
    assert all(each.value > 0.5 + _MARGIN for each in found)
    assert all(each.low > 0.5 for each in found)  # its intervals are wrong


@statistical(false_alarm=_MISS)
def test_this_board_is_not(tmp_path: Path) -> None:
    """Labels are fair coins, so every prediction is right half of the time with fresh ones."""
    rows, count = 120, 160
    labels = np.random.default_rng(6).integers(0, 2, rows)
    ids = pl.Series("id", names(rows))
    final = pl.DataFrame({"id": ["last"], "label": [1]})
    board = Board.create(
        tmp_path / "coins",
        labels=pl.DataFrame({"id": ids, "label": labels}),
        final=final,
        confidence=1 - _MISS,
        submissions=count + 3,
    )
    OPEN.append(board)
    last = final.rename({"label": "prediction"})
    told: list[Entry] = []

    def submit(predictions: Signs) -> Score:
        frame = pl.concat([pl.DataFrame({"id": ids, "prediction": predictions}), last])
        entry = board.submit("eve", frame)
        told.append(entry)
        # What is only known not to beat the best may as well be a coin.
        return Score(entry.value if entry.bounded else 0.5, entry.low, entry.high)

    found = attack(submit, rows=rows, count=count, seed=7)
    assert len(told) == count + 3
    assert all(each.low <= 0.5 <= each.high for each in told)
    assert all(each.low <= 0.5 <= each.high for each in found)
    assert all(each.low <= 0.5 <= each.high for each in board.standings().running)
    assert board.standings().failures <= 5  # and little was told on the way
