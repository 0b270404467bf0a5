"""Processes and threads that together ask for more than there is."""

from __future__ import annotations

import multiprocessing
import pickle
import threading
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any, get_type_hints

import joblib
import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV

import peekproof
from learn.holdouts import Cut, cuts, opened, rows
from learn.workers import insist, score
from peekproof.core.errors import PeekproofError

BUDGET, ASKED = 20, 48
CUTS = cuts(ASKED)


def check_spent(holdout: peekproof.Holdout, scores: list[float | None]) -> None:
    """Exactly the budget is spent and answered, and the ledger says the same."""
    answered = [each for each in scores if each is not None]
    session = holdout.desk.session
    assert holdout.left == 0
    assert len(holdout.answers()) == session.ledger.draws() == BUDGET
    assert len(answered) == BUDGET
    assert len(scores) == ASKED
    session.ledger.verify()


def test_eight_processes_spend_exactly_the_budget(tmp_path: Path) -> None:
    with opened(tmp_path / "ledger", questions=BUDGET) as holdout:
        afresh = multiprocessing.get_context("forkserver")  # imports once, for all eight
        afresh.set_forkserver_preload(["peekproof.learn.holdout", "pytest"])
        with ProcessPoolExecutor(8, mp_context=afresh) as pool:
            found = list(pool.map(partial(score, holdout), CUTS))
            refused = pool.submit(insist, holdout, 5.0)
            with pytest.raises(peekproof.BudgetExhausted) as caught:
                refused.result()
        assert len({process for process, _, _ in found}) > 1
        assert len({each[:2] for each in found}) == len({process for process, _, _ in found})
        assert caught.value.asked == 1
        check_spent(holdout, [each for _, _, each in found])


def test_eight_threads_spend_exactly_the_budget(tmp_path: Path) -> None:
    start = threading.Barrier(8)

    def some(first: int) -> list[float | None]:
        start.wait()
        return [score(holdout, cut)[2] for cut in CUTS[first::8]]

    with opened(tmp_path / "ledger", questions=BUDGET) as holdout:
        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(some, range(8)))
        check_spent(holdout, [each for several in found for each in several])


def test_a_search_in_processes_charges_the_ledger_of_the_holdout(tmp_path: Path) -> None:
    features, labels = rows(1)
    grid = {"C": [0.001, 0.01, 0.1, 1.0]}
    one = [(np.arange(200), np.arange(200, 400))]
    with opened(tmp_path / "ledger", questions=100) as holdout:
        search = GridSearchCV(LogisticRegression(), grid, cv=one, scoring=holdout.scorer())
        here = search.fit(features, labels).cv_results_["mean_test_score"]
        spent = holdout.left
        with joblib.parallel_config(backend="loky", n_jobs=2):
            there = search.fit(features, labels).cv_results_["mean_test_score"]
            assert there.tolist() == here.tolist()
            assert holdout.left == spent  # the same models, in other processes, are free
            search.set_params(error_score="raise", refit=False).fit(features, 1 - labels)
        assert holdout.left < spent
        holdout.desk.session.ledger.verify()
    joblib.externals.loky.get_reusable_executor().shutdown(wait=True)


def kinds(root: type[PeekproofError] = PeekproofError) -> list[type[PeekproofError]]:
    """All errors that there are."""
    for name in peekproof.__all__:
        getattr(peekproof, name)
    below = [kind for each in root.__subclasses__() for kind in kinds(each)]
    return sorted({root, *below}, key=lambda kind: kind.__name__)


def fields_of(kind: type[PeekproofError]) -> dict[str, type]:
    hints = get_type_hints(kind)
    return {name: hints[name] for name in kind.__dataclass_fields__}


@pytest.mark.parametrize("kind", kinds(), ids=lambda kind: kind.__name__)
def test_every_error_comes_back_from_a_worker_as_it_was(kind: type[PeekproofError]) -> None:
    values = {int: 3, float: 0.5, str: "some", Fraction: Fraction(19, 20)}
    given = {name: values.get(of, "some") for name, of in fields_of(kind).items()}
    error = kind(**given)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is kind
    assert again.fields() == error.fields() == given
    assert str(again) == str(error)


def test_threads_that_ask_the_same_are_charged_once_and_none_counts_as_failed() -> None:
    start = threading.Barrier(8)

    def same(cut: float) -> list[Any]:
        start.wait()
        return [holdout.score(Cut(each), guess=0.8) for each in CUTS[:4]]

    with opened(None, questions=BUDGET) as holdout, ThreadPoolExecutor(8) as pool:
        found = list(pool.map(same, range(8)))
        assert holdout.left == BUDGET - 4
    with opened(None, questions=BUDGET) as alone:
        radii = [alone.score(Cut(each), guess=0.8).radius for each in CUTS[:4]]
    assert all([answer.radius for answer in each] == radii for each in found)
