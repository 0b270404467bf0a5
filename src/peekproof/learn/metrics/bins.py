"""How often the positive class comes, and does not, where its probability is in some bin."""

from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, final

import numpy as np

from peekproof.core.errors import InvalidInput
from peekproof.learn.column import Labels, Predictions
from peekproof.learn.metric import Rows, Wants
from peekproof.learn.metrics.arguments import Argument, class_name, finite, written
from peekproof.learn.metrics.kinds import class_of_kind, one_each, probabilities


class Outcome(Enum):
    """Which rows of a bin count."""

    POSITIVE = "positive_in_bin"
    NEGATIVE = "negative_in_bin"


@final
@dataclass(frozen=True, slots=True)
class InBin:
    """1 where low ≤ p < high and the outcome is this one, else 0; p = 1 is in the bin up to 1."""

    flag: ClassVar[bool] = True
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
