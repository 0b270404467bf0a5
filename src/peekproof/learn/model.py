"""Models: what they predict, by the habits of scikit-learn, and what to expect of their scores."""

import math
from dataclasses import dataclass
from typing import Any, Protocol, final

import numpy as np

from peekproof.core.errors import InvalidInput, PeekproofError
from peekproof.data.table import PublicTable
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
from peekproof.learn.metric import Metric, Rows, Wants, innermost
from peekproof.query.question import parse_question

# What searches and ensembles of scikit-learn remember of their own validation.
_PLAIN = ("accuracy", "r2")
_REMEMBERED = ("best_score_", "oob_score_", "best_validation_score_")


class Predicting(Protocol):
    """What is asked of a metric here; `positive`, if it has one, is the class it is about.

    `of_classes` is what metrics have that compare predicted classes with those of the labels.
    """

    @property
    def wants(self) -> Wants: ...


def is_model(given: object) -> bool:
    """Whether it predicts, and is no prediction itself."""
    return callable(getattr(given, "predict", None)) or (
        callable(given) and not hasattr(given, "__array__")
    )


def predicted_by(model: object, features: object, metric: Predicting) -> object:
    """What the model says about each row: labels, probabilities or numbers, as a metric wants.

    A function of the features is a model, too. Of two classes, the probability of the one that the
    metric is about, if the model says which its classes are; else of the second.
    """
    wants = metric.wants
    if features is None:
        raise InvalidInput(
            argument="model",
            accepted="predictions, where the holdout has no features",
            given=f"a {type(model).__name__}",
            hint="give X to the holdout, or call score with model.predict(X)",
        )
    if getattr(innermost(metric), "of_classes", False) and _is_regressor(model):
        raise InvalidInput(
            argument="model",
            accepted=f"one that predicts classes, for {getattr(metric, 'text', metric)}",
            given=f"a {type(model).__name__}, which is a regressor",
            hint="score numbers by absolute_error, squared_error, pinball or r2; if they stand for "
            "classes, make these of model.predict(X), and score that",
        )
    for name in _methods(wants):
        method = getattr(model, name, None)
        if callable(method):
            found = method(features)
            several = name == Wants.PROBABILITY.value and getattr(found, "ndim", 1) == 2
            return _of_class(found, model, metric) if several else found
    if callable(model):
        return model(features)
    raise InvalidInput(
        argument="model",
        accepted=f"one that has {' or '.join(_methods(wants))}",
        given=f"a {type(model).__name__}",
    )


def _of_class(found: Any, model: object, metric: Predicting) -> object:
    """Of the probabilities of all classes those that the metric takes, in its order of classes."""
    positive = getattr(innermost(metric), "positive", None)
    classes = getattr(model, "classes_", None)
    two = found.shape[1] == 2
    if positive is None or classes is None or len(classes) != found.shape[1]:
        return found[:, 1] if two else found
    named = list(classes)
    if two and positive in named:
        return found[:, named.index(positive)]
    if two or named != list(range(len(named))):
        known = " or ".join(str(each)[:40] for each in named[:5])
        raise InvalidInput(
            argument="metric",
            accepted=f"of a class that the model knows: {known}",
            given=repr(getattr(metric, "text", metric))[:80],
            hint='name it, as in brier(2) or brier("yes")',
        )
    return found


def _is_regressor(model: object) -> bool:
    """Whether scikit-learn would call it one, by what it says of itself: nothing is imported.

    Whole numbers of a regressor look like classes, and only some of them are not whole.
    """
    if getattr(model, "_estimator_type", None) == "regressor":  # before scikit-learn 1.6
        return True
    try:
        return bool(model.__sklearn_tags__().estimator_type == "regressor")  # type: ignore[attr-defined]
    except Exception:  # it is of no such kind, or says nothing before it is fitted
        return False


def _methods(wants: Wants) -> tuple[str, ...]:
    if wants is Wants.NUMBER:
        return Wants.NUMBER.value, Wants.PROBABILITY.value, Wants.LABEL.value
    return (wants.value,)


# What is expected before the holdout is looked at.


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


def seen_rows(validation: tuple[object, object]) -> Expected:
    """Labels and predictions of rows that may be looked at."""
    labels = labels_of(validation[0])
    if index_of(validation[0]) is not None:
        index = index_of(validation[0])
        check_index(validation[1], index, "validation[1]", rows="the labels of validation")
    return Expected(labels, predictions_of(validation[1], rows=labels.rows))


def between(guess: object, low: float, high: float) -> float:
    """A guess, if the score can be so."""
    try:
        found = float(guess)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        found = math.nan
    if not low <= found <= high or math.isinf(found):
        reach = f"from {low:g} to {high:g}" if math.isfinite(low) else f"of at most {high:g}"
        raise InvalidInput(argument="guess", accepted=f"a score {reach}", given=repr(guess)[:80])
    return found
