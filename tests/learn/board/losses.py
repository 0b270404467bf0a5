"""A metric of which less is better."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from holdfast.learn.column import Labels, Predictions
from holdfast.learn.metric import Rows, Wants


@dataclass(frozen=True, slots=True)
class Gap:
    """How far the prediction is from the label, at most 1."""

    NAME: ClassVar[str] = "gap"
    flag: ClassVar[bool] = False
    higher: ClassVar[bool] = False
    wants: ClassVar[Wants] = Wants.LABEL
    span: ClassVar[float] = 1.0

    @property
    def text(self) -> str:
        return self.NAME

    def check(self, labels: Labels, *predictions: Predictions) -> None:
        """Anything goes."""

    def values(self, labels: Labels, *predictions: Predictions) -> Rows:
        (predicted,) = predictions
        gap = np.abs(predicted.values.astype(float) - labels.values.astype(float))
        return np.asarray(np.minimum(gap, 1.0), np.float64)
