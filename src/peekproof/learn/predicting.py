"""What a model predicts, by the habits of scikit-learn."""

from typing import Any, Protocol

from peekproof.core.errors import InvalidInput
from peekproof.learn.metric import Wants


class Predicting(Protocol):
    """What is asked of a metric here; `positive`, if it has one, is the class it is about."""

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
    inner: object = metric
    while hasattr(inner, "of"):
        inner = inner.of
    positive, classes = getattr(inner, "positive", None), getattr(model, "classes_", None)
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


def _methods(wants: Wants) -> tuple[str, ...]:
    if wants is Wants.NUMBER:
        return Wants.NUMBER.value, Wants.PROBABILITY.value, Wants.LABEL.value
    return (wants.value,)
