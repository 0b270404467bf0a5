"""Of a model that knows its classes, a metric gets the probability of the one it is about."""

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import peekproof
from peekproof.core.errors import InvalidInput

ROWS = 400
Numbers = npt.NDArray[np.float64]


class _Certain:
    """Knows the label: it is the one feature, the place of a class."""

    def __init__(self, *classes: float | str) -> None:
        self.classes_ = np.array(classes)

    def predict(self, features: Numbers) -> Any:
        return self.classes_[features[:, 0].astype(int)]

    def predict_proba(self, features: Numbers) -> Any:
        return np.eye(len(self.classes_))[features[:, 0].astype(int)]


def _places(classes: int) -> Numbers:
    return np.random.default_rng(9).integers(0, classes, (ROWS, 1)).astype(np.float64)


@pytest.mark.parametrize(
    ("classes", "metric"),
    [
        ((0, 1), "brier"),
        ((0, 1), "brier(0)"),
        ((1, 2), "brier"),
        ((1, 2), "log_loss(0.001, 2)"),
        (("no", "yes"), 'brier("no")'),
        (("no", "yes"), 'rest_of_rest_of_brier("no")'),
        ((0, 1, 2), "log_loss(0.001)"),
    ],
)
def test_a_model_that_is_always_right_loses_nothing(
    classes: tuple[float | str, ...], metric: str
) -> None:
    features, model = _places(len(classes)), _Certain(*classes)
    holdout = peekproof.Holdout(features, model.predict(features), metric=metric)
    assert holdout.score(model, guess=0.0).value == 0


@pytest.mark.parametrize(("classes", "metric"), [((1, 2, 3), "log_loss"), ((2, 3), "brier")])
def test_classes_that_a_metric_would_take_for_others_are_refused(
    classes: tuple[float, ...], metric: str
) -> None:
    features, model = _places(len(classes)), _Certain(*classes)
    holdout = peekproof.Holdout(features, model.predict(features), metric=metric)
    with pytest.raises(InvalidInput, match="class"):
        holdout.score(model, guess=0.0)


def test_calibration_is_that_of_the_class_that_was_named() -> None:
    features, model = _places(2), _Certain("no", "yes")
    holdout = peekproof.Holdout(features, model.predict(features))
    low, high = holdout.calibration(model, bins=2, positive="no")
    assert (low.rate.low, high.rate.high) == (0, 1)
    assert low.rate.high < high.rate.low


def test_labels_that_are_masked_are_refused() -> None:
    with pytest.raises(InvalidInput, match="masked"):
        peekproof.Holdout(None, np.ma.array([0.0] * ROWS, mask=[True] + [False] * (ROWS - 1)))
