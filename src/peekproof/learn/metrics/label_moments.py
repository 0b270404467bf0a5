"""What is asked of labels alone, whoever predicts: the parts of a variance."""

from dataclasses import dataclass
from typing import ClassVar, cast, final

import numpy as np

from peekproof.core.errors import InvalidInput
from peekproof.learn.column import Labels, Numbers, Predictions
from peekproof.learn.metric import Rows, Wants
from peekproof.learn.metrics.arguments import finite, width, written
from peekproof.learn.metrics.kinds import numeric_labels
from peekproof.learn.metrics.numeric import Bounded


@final
@dataclass(frozen=True, slots=True)
class LabelMean(Bounded):
    """How far the label, moved into the bounds, is above the lower one."""

    NAME: ClassVar[str] = "label_mean"
    higher: ClassVar[bool] = True

    @property
    def span(self) -> float:
        return width(self.low, self.high)

    def check(self, labels: Labels, *predictions: Predictions) -> None:
        numeric_labels(labels)
        no_predictions(predictions)

    def values(self, labels: Labels, *predictions: Predictions) -> Rows:  # noqa: ARG002
        inside = np.clip(cast(Numbers, labels.values), self.low, self.high)
        return (inside - self.low) / self.span


@final
@dataclass(frozen=True, slots=True)
class LabelSpread:
    """The square of the distance of the label, moved into the bounds, from a centre in them."""

    NAME: ClassVar[str] = "label_spread"
    flag: ClassVar[bool] = False
    higher: ClassVar[bool] = False
    wants: ClassVar[Wants] = Wants.LABEL

    centre: float
    low: float
    high: float

    def __post_init__(self) -> None:
        width(self.low, self.high)
        if not self.low <= finite(centre=self.centre) <= self.high:
            raise InvalidInput(
                argument="centre", accepted="between low and high", given=repr(self.centre)[:80]
            )

    @property
    def reach(self) -> float:
        """From the centre to the bound that is further away."""
        return max(self.high - self.centre, self.centre - self.low)

    @property
    def span(self) -> float:
        return self.reach**2

    @property
    def text(self) -> str:
        return written(self.NAME, self.centre, self.low, self.high)

    def check(self, labels: Labels, *predictions: Predictions) -> None:
        numeric_labels(labels)
        no_predictions(predictions)

    def values(self, labels: Labels, *predictions: Predictions) -> Rows:  # noqa: ARG002
        inside = np.clip(cast(Numbers, labels.values), self.low, self.high)
        return ((inside - self.centre) / self.reach) ** 2


def no_predictions(predictions: tuple[Predictions, ...]) -> None:
    """Refuse predictions where labels alone are asked about: each would be a question anew."""
    if predictions:
        raise InvalidInput(
            argument="metric", accepted="one of predictions", given="one of labels alone"
        )
