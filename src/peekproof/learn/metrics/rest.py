"""What a metric leaves to the most that a row can be worth: the other part of a rate."""

from dataclasses import dataclass
from typing import ClassVar, final

from peekproof.learn.column import Labels, Predictions
from peekproof.learn.metric import Metric, Rows, Wants


@final
@dataclass(frozen=True, slots=True)
class Rest:
    """1 minus what a row is worth under another metric."""

    PREFIX: ClassVar[str] = "rest_of_"

    of: Metric

    @property
    def NAME(self) -> str:  # noqa: N802 (a constant of other metrics)
        return self.PREFIX + self.of.NAME

    @property
    def flag(self) -> bool:
        return self.of.flag

    @property
    def higher(self) -> bool:
        return not self.of.higher

    @property
    def wants(self) -> Wants:
        return self.of.wants

    @property
    def span(self) -> float:
        return self.of.span

    @property
    def text(self) -> str:
        return self.PREFIX + self.of.text

    def check(self, labels: Labels, *predictions: Predictions) -> None:
        self.of.check(labels, *predictions)

    def values(self, labels: Labels, *predictions: Predictions) -> Rows:
        return 1 - self.of.values(labels, *predictions)
