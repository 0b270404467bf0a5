"""By how much one prediction is worth more than another."""

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np

from peekproof.core.errors import InvalidInput
from peekproof.learn.column import Labels, Predictions
from peekproof.learn.metric import Metric, Rows, Wants


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
