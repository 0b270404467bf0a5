"""Small holdouts, models without training, and rows to validate with."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import peekproof

ROWS = 400
Array = npt.NDArray[Any]


def rows(seed: int, count: int = ROWS) -> tuple[Array, Array]:
    """Features and labels: the sign of the first feature, in four rows of five."""
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(count, 2))
    right = rng.random(count) < 0.8
    return features, ((features[:, 0] > 0) == right).astype(np.int64)


def opened(place: Path | str | None, *, questions: int | None = 100) -> peekproof.Holdout:
    """A holdout whose ledger is there."""
    return peekproof.Holdout(*rows(0), questions=questions, ledger=place)


def cuts(count: int) -> list[float]:
    """Places for `Cut` between which the holdout has rows: all predictions differ."""
    places = np.sort(rows(0)[0][:, 0])
    middle = (ROWS - count) // 2
    return [float(each) for each in places[middle : middle + count]]


class Cut:
    """Predicts by where the first feature is; nothing to train, and nothing of scikit-learn."""

    def __init__(self, at: float = 0.0) -> None:
        self.at = at

    def predict(self, features: Array) -> Array:
        return (features[:, 0] > self.at).astype(np.int64)
