"""Reading the labels of a holdout off its refusals: what is free tells nothing about them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt
import pytest

import peekproof
from peekproof.core.errors import InvalidInput

ROWS = 2_000
Array = npt.NDArray[np.float64]


def _held(seed: int) -> tuple[Array, Array]:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(ROWS, 3)), rng.integers(0, 2, ROWS).astype(np.float64)


def _said(ask: Callable[[], object]) -> str:
    """What an attempt is told: an error in its words, or nothing."""
    try:
        ask()
    except InvalidInput as refused:
        return str(refused)
    return ""


def test_training_rows_do_not_tell_a_label() -> None:
    """One row with one label was refused exactly if that was its label."""
    features, labels = _held(1)
    holdout = peekproof.Holdout(features, labels)

    def told(place: int, label: float) -> str:
        row = slice(place, place + 1)
        return _said(lambda: holdout.trained_on(features[row], [label]))

    assert all(told(place, 0.0) == told(place, 1.0) for place in range(ROWS))
    assert holdout.left == holdout.desk.standing().questions


def test_all_training_rows_do_not_tell_whether_all_labels_are_right() -> None:
    features, labels = _held(2)
    wrong = labels.copy()
    wrong[7] = 1 - wrong[7]
    said = {
        _said(partial(peekproof.Holdout, features, labels, training=(features, y)))
        for y in (labels, wrong, labels[::-1])
    }
    assert len(said) == 1
    assert "other rows" in said.pop()


def test_a_nearest_neighbour_of_the_holdouts_rows_gets_no_guess_from_them() -> None:
    """A thousand rows of the holdout were taken for training rows, if one other was with them."""
    features, labels = _held(3)
    features, labels = features[:1_000], labels[:1_000]
    mixed = np.vstack([features, [[9.0, 9.0, 9.0]]]), np.append(labels, 1.0)

    def nearest(asked: Array) -> Array:
        apart = ((asked[:, None, :] - mixed[0][None, :, :]) ** 2).sum(axis=2)
        return np.asarray(mixed[1][apart.argmin(axis=1)])

    holdout = peekproof.Holdout(features, labels)
    with pytest.raises(InvalidInput, match="1,000 rows of it, the first as training row 0"):
        holdout.trained_on(*mixed).score(nearest)
    with pytest.raises(InvalidInput, match="1,000 rows of it"):
        holdout.scorer()(nearest, *mixed)
    assert holdout.answers().to_dicts() == []
