"""What metrics take: labels and predictions of one kind, and arguments in parentheses.

And whether two functions say the same, as far as that can be seen.
"""

import json
import math
import re
from collections.abc import Callable
from contextlib import suppress
from numbers import Real
from types import CodeType, FunctionType
from typing import cast

import numpy as np

from peekproof.core.errors import InvalidInput
from peekproof.learn.column import (
    Labels,
    Numbers,
    Predictions,
    first_other,
    has_half_characters,
    some_classes,
)

Argument = float | str

# Numbers that are a part of a smaller square would have lost digits.
_LEAST_SQUARE = 1e-290


def read(text: str) -> list[Argument]:
    """Numbers, and texts in double quotation marks, with commas between; else a ValueError."""
    found = json.loads(f"[{text}]", parse_constant=_refused_argument)
    for each in found:
        if isinstance(each, bool) or not isinstance(each, int | float | str):
            raise ValueError("neither a number nor a text")
    return [each if isinstance(each, str) else float(each) for each in found]


def _refused_argument(constant: str) -> float:
    raise ValueError(constant)


def written(name: str, *arguments: Argument) -> str:
    """The metric as `read` reads it."""
    if not arguments:
        return name
    return f"{name}({', '.join(_written(each) for each in arguments)})"


def _written(argument: Argument) -> str:
    if isinstance(argument, str):
        return json.dumps(argument, ensure_ascii=False)
    return repr(float(argument)).removesuffix(".0")


def finite(**named: object) -> float:
    """The one number given, if it is one that a double is: others would be written as it is."""
    ((name, value),) = named.items()
    if not isinstance(value, bool) and isinstance(value, Real):
        with suppress(OverflowError):
            found = float(value)
            if math.isfinite(found) and found == value:
                return found
    raise InvalidInput(argument=name, accepted="a finite number", given=repr(value)[:80])


def class_name(**named: object) -> Argument:
    """The one class given: the number or the text that labels of this class are."""
    ((name, value),) = named.items()
    if not isinstance(value, str):
        return finite(**{name: value})
    if has_half_characters(value):
        raise InvalidInput(argument=name, accepted="text of whole characters", given="half of one")
    return value


def width(low: object, high: object) -> float:
    """How far two bounds are apart, if its square is a number too."""
    found = finite(high=high) - finite(low=low)
    if not (found > 0 and _LEAST_SQUARE < found * found < math.inf):
        raise InvalidInput(
            argument="low and high",
            accepted="two numbers, the lower one first, whose distance can be squared",
            given=f"{low!r} and {high!r}",
        )
    return found


# How refusals name a row by its place; a board, whose rows have ids, names these instead.
IN_ROW = re.compile(r" in row ([\d,]+) \(from 0\)")
_OFF = 1e-6  # how far the probabilities of all classes may be from 1 together


def place_of(row: re.Match[str]) -> int:
    """The place that a refusal names."""
    return int(row[1].replace(",", ""))


def one_each(predictions: tuple[Predictions, ...], *, accepted: str) -> Predictions:
    """The predictions, if there is one of them for each row."""
    predicted, *others = predictions
    if others:
        raise InvalidInput(
            argument="against",
            accepted="left out: this metric scores one set of predictions",
            given=f"{len(predictions)} of them",
        )
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


def same_function(one: Callable[..., object], other: Callable[..., object]) -> bool:
    """Whether they are one function, or were written alike: defined again, say, in a notebook."""
    if one is other:
        return True
    if not isinstance(one, FunctionType) or not isinstance(other, FunctionType):
        return type(one) is type(other) and bool(one == other)
    try:
        return bool(_said(one) == _said(other))
    except ValueError:  # what they close over cannot be compared
        return False


def _said(function: FunctionType) -> tuple[object, ...]:
    inside = tuple(each.cell_contents for each in function.__closure__ or ())
    return _code(function.__code__), function.__defaults__, function.__kwdefaults__, inside


def _code(code: CodeType) -> tuple[object, ...]:
    """What it does; not in which line it stands."""
    constants = tuple(
        _code(each) if isinstance(each, CodeType) else (type(each), each) for each in code.co_consts
    )
    return code.co_code, code.co_names, constants
