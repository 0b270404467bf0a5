"""An order of predictions as a question about pairs of rows."""

from dataclasses import dataclass
from functools import cached_property
from typing import final

from peekproof.data.statistic import PairStatistic
from peekproof.learn.column import Labels, Predictions
from peekproof.learn.metrics.ranked import Ranked
from peekproof.learn.scoring import column_name


@final
@dataclass(frozen=True, eq=False)
class Ranking:
    """What pairs are worth, by a name that follows from what is public, as that of a Scoring."""

    metric: Ranked
    predicted: Predictions
    order: str = ""

    @classmethod
    def of(cls, metric: Ranked, labels: Labels, *predictions: Predictions) -> "Ranking":
        """The ranking, if the metric can rank by such predictions."""
        metric.check(labels, *predictions)
        return cls(metric, predictions[0], labels.order)

    @cached_property
    def name(self) -> str:
        return column_name(self.metric, self.predicted, order=self.order)

    def statistic(self, labels: Labels) -> PairStatistic:
        """What is asked of rows with these labels; blank ones do where nothing is evaluated."""
        return PairStatistic(
            name=self.name, function=lambda _: self.metric.halves(labels, self.predicted)
        )
