"""Made-up models: labels, and predictions that are right as often as a test wants."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
import numpy.typing as npt

from peekproof.learn.column import Labels, Predictions
from peekproof.learn.metric import Rows, Wants

Bits = npt.NDArray[np.int8]


def coins(rows: int, rng: np.random.Generator) -> Bits:
    """Labels, or predictions, that know nothing of anything else."""
    return rng.integers(0, 2, rows, dtype=np.int8)


def right(labels: Bits, accuracy: float, rng: np.random.Generator) -> Bits:
    """Predictions that are right by this chance in each row."""
    return labels ^ (rng.random(len(labels)) >= accuracy)


@final
@dataclass(frozen=True, slots=True)
class Squared:
    """(prediction − label)²: an error, between numbers from 0 to 1."""

    NAME: ClassVar[str] = "squared"
    flag: ClassVar[bool] = False
    charge_first: ClassVar[bool] = False
    higher: ClassVar[bool] = False
    wants: ClassVar[Wants] = Wants.LABEL
    span: ClassVar[float] = 1.0

    @property
    def text(self) -> str:
        return self.NAME

    def check(self, labels: Labels, *predictions: Predictions) -> None:
        del labels, predictions

    def values(self, labels: Labels, *predictions: Predictions) -> Rows:
        (predicted,) = predictions
        apart: Rows = predicted.values.astype(np.float64) - labels.values.astype(np.float64)
        return apart * apart


@dataclass(frozen=True)
class Constant:
    """A model that always says the same, and remembers a score if it was given one."""

    says: float
    best_score_: float | None = None

    def predict(self, features: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return np.full(len(features), self.says)
