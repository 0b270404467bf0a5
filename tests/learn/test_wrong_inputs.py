"""Predictions and labels that are not what they are taken for: refused, by row, and for free."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeRegressor

import peekproof
from learn.holdouts import opened, rows
from peekproof.core.errors import InvalidInput

ROWS = 400
FEATURES, LABELS = rows(0)
SHUFFLED = np.random.default_rng(3).permutation(ROWS)
FRAME = pd.DataFrame(FEATURES, index=SHUFFLED)
SERIES = pd.Series(LABELS, index=SHUFFLED)


def refused(holdout: peekproof.Holdout, predictions: object, match: str, **more: object) -> None:
    with pytest.raises(InvalidInput, match=match):
        holdout.score(predictions, **more)  # type: ignore[arg-type]
    assert holdout.left == holdout.desk.standing().questions


def test_predictions_whose_index_is_in_another_order_are_refused() -> None:
    holdout = peekproof.Holdout(FRAME, SERIES)
    refused(holdout, SERIES.sort_index(), f"index 0 in row 0 .from 0., where {SHUFFLED[0]} belongs")
    refused(holdout, pd.Series(LABELS), "in the order of the rows of the holdout, by its index")
    refused(holdout, pd.DataFrame({0: SERIES, 1: SERIES}).sort_index(), "index", metric="log_loss")
    with pytest.raises(InvalidInput, match="by its index"):
        holdout.compare(SERIES, SERIES.sort_index())
    for same in (SERIES, LABELS, SERIES.to_numpy(), SERIES.tolist()):
        assert holdout.score(same, guess=1.0, tolerance=0.1).value == 1.0
    assert holdout.failures == 0


def test_rows_without_an_index_are_numbered() -> None:
    holdout = peekproof.Holdout(FEATURES, LABELS)
    refused(holdout, SERIES, "by its index")
    holdout.score(pd.Series(LABELS), guess=1.0)
    peekproof.Holdout(FEATURES, SERIES).score(SERIES, guess=1.0)


def test_the_index_is_kept_for_analysts_and_other_processes(tmp_path: Path) -> None:
    with peekproof.Holdout(FRAME, SERIES, ledger=tmp_path / "a.peekproof") as holdout:
        again = pickle.loads(pickle.dumps(holdout))
        for each in (again, holdout.as_analyst("ann"), holdout.trained_on(FRAME + 9, SERIES)):
            refused(each, pd.Series(LABELS), "by its index")


def test_labels_groups_and_training_rows_in_another_order_than_features_are_refused() -> None:
    with pytest.raises(InvalidInput, match="y must be in the order of the rows of X, by its index"):
        peekproof.Holdout(FRAME, SERIES.sort_index())
    with pytest.raises(InvalidInput, match=r"groups.'old'. must be in the order of the rows of X"):
        peekproof.Holdout(FRAME, SERIES, groups={"old": SERIES.sort_index() > 0})
    with pytest.raises(InvalidInput, match="y of training must be in the order of X of training"):
        peekproof.Holdout(FRAME, SERIES, training=(FRAME + 9, SERIES.sort_index()))
    with pytest.raises(InvalidInput, match=r"validation\[1\] must be in the order"):
        peekproof.Holdout(None, LABELS).calibration(
            LABELS, bins=2, validation=(SERIES, SERIES.sort_index())
        )


@pytest.mark.parametrize("metric", ["accuracy", "zero_one", "f1", "balanced_accuracy", "recall"])
def test_probabilities_and_regressions_are_no_classes(metric: str) -> None:
    holdout = peekproof.Holdout(FEATURES, LABELS)
    said = LABELS.astype(np.float64)
    said[[5, 9]] = 0.75, 17.5
    refused(holdout, said, "0.75 in row 5 .from 0.; score probabilities by brier", metric=metric)

    class Regressor:
        def predict(self, features: np.ndarray) -> np.ndarray:
            return np.asarray(features[:, 0])

    refused(holdout, Regressor(), "text or whole numbers", metric=metric)


def test_classes_that_are_no_whole_numbers_can_be_declared() -> None:
    halves = LABELS + 0.5
    refused(peekproof.Holdout(None, halves), halves, "classes: text or whole numbers")
    hint = r"write them as text or whole numbers, .* opened: Holdout\(…, classes="
    refused(peekproof.Holdout(None, halves), halves, hint)  # boards and gateways declare none
    holdout = peekproof.Holdout(None, halves, classes=[0.5, 1.5])
    assert holdout.score(halves, guess=1.0).value == 1.0
    refused_later = holdout.left
    with pytest.raises(InvalidInput, match=r"of the classes 0.5, 1.5, got 1.0 in row"):
        holdout.score(np.ceil(halves - 0.5), guess=1.0)
    assert holdout.left == refused_later


def test_a_prediction_that_is_no_declared_class_is_refused() -> None:
    names = np.array(["no", "yes"])[LABELS]
    said = names.copy()
    said[7] = "ye"
    holdout = peekproof.Holdout(None, names, classes=["no", "yes"])
    refused(holdout, said, "of the classes 'no', 'yes', got 'ye' in row 7")
    refused(holdout, names, "a class that labels can have: 'no', 'yes'", metric='recall("oui")')


def test_without_declared_classes_it_is_not_told_which_there_are() -> None:
    """An error for a class that no label has would tell that none has it."""
    holdout = peekproof.Holdout(None, LABELS)
    holdout.score(np.full(ROWS, 7), guess=0.0, tolerance=0.1)
    holdout.score(LABELS, metric="true_positive(7)", guess=0.0, tolerance=0.1)
    assert holdout.failures == 0


@pytest.mark.parametrize(
    ("classes", "match"),
    [
        ([0], "labels of the declared classes, 0, got 1.0 in row"),
        (["a", "b"], "a list of numbers"),
        ("01", "a list of numbers"),
        (1, "a list of numbers"),
        ([], "a list of numbers"),
        ([0, 1, 1], "each once"),
        ([0, 1, None], "missing"),
    ],
)
def test_classes_are_those_of_the_labels(classes: object, match: str) -> None:
    with pytest.raises(InvalidInput, match=match):
        peekproof.Holdout(None, LABELS, classes=classes)


def test_declared_classes_go_along_to_other_processes(tmp_path: Path) -> None:
    place = tmp_path / "a.peekproof"
    with peekproof.Holdout(None, LABELS, classes=[0, 1], ledger=place) as holdout:
        again = pickle.loads(pickle.dumps(holdout))
        refused(again, np.full(ROWS, 2), "of the classes 0, 1, got 2.0 in row 0")


@pytest.mark.parametrize(
    "metric",
    ["absolute_error(0, 1)", "squared_error(0, 1)", "pinball(0.9, 0, 1)", "r2(0, 1)"],
)
def test_predictions_beyond_the_bounds_are_not_cut_in_silence(metric: str) -> None:
    said = LABELS.astype(np.float64)
    said[11] = 1000.0
    holdout = peekproof.Holdout(None, LABELS)
    refused(
        holdout, said, "from 0 to 1, the bounds of the metric, got 1000.0 in row 11", metric=metric
    )


def test_what_is_missing_is_named_by_its_row() -> None:
    with opened(None) as holdout:
        said = LABELS.astype(np.float64)
        said[3] = np.nan
        refused(holdout, said, "missing or infinite, in row 3 .from 0.")
        refused(holdout, pd.Series([None if n == 4 else "a" for n in range(ROWS)]), "in row 4")


@pytest.mark.parametrize(
    "given",
    [
        {"guess": 0.5, "tolerance": 0.5},
        {"guess": 0.8, "tolerance": 0.8},
        {"guess": 2, "tolerance": 3, "metric": "absolute_error(0, 4)"},
        {"guess": 0.5, "tolerance": 0.5, "metric": "f1"},
        {"tolerance": 1, "metric": "auc"},
    ],
)
def test_a_tolerance_that_is_the_whole_scale_is_refused(given: dict[str, object]) -> None:
    refused(opened(None), LABELS, "whole scale and says nothing|would be from 0 to 1", **given)


@pytest.mark.parametrize("metric", ["accuracy", "zero_one", "f1", "balanced_accuracy"])
@pytest.mark.parametrize("wrapped", [False, True])
def test_a_regressor_is_not_scored_by_classes(metric: str, wrapped: bool) -> None:
    """Trees of whole numbers predict whole numbers, which nothing else tells from classes."""
    tree = DecisionTreeRegressor(max_depth=12).fit(FEATURES, LABELS)
    model = GridSearchCV(tree, {"max_depth": [12]}, cv=2).fit(FEATURES, LABELS) if wrapped else tree
    holdout = opened(None)
    with pytest.raises(InvalidInput, match=r"one that predicts classes, for .* which is a regress"):
        holdout.score(model, metric=metric, guess=0.7)
    assert holdout.left == 100
    numbers = holdout.score(model, metric="absolute_error(0, 1)", guess=0.3)
    assert numbers.low < numbers.high


class Old:
    """A regressor as scikit-learn knew them before it had tags."""

    _estimator_type = "regressor"

    def predict(self, features: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> object:
        return np.ones(len(features))


def test_what_calls_itself_a_regressor_is_one() -> None:
    holdout = opened(None)
    refused(holdout, Old(), "one that predicts classes, for accuracy, got a Old, which is a")
    with pytest.raises(InvalidInput, match="which is a regressor"):
        holdout.compare(Old(), LABELS)
    assert holdout.score(np.ones(ROWS), guess=0.5).low < 1
