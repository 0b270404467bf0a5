"""Guesses that were made from the holdout's own labels are refused: they would be looks at them."""

import numpy as np
import pytest

import peekproof
from peekproof.core.errors import InvalidInput

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
        peekproof.Holdout(features, labels, training=(features[::-1], labels[::-1]))
    holdout = peekproof.Holdout(features, labels, training=(features + 1, labels))
    with pytest.raises(InvalidInput, match="other rows"):
        holdout.scorer()(_Sign(), features, labels)
    with pytest.raises(InvalidInput, match="other rows"):
        holdout.trained_on(features, labels)
    assert holdout.left == holdout.desk.standing().questions


def test_a_fold_of_the_holdout_is_no_fold_to_guess_from() -> None:
    features, labels = _rows()
    holdout = peekproof.Holdout(features, labels)
    with pytest.raises(InvalidInput, match="other rows"):
        holdout.scorer()(_Sign(), features[:80], labels[:80])
    assert holdout.left == holdout.desk.standing().questions

    changed = features[:80].copy()
    changed[-1] += 1  # one row that is no row of the holdout
    holdout.scorer()(_Sign(), changed, labels[:80])


def test_rows_that_look_alike_are_not_taken_for_the_holdouts() -> None:
    draws = np.random.default_rng(9)
    features, labels = draws.integers(0, 2, (ROWS, 3)), draws.integers(0, 2, ROWS)
    others, theirs = draws.integers(0, 2, (100, 3)), draws.integers(0, 2, 100)
    holdout = peekproof.Holdout(features, labels, training=(others, theirs))
    assert 0 <= holdout.score(_Sign()).value <= 1


def test_the_holdouts_labels_are_no_validation() -> None:
    features, labels = _rows()
    chances = np.random.default_rng(8).random(ROWS)
    holdout = peekproof.Holdout(features, labels)
    with pytest.raises(InvalidInput, match="other rows"):
        holdout.calibration(chances, bins=2, validation=(labels, chances))
    assert holdout.left == holdout.desk.standing().questions
