"""What to expect of a model before the holdout is looked at."""

from dataclasses import dataclass
from typing import final

import numpy as np

from peekproof.core.errors import InvalidInput, PeekproofError
from peekproof.data.public import PublicTable
from peekproof.learn.column import (
    Labels,
    Predictions,
    check_index,
    index_of,
    labels_of,
    predictions_of,
)
from peekproof.learn.composite import Composite
from peekproof.learn.held import LABEL
from peekproof.learn.metric import Metric, Rows
from peekproof.learn.predicting import Predicting, is_model, predicted_by
from peekproof.query.question import parse_question

# What searches and ensembles of scikit-learn remember of their own validation.
_PLAIN = ("accuracy", "r2")
_REMEMBERED = ("best_score_", "oob_score_", "best_validation_score_")


@final
@dataclass(frozen=True, slots=True, eq=False)
class Trained:
    """Training rows: what a model scores on them is a guess at what it scores on others."""

    features: object
    labels: Labels

    def guess(self, model: object, metric: Metric) -> float:
        expected = self.expected(model, metric)
        metric.check(self.labels, expected.predicted)
        return expected.mean(metric)

    def expected(self, model: object, metric: Predicting) -> "Expected":
        """What these rows say of all scores of a model that are made of such predictions."""
        found = predicted_by(model, self.features, metric)
        return Expected(self.labels, predictions_of(found, rows=self.labels.rows))


def trained_rows(given: object) -> Trained | None:
    """Training rows as people give them: a pair of features and labels."""
    if given is None:
        return None
    if not isinstance(given, tuple | list) or len(given) != 2:
        raise InvalidInput(
            argument="training",
            accepted="features and labels, as (X_train, y_train)",
            given=f"a {type(given).__name__}",
        )
    index = index_of(given[0])
    if index is not None:
        check_index(given[1], index, "y of training", rows="X of training")
    return Trained(given[0], labels_of(given[1], "y of training"))


@final
@dataclass(frozen=True, slots=True, eq=False)
class Expected:
    """Labels and predictions of rows that may be looked at."""

    labels: Labels
    predicted: Predictions

    def mean(self, metric: Metric, where: Rows | None = None) -> float:
        """The score over all of these rows, counting 0 where a condition does not hold."""
        values = metric.values(self.labels, self.predicted)
        return float(np.mean(values if where is None else values * where)) * metric.span

    def label_mean(self, metric: Metric) -> float:
        """The same for a metric of labels alone."""
        return float(np.mean(metric.values(self.labels))) * metric.span

    def holds(self, where: str) -> Rows | None:
        """1 for each row for which a condition about labels holds, else 0; None of another one."""
        table = PublicTable({LABEL: self.labels.values})
        try:
            return table.values(parse_question(where, table.schema)).astype(np.float64)
        except PeekproofError:
            return None  # it mentions groups, which these rows do not have, or is wrong


@final
@dataclass(frozen=True, slots=True)
class ExpectedScore:
    """A score to be expected, and how many rows it was measured on, if that is known."""

    score: float
    rows: int | None = None


def expected_score(model: object, metric: Metric, trained: Trained | None) -> ExpectedScore | None:
    """What a model remembers of its validation, else its score on the training rows; or nothing."""
    if not is_model(model):
        return None
    found = remembered(model, metric)
    if found is not None and found <= metric.span:
        return ExpectedScore(found)
    if trained is None:
        return None
    return ExpectedScore(trained.guess(model, metric), trained.labels.rows)


def remembered(model: object, metric: Metric | Composite) -> float | None:
    """What a model itself says its validation score was, if it was by the same metric."""
    if not _by(metric, getattr(model, "scoring", None)):
        return None
    for name in _REMEMBERED:
        found = getattr(model, name, None)
        if isinstance(found, float) and metric.higher and 0 <= found <= 1:
            return float(found)
    return None


def _by(metric: Metric | Composite, scoring: object) -> bool:
    """Whether a model that was validated by `scoring` was validated by the metric.

    Without a word of it, classifiers are scored by accuracy and others by R². Names are those of
    scikit-learn, which most metrics have here, too; a scorer of a holdout knows its metric.
    """
    if scoring is None or scoring == "loss":
        return metric.NAME in _PLAIN
    scored = getattr(scoring, "metric", None)
    return scoring == metric.NAME or getattr(scored, "text", None) == metric.text
