"""Guesses that were made from the holdout's own labels are refused: they would be looks at them."""

import numpy as np
import pytest

import holdfast
from holdfast.core.errors import InvalidInput

ROWS = 400


def _rows() -> tuple[np.ndarray, np.ndarray]:
    draws = np.random.default_rng(7)
    return draws.normal(size=(ROWS, 3)), (draws.random(ROWS) < 0.5).astype(np.float64)


class _Sign:
    def predict(self, features: np.ndarray) -> np.ndarray:
        return (features[:, 0] > 0).astype(np.float64)


def test_the_holdouts_rows_in_any_order_are_no_training_rows() -> None:
    features, labels = _rows()
    with pytest.raises(InvalidInput, match="other rows"):
        holdfast.Holdout(features, labels, training=(features[::-1], labels[::-1]))
    holdout = holdfast.Holdout(features, labels, training=(features + 1, labels))
    with pytest.raises(InvalidInput, match="other rows"):
        holdout.scorer()(_Sign(), features, labels)
    with pytest.raises(InvalidInput, match="other rows"):
        holdout.trained_on(features, labels)
    assert holdout.left == holdout.desk.standing().questions


def test_the_holdouts_labels_are_no_validation() -> None:
    features, labels = _rows()
    chances = np.random.default_rng(8).random(ROWS)
    holdout = holdfast.Holdout(features, labels)
    with pytest.raises(InvalidInput, match="other rows"):
        holdout.calibration(chances, bins=2, validation=(labels, chances))
    assert holdout.left == holdout.desk.standing().questions
