"""What metrics take: labels and predictions of one kind, numbers, probabilities."""

import re
from typing import cast

import numpy as np

from peekproof.core.errors import InvalidInput
from peekproof.learn.column import Labels, Numbers, Predictions, first_other, some_classes
from peekproof.learn.metrics.arguments import Argument

# How refusals name a row by its place; a board, whose rows have ids, names these instead.
IN_ROW = re.compile(r" in row ([\d,]+) \(from 0\)")
_OFF = 1e-6  # how far the probabilities of all classes may be from 1 together


def place_of(row: re.Match[str]) -> int:
    """The place that a refusal names."""
    return int(row[1].replace(",", ""))


def one_each(predictions: tuple[Predictions, ...], *, accepted: str) -> Predictions:
    """The predictions, if there is one of them for each row."""
    (predicted,) = predictions
    if predicted.values.ndim != 1:
        raise _refused(accepted, predicted)
    return predicted


def same_kind(labels: Labels, predicted: Predictions) -> None:
    """Refuse predictions that no label can equal."""
    if predicted.values.ndim != 1 or predicted.text != labels.text:
        kind = "text" if labels.text else "numbers"
        hint = "predict labels, not probabilities" if predicted.values.ndim > 1 else ""
        raise _refused(f"one label a row, of {kind} as the labels are", predicted, hint)
    if labels.classes is not None:
        other = first_other(predicted.values, labels.classes)
        if other is not None:
            raise _in_row(f"of the classes {some_classes(labels.classes)}", predicted, other)
    elif not predicted.text:
        _whole(predicted)


def _whole(predicted: Predictions) -> None:
    """Refuse numbers that look like probabilities or regressions, where classes are compared.

    By predictions alone: which classes the labels have is not public unless it was declared.
    """
    values = cast(Numbers, predicted.values)
    parts = values != np.floor(values)
    if parts.any():
        raise _in_row(
            "classes: text or whole numbers",
            predicted,
            int(parts.argmax()),
            hint="score probabilities by brier, log_loss or auc, and numbers by absolute_error, "
            "squared_error or r2; if these are classes, write them as text or whole numbers, in "
            "labels too, or declare them where the holdout is opened: Holdout(…, classes=[…]) or "
            "peekproof holdout create … --classes A,B,…",
        )


def within(predicted: Predictions, low: float, high: float) -> None:
    """Refuse predictions beyond the bounds of a metric: their errors would be cut to the width."""
    values = cast(Numbers, predicted.values)
    beyond = (values < low) | (values > high)
    if beyond.any():
        raise _in_row(
            f"from {low:g} to {high:g}, the bounds of the metric",
            predicted,
            int(beyond.argmax()),
            hint="no error counts more than the width of the bounds: name wider ones, or move "
            "predictions between them, as by numpy.clip",
        )


def class_of_kind(labels: Labels, named: Argument) -> None:
    """Refuse a class that no label can be, by what is public of labels."""
    if isinstance(named, str) != labels.text:
        kind = "texts" if labels.text else "numbers"
        raise InvalidInput(
            argument="metric",
            accepted=f"a class that labels can have, which are {kind}",
            given=repr(named)[:80],
            hint='name it, as in f1("yes"), brier("yes"), log_loss(0.001, "yes"), '
            'balanced_accuracy("yes", "no") or calibration(…, positive="yes")'
            if labels.text
            else "",
        )
    if labels.classes is not None and named not in labels.classes:
        raise InvalidInput(
            argument="metric",
            accepted=f"of a class that labels can have: {some_classes(labels.classes)}",
            given=repr(named)[:80],
        )


def numbers(labels: Labels, predictions: tuple[Predictions, ...]) -> Predictions:
    """The predictions, if they are a number for each row, for labels that are numbers."""
    numeric_labels(labels)
    predicted = one_each(predictions, accepted="one number a row")
    if predicted.text:
        raise _refused("one number a row", predicted)
    return predicted


def numeric_labels(labels: Labels) -> None:
    """Refuse labels that are texts."""
    if labels.text:
        raise InvalidInput(
            argument="metric",
            accepted="one for labels that are text, such as accuracy",
            given="one of numbers",
        )


def probabilities(predicted: Predictions) -> None:
    """Refuse what is no probability, or not one for each class."""
    values = cast(Numbers, predicted.values)
    if predicted.text:
        raise _refused("probabilities, from 0 to 1", predicted)
    beyond = (values < 0) | (values > 1)
    if beyond.any():
        raise _in_row("probabilities, from 0 to 1", predicted, int(np.argwhere(beyond)[0][0]))
    if values.ndim == 2 and not (np.abs(values.sum(axis=1) - 1) <= _OFF).all():
        raise _refused("probabilities that add up to 1 in each row", predicted)


def _in_row(accepted: str, predicted: Predictions, row: int, hint: str = "") -> InvalidInput:
    given = f"{predicted.values[row].tolist()!r}"[:60]
    return InvalidInput(
        argument="predictions",
        accepted=accepted,
        given=f"{given} in row {row:,} (from 0)",
        hint=hint,
    )


def _refused(accepted: str, predicted: Predictions, hint: str = "") -> InvalidInput:
    kind = "text" if predicted.text else "numbers"
    return InvalidInput(
        argument="predictions",
        accepted=accepted,
        given=f"{kind} of shape {predicted.values.shape}",
        hint=hint,
    )
