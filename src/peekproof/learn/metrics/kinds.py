"""What metrics take: labels and predictions of one kind, numbers, probabilities."""

from typing import cast

import numpy as np

from peekproof.core.errors import InvalidInput
from peekproof.learn.column import Labels, Numbers, Predictions
from peekproof.learn.metrics.arguments import Argument

_OFF = 1e-6  # how far the probabilities of all classes may be from 1 together


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


def class_of_kind(labels: Labels, named: Argument) -> None:
    """Refuse a class that no label can be."""
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


def numbers(labels: Labels, predictions: tuple[Predictions, ...]) -> None:
    """Refuse anything but a number for each row, for labels that are numbers."""
    numeric_labels(labels)
    predicted = one_each(predictions, accepted="one number a row")
    if predicted.text:
        raise _refused("one number a row", predicted)


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
    if predicted.text or not ((values >= 0) & (values <= 1)).all():
        raise _refused("probabilities, from 0 to 1", predicted)
    if values.ndim == 2 and not (np.abs(values.sum(axis=1) - 1) <= _OFF).all():
        raise _refused("probabilities that add up to 1 in each row", predicted)


def _refused(accepted: str, predicted: Predictions, hint: str = "") -> InvalidInput:
    kind = "text" if predicted.text else "numbers"
    return InvalidInput(
        argument="predictions",
        accepted=accepted,
        given=f"{kind} of shape {predicted.values.shape}",
        hint=hint,
    )
