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


@pytest.mark.one_budget
def test_a_refused_holdout_keeps_no_budget() -> None:
    features, labels = _rows()
    kept = None
    try:
        peekproof.Holdout(features, labels, training=(features, labels))
    except InvalidInput as error:
        kept = error  # as notebooks do, with all that its traceback refers to
    holdout = peekproof.Holdout(features, labels)
    assert kept is not None
    assert holdout.left == holdout.desk.standing().questions


def test_a_fold_of_the_holdout_is_no_fold_to_guess_from() -> None:
    features, labels = _rows()
    holdout = peekproof.Holdout(features, labels)
    with pytest.raises(InvalidInput, match="other rows"):
        holdout.scorer()(_Sign(), features[:80], labels[:80])
    assert holdout.left == holdout.desk.standing().questions

    changed = features[:80].copy()
    changed[:-1] += 1  # one row of the holdout is left among others
    with pytest.raises(InvalidInput, match="1 row of it, the first as training row 79"):
        holdout.scorer()(_Sign(), changed, labels[:80])
    assert holdout.left == holdout.desk.standing().questions
    holdout.scorer()(_Sign(), changed[:-1], labels[:79])


def test_rows_that_look_alike_are_not_taken_for_the_holdouts() -> None:
    draws = np.random.default_rng(9)
    features, labels = draws.integers(0, 2, (ROWS, 3)), draws.integers(0, 2, ROWS)
    others, theirs = draws.integers(0, 2, (100, 3)), draws.integers(0, 2, 100)
    holdout = peekproof.Holdout(features, labels, training=(others, theirs))
    assert 0 <= holdout.score(_Sign()).value <= 1


def test_rows_that_look_alike_within_the_holdout_do_not_hide_the_others() -> None:
    features, labels = _rows()
    features[1] = features[0]
    holdout = peekproof.Holdout(features, labels)
    holdout.trained_on(features[:2], labels[:2])  # either could be any such row
    with pytest.raises(InvalidInput, match="1 row of it"):
        holdout.trained_on(features[:3], labels[:3])


def test_validation_is_told_by_predictions_and_not_by_labels() -> None:
    features, labels = _rows()
    chances = np.random.default_rng(8).random(ROWS)
    said = []
    for theirs in (labels, 1 - labels):
        with pytest.raises(InvalidInput, match="other rows") as refused:
            peekproof.Holdout(features, labels).calibration(
                chances, bins=2, validation=(theirs, chances)
            )
        said.append(str(refused.value))
    assert said[0] == said[1]


def test_the_holdouts_labels_are_no_validation() -> None:
    features, labels = _rows()
    chances = np.random.default_rng(8).random(ROWS)
    holdout = peekproof.Holdout(features, labels)
    with pytest.raises(InvalidInput, match="other rows"):
        holdout.calibration(chances, bins=2, validation=(labels, chances))
    assert holdout.left == holdout.desk.standing().questions


@pytest.mark.parametrize("odd", [0, 1])
def test_a_constant_says_the_same_of_other_rows(odd: int) -> None:
    features, labels = _rows()
    chances = np.full(ROWS, 0.5)
    chances[:odd] = 0.1
    others = np.random.default_rng(3).integers(0, 2, ROWS)
    found = peekproof.Holdout(features, labels).calibration(
        chances, bins=2, validation=(others, chances)
    )
    assert 0 < found[1].rate.low < found[1].rate.high < 1


def test_few_values_in_the_order_of_the_holdout_are_its_own() -> None:
    """A tree of few leaves: its predictions are few, and their order that of the rows."""
    features, labels = _rows()
    chances = np.where(features[:, 0] > 0, 0.7, 0.3)
    holdout = peekproof.Holdout(features, labels)
    with pytest.raises(InvalidInput, match="other rows"):
        holdout.calibration(chances, bins=2, validation=(labels, chances))
    assert holdout.left == holdout.desk.standing().questions
