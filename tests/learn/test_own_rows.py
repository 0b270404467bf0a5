"""Guesses that were made from the holdout's own labels are refused: they would be looks at them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse  # type: ignore[import-untyped]

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
    for copy in (features, features.astype(np.float32), np.repeat(features, 2, axis=0)):
        with pytest.raises(InvalidInput, match="other rows"):
            holdout.scorer()(_Sign(), copy, np.resize(labels, len(copy)))
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


POPULATIONS: dict[str, Callable[[np.random.Generator, int], np.ndarray]] = {
    "three flags": lambda draws, rows: draws.integers(0, 2, (rows, 3)),
    "three rare flags": lambda draws, rows: (draws.random((rows, 3)) < 0.03).astype(int),
    "ten flags": lambda draws, rows: draws.integers(0, 2, (rows, 10)),
    "fourteen flags": lambda draws, rows: draws.integers(0, 2, (rows, 14)),
    "seventeen flags": lambda draws, rows: draws.integers(0, 2, (rows, 17)),
    "ages": lambda draws, rows: draws.integers(18, 88, (rows, 1)),
    "shares of a hundred": lambda draws, rows: draws.integers(0, 101, (rows, 1)) / 100,
    "arms of a trial": lambda _, rows: np.repeat(np.arange(4), rows // 4)[:, None],
    "one measurement": lambda draws, rows: draws.normal(size=(rows, 1)),
}


@pytest.mark.parametrize("population", POPULATIONS)
def test_rows_that_look_alike_are_not_taken_for_the_holdouts(population: str) -> None:
    draws = np.random.default_rng(9)
    for rows, others in ((40, 40), (ROWS, 80), (ROWS, ROWS), (ROWS, 4_000)):
        for _ in range(5):
            features = POPULATIONS[population](draws, rows)
            labels, theirs = draws.integers(0, 2, rows), draws.integers(0, 2, others)
            more = POPULATIONS[population](draws, others)
            peekproof.Holdout(features, labels, training=(more, theirs))


@pytest.mark.parametrize("population", ["fourteen flags", "seventeen flags", "one measurement"])
def test_many_rows_in_common_are_no_chance_where_some_are(population: str) -> None:
    draws = np.random.default_rng(10)
    features, labels = POPULATIONS[population](draws, ROWS), draws.integers(0, 2, ROWS)
    order = draws.permutation(ROWS)
    with pytest.raises(InvalidInput, match="other rows"):
        peekproof.Holdout(features, labels, training=(features[order], labels[order]))


def test_few_values_in_the_order_of_the_holdouts_rows_are_its_rows() -> None:
    draws = np.random.default_rng(11)
    features, labels = draws.integers(0, 2, (ROWS, 3)), draws.integers(0, 2, ROWS)
    with pytest.raises(InvalidInput, match="all 400 rows of it, in their order"):
        peekproof.Holdout(features, labels, training=(features, labels))
    design = np.arange(ROWS)[:, None] % 4  # whoever repeats the trial has the same
    peekproof.Holdout(design, labels, training=(design, draws.integers(0, 2, ROWS)))


def test_rows_that_are_there_twice_are_told_like_others() -> None:
    features, labels = _rows()
    features[1] = features[0]
    holdout = peekproof.Holdout(features, labels)
    with pytest.raises(InvalidInput, match="2 rows of it, the first as training row 0"):
        holdout.trained_on(features[:2], labels[:2])
    with pytest.raises(InvalidInput, match="1 row of it, the first as training row 0"):
        holdout.trained_on(features[7:8], labels[7:8])


@pytest.mark.parametrize("times", [2, 3, 10])
def test_repeating_all_rows_does_not_hide_them(times: int) -> None:
    features, labels = (np.repeat(each, times, axis=0) for each in _rows())
    with pytest.raises(InvalidInput, match=f"{times} rows of it, the first as training row 0"):
        peekproof.Holdout(features, labels, training=(features[:times], labels[:times]))


def test_repeating_some_rows_does_not_hide_the_others() -> None:
    features, labels = _rows()
    features, labels = np.vstack([features, features[:100]]), np.append(labels, labels[:100])
    holdout = peekproof.Holdout(features, labels)
    for row in (0, 300):
        with pytest.raises(InvalidInput, match="1 row of it"):
            holdout.trained_on(features[row : row + 1], labels[row : row + 1])


def _negated_nan(values: np.ndarray) -> np.ndarray:
    return np.where(np.isnan(values), np.copysign(np.nan, -1.0), values)


FRAME = pd.DataFrame(_rows()[0], columns=["a", "b", "c"])
MISSING = FRAME.assign(c=np.nan)
TEXTS = [f"document {row}" for row in range(ROWS)]
MIXED = pd.DataFrame({"n": range(ROWS), "t": TEXTS})
SPARSE = sparse.random(ROWS, 30, 0.3, random_state=1, format="csr")
COPIES: dict[str, tuple[object, object]] = {
    "32 bits": (FRAME.to_numpy(), FRAME.to_numpy().astype(np.float32)),
    "32 bits held": (FRAME.astype(np.float32), FRAME),
    "columns in another order": (FRAME, FRAME[["c", "a", "b"]]),
    "another sign of NaN": (MISSING.to_numpy(), _negated_nan(MISSING.to_numpy())),
    "pandas.NA": (
        MISSING.assign(t=TEXTS),
        MISSING.assign(t=TEXTS, c=pd.array([pd.NA] * ROWS, dtype="Float64")),
    ),
    "another zero": (FRAME.assign(c=0.0).to_numpy(), FRAME.assign(c=-0.0).to_numpy()),
    "whole numbers": (MIXED, MIXED.assign(n=MIXED["n"] * 1.0)),
    "categories": (MIXED, MIXED.assign(t=pd.Categorical(TEXTS))),
    "objects": (MIXED, MIXED.to_numpy()),
    "pandas and Polars": (MIXED, pl.DataFrame({"n": range(ROWS), "t": TEXTS})),
    "a column of pandas": (pd.Series(TEXTS), pd.Series(TEXTS)),
    "a column of Polars": (pl.Series(TEXTS), pl.Series(TEXTS)),
    "an array of texts": (np.array(TEXTS), pd.Series(TEXTS)),
    "a list of texts": (TEXTS, pd.Series(TEXTS)),
    "a column of numbers": (FRAME["a"], FRAME[["a"]]),
    "Arrow": (pa.table({"a": FRAME["a"], "b": FRAME["b"]}), FRAME[["a", "b"]]),
    "a dictionary": ({"a": FRAME["a"].to_numpy(), "t": TEXTS}, FRAME[["a"]].assign(t=TEXTS)),
    "lazy": (FRAME, pl.DataFrame(dict(FRAME)).lazy()),
    "sparse": (SPARSE, SPARSE.tocoo()),
    "dense": (SPARSE, SPARSE.toarray()),
    "numbers of rows": (np.arange(ROWS)[:, None], np.arange(ROWS)[::-1, None]),
    "dictionaries": (
        [{"a": row} if row % 2 else {"b": row} for row in range(ROWS)],
        np.array([{"a": row} if row % 2 else {"b": row} for row in range(ROWS)], dtype=object),
    ),
    "patterns for names": (
        MIXED.rename(columns={"n": "^n.*$", "t": ""}),
        MIXED.rename(columns={"n": "^n.*$", "t": ""}),
    ),
    "images": (FRAME.to_numpy().reshape(ROWS, 3, 1), FRAME),
}


class _Tensor:
    """What says itself how it becomes an array, as tensors do."""

    def __init__(self, values: np.ndarray) -> None:
        self._values = values

    def __len__(self) -> int:
        return len(self._values)

    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        return self._values


COPIES["tensors"] = (_Tensor(FRAME.to_numpy()), FRAME)


@pytest.mark.parametrize("copy", COPIES)
def test_copies_are_the_holdouts_rows_whatever_holds_them(copy: str) -> None:
    labels = _rows()[1]
    held, copied = COPIES[copy]
    for features, theirs in ((held, copied), (copied, held)):
        with pytest.raises(InvalidInput, match="400 rows of it"):
            peekproof.Holdout(features, labels, training=(theirs, labels))


class _Unknown:
    """Rows that nobody can look at."""


@pytest.mark.parametrize("whose", ["the holdout", "training"])
def test_rows_that_cannot_be_compared_are_no_training_rows(whose: str) -> None:
    features, labels = _rows()
    pair = (_Unknown(), features) if whose == "the holdout" else (features, _Unknown())
    with pytest.raises(InvalidInput, match=f"got X of {whose}"):
        peekproof.Holdout(pair[0], labels, training=(pair[1], labels))


def test_without_features_there_is_nothing_to_compare_and_nothing_to_guess() -> None:
    features, labels = _rows()
    holdout = peekproof.Holdout(None, labels, training=(features, labels))
    with pytest.raises(InvalidInput, match="no features"):
        holdout.score(_Sign())


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
