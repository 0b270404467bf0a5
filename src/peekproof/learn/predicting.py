"""What a model predicts, by the habits of scikit-learn."""

from typing import Any, Protocol

from peekproof.core.errors import InvalidInput
from peekproof.learn.metric import Wants


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
    if getattr(_innermost(metric), "of_classes", False) and _is_regressor(model):
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
    positive = getattr(_innermost(metric), "positive", None)
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


def _innermost(metric: object) -> object:
    """The metric itself, of what is left by it or gained."""
    while (inner := getattr(metric, "of", getattr(metric, "metric", None))) is not None:
        metric = inner
    return metric


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
