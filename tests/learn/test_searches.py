"""Searches of scikit-learn and plain loops: what they get, and what is charged."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    HalvingGridSearchCV,
    RandomizedSearchCV,
    cross_val_score,
    cross_validate,
)

import peekproof
from learn.holdouts import Cut, cuts, opened, rows

GRID = {"C": [0.01, 1.0]}
MODEL = LogisticRegression()


@pytest.fixture
def holdout(tmp_path: Path) -> Iterator[peekproof.Holdout]:
    with opened(tmp_path / "ledger") as made:
        yield made


def charged(holdout: peekproof.Holdout) -> int:
    """How many questions were paid for; the whole ledger is checked first."""
    session = holdout.desk.session
    session.ledger.verify()
    return 100 - holdout.left


def distinct(holdout: peekproof.Holdout) -> int:
    return len(holdout.answers())


def test_a_search_driven_by_folds_is_confirmed_for_one_question(
    holdout: peekproof.Holdout,
) -> None:
    search = GridSearchCV(MODEL, GRID, cv=3).fit(*rows(1))
    answer = holdout.score(search)
    assert answer.value == search.best_score_
    assert charged(holdout) == 1


def test_a_grid_search_scores_every_fold_of_every_candidate(holdout: peekproof.Holdout) -> None:
    scorer = holdout.scorer()
    search = GridSearchCV(MODEL, GRID, cv=3, scoring=scorer).fit(*rows(1))
    assert len(scorer.answers) == 6
    assert charged(holdout) == distinct(holdout) <= 6
    folds = [search.cv_results_[f"split{fold}_test_score"] for fold in range(3)]
    assert {each.value for each in scorer.answers} == set(np.ravel(folds))


def test_training_scores_cost_nothing_and_are_those_of_the_holdout(
    holdout: peekproof.Holdout,
) -> None:
    found = cross_validate(MODEL, *rows(1), cv=3, scoring=holdout.scorer(), return_train_score=True)
    assert found["train_score"].tolist() == found["test_score"].tolist()
    assert charged(holdout) == distinct(holdout) <= 3


def test_several_metrics_are_scored_beside_it(holdout: peekproof.Holdout) -> None:
    found = cross_validate(
        MODEL,
        *rows(1),
        cv=2,
        scoring={"held": holdout.scorer(), "plain": "accuracy"},
        return_train_score=True,
    )
    assert found["test_held"].tolist() == found["test_plain"].tolist()  # all were confirmed
    assert found["train_held"].tolist() == found["test_held"].tolist()
    assert holdout.failures == 0


def test_cross_validation_of_equal_models_is_charged_once(holdout: peekproof.Holdout) -> None:
    features, labels = rows(1)
    model = DummyClassifier(strategy="constant", constant=1)
    found = cross_val_score(model, features, labels, cv=5, scoring=holdout.scorer())
    assert len(set(found)) == 1
    assert charged(holdout) == 1


def test_randomised_and_halving_searches_run_with_it(holdout: peekproof.Holdout) -> None:
    spread = {"C": np.geomspace(0.001, 10, 50)}
    scorer = holdout.scorer()
    randomised = RandomizedSearchCV(
        MODEL, spread, n_iter=2, cv=2, scoring=scorer, random_state=0
    ).fit(*rows(1))
    halving = HalvingGridSearchCV(
        MODEL, GRID, cv=2, scoring=scorer, random_state=0, min_resources=100
    ).fit(*rows(1))
    assert 0.6 < randomised.best_score_ < 1
    assert 0.6 < halving.best_score_ < 1
    assert charged(holdout) == distinct(holdout)
    asked = 2 * 2 + 2 * sum(halving.n_candidates_)
    assert charged(holdout) <= asked < len(scorer.answers)  # halving asks for training scores


def test_threads_share_the_holdout(holdout: peekproof.Holdout) -> None:
    scorer = holdout.scorer()
    with joblib.parallel_config(backend="threading", n_jobs=4):
        GridSearchCV(MODEL, GRID, cv=3, scoring=scorer).fit(*rows(1))
    assert len(scorer.answers) == 6
    assert charged(holdout) == distinct(holdout) <= 6


def test_a_search_beyond_the_budget_has_no_score_for_the_rest(tmp_path: Path) -> None:
    with opened(tmp_path / "small", questions=2) as holdout:
        grid = {"C": [0.001, 0.01, 0.1, 1.0]}
        one = [(np.arange(200), np.arange(200, 400))]  # a single split: one model a candidate
        search = GridSearchCV(MODEL, grid, cv=one, scoring=holdout.scorer(), refit=False)
        with (
            pytest.warns(UserWarning, match="non-finite"),
            pytest.warns(UserWarning, match="Scoring failed"),
        ):
            search.fit(*rows(1))
        found = search.cv_results_["mean_test_score"]
        assert np.isnan(found).any()
        assert holdout.left == 0
        assert distinct(holdout) == 2
        with pytest.raises(peekproof.BudgetExhausted):
            clone(search).set_params(error_score="raise").fit(*rows(2))


def test_a_search_with_weights_is_told_that_the_holdout_has_none(
    holdout: peekproof.Holdout,
) -> None:
    features, labels = rows(1)
    search = GridSearchCV(MODEL, {"C": [1.0]}, cv=2, scoring=holdout.scorer())
    with pytest.warns(UserWarning, match="does not support sample_weight"):
        search.fit(features, labels, sample_weight=np.ones(len(labels)))


def test_a_plain_loop_ends_with_the_budget(tmp_path: Path) -> None:
    features, labels = rows(1)
    kept: list[Any] = []

    def loop(holdout: peekproof.Holdout) -> None:
        for cut in cuts(9):
            guess = float(np.mean(Cut(cut).predict(features) == labels))
            kept.append(holdout.score(Cut(cut), guess=guess, trained_on=len(labels)))

    with opened(tmp_path / "loop", questions=5) as holdout:
        with pytest.raises(peekproof.BudgetExhausted):
            loop(holdout)
        assert len(kept) == 5
        assert holdout.score(Cut(cuts(9)[0])).value == kept[0].value  # what was answered is free
