"""How often one class is found, missed, and seen where it is not: parts of quotients.

Each is a share of all rows, and by itself a metric like any other.
"""

from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, final

import numpy as np

from peekproof.learn.column import Labels, Predictions
from peekproof.learn.metric import Rows, Wants
from peekproof.learn.metrics.arguments import Argument, class_name, written
from peekproof.learn.metrics.kinds import class_of_kind, same_kind


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
