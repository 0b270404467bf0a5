"""Metrics of probabilities: proper losses, and how often the positive class comes in each bin."""

import math
from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, cast, final

import numpy as np

from peekproof.core.errors import InvalidInput
from peekproof.learn.column import Labels, Numbers, Predictions
from peekproof.learn.metric import Rows, Wants
from peekproof.learn.metrics.kinds import (
    Argument,
    class_name,
    class_of_kind,
    finite,
    numeric_labels,
    one_each,
    probabilities,
    written,
)


@final
@dataclass(frozen=True, slots=True)
class Brier:
    """(p − 1)² where the label is the positive class, 1 unless it is named, else p²."""

    NAME: ClassVar[str] = "brier"
    flag: ClassVar[bool] = False
    charge_first: ClassVar[bool] = False
    higher: ClassVar[bool] = False
    wants: ClassVar[Wants] = Wants.PROBABILITY
    span: ClassVar[float] = 1.0

    positive: Argument = 1.0

    def __post_init__(self) -> None:
        class_name(positive=self.positive)

    @property
    def text(self) -> str:
        return written(self.NAME, *([] if self.positive == 1 else [self.positive]))

    def check(self, labels: Labels, *predictions: Predictions) -> None:
        class_of_kind(labels, self.positive)
        probabilities(one_each(predictions, accepted="one probability a row"))

    def values(self, labels: Labels, *predictions: Predictions) -> Rows:
        (predicted,) = predictions
        off = cast(Numbers, predicted.values) - np.equal(labels.values, self.positive)
        return off * off


@final
@dataclass(frozen=True, slots=True)
class LogLoss:
    """−log p for the probability p that was given to the label, p no less than `clip`.

    Either one probability a row, that of the positive class; or one for each of the classes
    0, 1, 2, …, of which a label that is none of them was given none.
    """

    NAME: ClassVar[str] = "log_loss"
    flag: ClassVar[bool] = False
    charge_first: ClassVar[bool] = False
    higher: ClassVar[bool] = False
    wants: ClassVar[Wants] = Wants.PROBABILITY

    clip: float = 0.001
    positive: Argument = 1.0

    def __post_init__(self) -> None:
        if not 0 < finite(clip=self.clip) < 0.5:
            raise InvalidInput(
                argument="clip", accepted="between 0 and 0.5", given=repr(self.clip)[:80]
            )
        class_name(positive=self.positive)

    @property
    def span(self) -> float:
        return -math.log(self.clip)

    @property
    def text(self) -> str:
        return written(self.NAME, self.clip, *([] if self.positive == 1 else [self.positive]))

    def check(self, labels: Labels, *predictions: Predictions) -> None:
        (predicted,) = predictions
        if predicted.values.ndim == 1:
            class_of_kind(labels, self.positive)
        else:
            numeric_labels(labels)
        probabilities(predicted)

    def values(self, labels: Labels, *predictions: Predictions) -> Rows:
        (predicted,) = predictions
        given = cast(Numbers, predicted.values)
        if given.ndim == 1:
            of_label = np.where(np.equal(labels.values, self.positive), given, 1 - given)
        else:
            classes = np.arange(given.shape[1])
            is_label = np.equal(cast(Numbers, labels.values)[:, None], classes)
            of_label = np.where(is_label, given, 0.0).sum(axis=1)
        loss = -np.log(np.clip(of_label, self.clip, 1 - self.clip))
        return cast(Rows, np.clip(loss / self.span, 0.0, 1.0))


class Outcome(Enum):
    """Which rows of a bin count."""

    POSITIVE = "positive_in_bin"
    NEGATIVE = "negative_in_bin"


@final
@dataclass(frozen=True, slots=True)
class InBin:
    """1 where low ≤ p < high and the outcome is this one, else 0; p = 1 is in the bin up to 1."""

    flag: ClassVar[bool] = True
    charge_first: ClassVar[bool] = False
    higher: ClassVar[bool] = True
    wants: ClassVar[Wants] = Wants.PROBABILITY
    span: ClassVar[float] = 1.0

    outcome: Outcome
    low: float
    high: float
    positive: Argument = 1.0

    def __post_init__(self) -> None:
        class_name(positive=self.positive)
        if not 0 <= finite(low=self.low) < finite(high=self.high) <= 1:
            raise InvalidInput(
                argument="low and high",
                accepted="two probabilities, the lower one first",
                given=f"{self.low!r} and {self.high!r}",
            )

    @property
    def NAME(self) -> str:  # noqa: N802 (a constant of other metrics)
        return self.outcome.value

    @property
    def text(self) -> str:
        return written(self.NAME, self.low, self.high, self.positive)

    def check(self, labels: Labels, *predictions: Predictions) -> None:
        class_of_kind(labels, self.positive)
        probabilities(one_each(predictions, accepted="one probability a row"))

    def values(self, labels: Labels, *predictions: Predictions) -> Rows:
        (predicted,) = predictions
        came = np.equal(labels.values, self.positive)
        counts = came if self.outcome is Outcome.POSITIVE else ~came
        return (counts & self.inside(predicted)).astype(np.float64)

    def inside(self, predicted: Predictions) -> np.ndarray[tuple[int, ...], np.dtype[np.bool_]]:
        """Which rows are in the bin: public, as predictions are."""
        above = np.greater_equal(predicted.values, self.low)
        below = np.less(predicted.values, self.high)
        return above & (below | (self.high == 1) & np.equal(predicted.values, 1.0))
