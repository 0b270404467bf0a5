"""A metric of predictions as a question about rows that have one more column."""

import hashlib
import json
from dataclasses import dataclass
from functools import cached_property
from typing import final

from peekproof.learn.column import Labels, Predictions
from peekproof.learn.composite import Composite
from peekproof.learn.metric import Metric, Rows
from peekproof.learn.metrics.ranked import Ranked
from peekproof.query.question import Question, parse_question
from peekproof.query.schema import Kind, Schema

_DIGITS = 32


def column_name(
    metric: Metric | Composite | Ranked, *predictions: Predictions, order: str = ""
) -> str:
    """What a metric of predictions is called; `order` names that of the rows they are for."""
    said = json.dumps([metric.text, order, *(each.digest for each in predictions)])
    return f"{metric.NAME}_{hashlib.sha256(said.encode()).hexdigest()[:_DIGITS]}"


@final
@dataclass(frozen=True, eq=False)
class Scoring:
    """What each row is worth under a metric, as a column with a name of its own.

    The name follows from what is public, the metric and the predictions, and never from labels:
    the same predictions are the same question, in every process and after every restart.
    """

    metric: Metric
    predictions: tuple[Predictions, ...]
    order: str = ""

    @classmethod
    def of(cls, metric: Metric, labels: Labels, *predictions: Predictions) -> "Scoring":
        """The scoring, if the metric can score such predictions."""
        metric.check(labels, *predictions)
        return cls(metric, predictions, labels.order)

    @cached_property
    def column(self) -> str:
        return column_name(self.metric, *self.predictions, order=self.order)

    @property
    def kind(self) -> Kind:
        return Kind.FLAG if self.metric.flag else Kind.NUMBER

    def text(self, where: str = "") -> str:
        """The question for its mean over all rows, counting 0 where a condition does not hold."""
        if self.metric.flag:
            return f"{self.column} and ({where})" if where else self.column
        worth = f"if({where}, {self.column}, 0)" if where else self.column
        most = repr(float(self.metric.span)).removesuffix(".0")
        return f"mean({worth}, 0, {most})"

    def question(self, schema: Schema, where: str = "") -> Question:
        """The question, in a table with this schema and the column."""
        columns = {**schema.columns, self.column: self.kind}
        complete = schema.complete | {self.column}  # what a row is worth is never missing
        return parse_question(self.text(where), Schema(columns, schema.categories, complete))

    def values(self, labels: Labels) -> Rows:
        return self.metric.values(labels, *self.predictions)
