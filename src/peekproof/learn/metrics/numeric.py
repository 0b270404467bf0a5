"""How far predicted numbers are off. No error counts more than the distance of two bounds.

The bounds say between which numbers labels lie. They belong to the metric and must not come from
the rows: narrow ones give narrow intervals. Predictions beyond them are refused. Labels beyond
them cannot be, for that would tell that there are some: their errors are cut to the width.
"""

from dataclasses import dataclass
from typing import ClassVar, cast, final

import numpy as np

from peekproof.core.errors import InvalidInput
from peekproof.learn.column import Labels, Numbers, Predictions
from peekproof.learn.metric import Rows, Wants
from peekproof.learn.metrics import kinds
from peekproof.learn.metrics.arguments import finite, width, written


@dataclass(frozen=True, slots=True)
class Bounded:
    """What metrics share whose labels lie between two bounds."""

    NAME: ClassVar[str] = ""
    flag: ClassVar[bool] = False
    wants: ClassVar[Wants] = Wants.LABEL

    low: float
    high: float

    def __post_init__(self) -> None:
        width(self.low, self.high)

    @property
    def text(self) -> str:
        return written(self.NAME, self.low, self.high)


@final
@dataclass(frozen=True, slots=True)
class AbsoluteError(Bounded):
    """|label − prediction|, in the units of the label."""

    NAME: ClassVar[str] = "absolute_error"
    higher: ClassVar[bool] = False

    @property
    def span(self) -> float:
        return width(self.low, self.high)

    def check(self, labels: Labels, *predictions: Predictions) -> None:
        kinds.within(kinds.numbers(labels, predictions), self.low, self.high)

    def values(self, labels: Labels, *predictions: Predictions) -> Rows:
        return np.abs(_errors(labels, predictions, self.span)) / self.span


@final
@dataclass(frozen=True, slots=True)
class SquaredError(Bounded):
    """(label − prediction)², in squares of the units of the label."""

    NAME: ClassVar[str] = "squared_error"
    higher: ClassVar[bool] = False

    @property
    def span(self) -> float:
        return width(self.low, self.high) ** 2

    def check(self, labels: Labels, *predictions: Predictions) -> None:
        kinds.within(kinds.numbers(labels, predictions), self.low, self.high)

    def values(self, labels: Labels, *predictions: Predictions) -> Rows:
        most = width(self.low, self.high)
        return (_errors(labels, predictions, most) / most) ** 2


@final
@dataclass(frozen=True, slots=True)
class Pinball:
    """The loss that the quantile of a level has least of, in the units of the label.

    level·error where the label is above the prediction, and (1 − level)·error where it is below.
    """

    NAME: ClassVar[str] = "pinball"
    flag: ClassVar[bool] = False
    higher: ClassVar[bool] = False
    wants: ClassVar[Wants] = Wants.LABEL

    level: float
    low: float
    high: float

    def __post_init__(self) -> None:
        width(self.low, self.high)
        if not 0 < finite(level=self.level) < 1:
            raise InvalidInput(
                argument="level", accepted="between 0 and 1", given=repr(self.level)[:80]
            )

    @property
    def span(self) -> float:
        return max(self.level, 1 - self.level) * width(self.low, self.high)

    @property
    def text(self) -> str:
        return written(self.NAME, self.level, self.low, self.high)

    def check(self, labels: Labels, *predictions: Predictions) -> None:
        kinds.within(kinds.numbers(labels, predictions), self.low, self.high)

    def values(self, labels: Labels, *predictions: Predictions) -> Rows:
        off = _errors(labels, predictions, width(self.low, self.high))
        loss = np.maximum(self.level * off, (self.level - 1) * off)
        return cast(Rows, np.minimum(loss / self.span, 1.0))


def _errors(labels: Labels, predictions: tuple[Predictions, ...], most: float) -> Rows:
    """Label minus prediction, no further from 0 than `most`."""
    (predicted,) = predictions
    with np.errstate(over="ignore"):  # what overflows is further off than anything counts
        off = cast(Numbers, labels.values) - cast(Numbers, predicted.values)
    return np.clip(off, -most, most)
