"""Small contests: labels drawn at random, and predictions that are right as often as is said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from peekproof.learn.board.board import Board

OPEN: list[Board] = []  # to be released when a test ends

Signs = npt.NDArray[np.int64]


def labels_of(values: Signs) -> pl.DataFrame:
    return pl.DataFrame({"id": names(len(values)), "label": values})


def names(count: int) -> list[str]:
    return [f"r{number}" for number in range(count)]


def frame_of(values: Signs) -> pl.DataFrame:
    return pl.DataFrame({"id": names(len(values)), "prediction": values})


class Contest:
    """A board of fair coins, of which it knows the labels."""

    def __init__(self, folder: Path, *, rows: int = 2000, seed: int = 1, **more: object) -> None:
        self.rng = np.random.default_rng(seed)
        self.labels: Signs = self.rng.integers(0, 2, rows)
        table = labels_of(self.labels)
        # Not split at random, so that tests repeat; the rows are drawn at random as it is.
        parts = {"labels": table[: rows // 2], "final": table[rows // 2 :]}
        self.board = Board.create(folder / "coins", **{**parts, **more})  # type: ignore[arg-type]
        OPEN.append(self.board)

    def right(self, share: float) -> pl.DataFrame:
        """Predictions of which each is right with this probability."""
        hit = self.rng.random(len(self.labels)) < share
        return frame_of(np.where(hit, self.labels, 1 - self.labels))

    @property
    def draws(self) -> int:
        return self.board._desk.session.ledger.draws()
