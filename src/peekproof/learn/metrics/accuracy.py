"""Whether the prediction is the label."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from peekproof.learn.column import Labels, Predictions
from peekproof.learn.metric import Rows, Wants
from peekproof.learn.metrics.kinds import same_kind


@dataclass(frozen=True, slots=True)
class OfLabels:
    """What metrics share that compare a label with the predicted one."""

    NAME: ClassVar[str] = ""
    flag: ClassVar[bool] = True
    wants: ClassVar[Wants] = Wants.LABEL
    of_classes: ClassVar[bool] = True
    span: ClassVar[float] = 1.0

    @property
    def text(self) -> str:
        return self.NAME

    def check(self, labels: Labels, *predictions: Predictions) -> None:
        for each in predictions:
            same_kind(labels, each)


@final
@dataclass(frozen=True, slots=True)
class Accuracy(OfLabels):
    """1 where the prediction is the label, else 0."""

    NAME: ClassVar[str] = "accuracy"
    higher: ClassVar[bool] = True

    def values(self, labels: Labels, *predictions: Predictions) -> Rows:
        (predicted,) = predictions
        return np.equal(predicted.values, labels.values).astype(np.float64)


@final
@dataclass(frozen=True, slots=True)
class ZeroOne(OfLabels):
    """1 where the prediction is not the label, else 0: the loss that accuracy is 1 minus."""

    NAME: ClassVar[str] = "zero_one"
    higher: ClassVar[bool] = False

    def values(self, labels: Labels, *predictions: Predictions) -> Rows:
        (predicted,) = predictions
        return np.not_equal(predicted.values, labels.values).astype(np.float64)
