"""Metrics of classes: accuracy, counts of one class, and the gain of one prediction over another.

Counts say how often a class is found, missed, and seen where it is not: parts of quotients. Each is
a share of all rows, and by itself a metric like any other.
"""

from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, final

import numpy as np

from peekproof.core.errors import InvalidInput
from peekproof.learn.column import Labels, Predictions
from peekproof.learn.metric import Metric, Rows, Wants
from peekproof.learn.metrics.kinds import Argument, class_name, class_of_kind, same_kind, written


@dataclass(frozen=True, slots=True)
class OfLabels:
    """What metrics share that compare a label with the predicted one."""

    NAME: ClassVar[str] = ""
    flag: ClassVar[bool] = True
    charge_first: ClassVar[bool] = False
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


class Count(Enum):
    """Which rows count, by whether the label and the prediction are the class."""

    TRUE_POSITIVE = "true_positive"  # both are
    FALSE_POSITIVE = "false_positive"  # the prediction alone
    FALSE_NEGATIVE = "false_negative"  # the label alone
    MISTAKEN = "mistaken"  # just one of them


@final
@dataclass(frozen=True, slots=True)
class Counted:
    """1 where a row counts, else 0."""

    flag: ClassVar[bool] = True
    charge_first: ClassVar[bool] = False
    wants: ClassVar[Wants] = Wants.LABEL
    of_classes: ClassVar[bool] = True
    span: ClassVar[float] = 1.0

    count: Count
    positive: Argument = 1.0

    def __post_init__(self) -> None:
        class_name(positive=self.positive)

    @property
    def NAME(self) -> str:  # noqa: N802 (a constant of other metrics)
        return self.count.value

    @property
    def higher(self) -> bool:
        return self.count is Count.TRUE_POSITIVE

    @property
    def text(self) -> str:
        return written(self.NAME, self.positive)

    def check(self, labels: Labels, *predictions: Predictions) -> None:
        check_class(self.positive, labels, predictions)

    def values(self, labels: Labels, *predictions: Predictions) -> Rows:
        (predicted,) = predictions
        truth = np.equal(labels.values, self.positive)
        said = np.equal(predicted.values, self.positive)
        match self.count:
            case Count.TRUE_POSITIVE:
                counts = truth & said
            case Count.FALSE_POSITIVE:
                counts = said & ~truth
            case Count.FALSE_NEGATIVE:
                counts = truth & ~said
            case Count.MISTAKEN:
                counts = truth != said
        return counts.astype(np.float64)


def check_class(positive: Argument, labels: Labels, predictions: tuple[Predictions, ...]) -> None:
    """Refuse predictions that are no labels, and a class that no label can be."""
    class_of_kind(labels, positive)
    (predicted,) = predictions
    same_kind(labels, predicted)


@final
@dataclass(frozen=True, slots=True)
class Gain:
    """What a row is worth by the first prediction beyond what it is by the second; 0 if less.

    The mean of the gain, less that with the predictions exchanged, is the difference of scores.
    """

    NAME: ClassVar[str] = "gain"
    higher: ClassVar[bool] = True

    metric: Metric

    @property
    def flag(self) -> bool:
        return self.metric.flag

    @property
    def charge_first(self) -> bool:
        return self.metric.charge_first

    @property
    def wants(self) -> Wants:
        return self.metric.wants

    @property
    def span(self) -> float:
        return self.metric.span

    @property
    def text(self) -> str:
        return f"{self.NAME}({self.metric.text})"

    def check(self, labels: Labels, *predictions: Predictions) -> None:
        if len(predictions) != 2:
            raise InvalidInput(
                argument="predictions",
                accepted=f"those of two models, for {self.text}",
                given=f"{len(predictions):,}",
                hint="call compare",
            )
        for each in predictions:
            self.metric.check(labels, each)

    def values(self, labels: Labels, *predictions: Predictions) -> Rows:
        first, second = (self.metric.values(labels, each) for each in predictions)
        return np.maximum(first - second, 0.0)
