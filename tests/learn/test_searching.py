"""A search that looks only at what may be the new best."""

from __future__ import annotations

import numpy as np
import pytest

import peekproof
from learn.models import Constant, Squared, coins, right
from peekproof.core.errors import InvalidInput

ROWS = 4_000


def test_a_model_that_does_not_promise_more_is_not_looked_at() -> None:
    rng = np.random.default_rng(1)
    labels = coins(ROWS, rng)
    with peekproof.Holdout(None, labels) as holdout:
        search = holdout.search()
        assert search.best is None
        first = search.offer(right(labels, 0.8, rng), guess=0.8, name="first")
        second = search.offer(right(labels, 0.99, rng), guess=0.8)
        third = search.offer(right(labels, 0.85, rng), guess=0.85, name="third")
        assert (first.asked, second.asked, third.asked) == (True, False, True)
        assert (search.seen, search.asked, holdout.desk.standing().asked) == (3, 2, 2)
        assert search.best is not None
        assert search.best.name == "third"
        assert 0.85 in search.best.answer
    assert [each.best for each in search.history] == [0.8, 0.8, 0.85]
    assert [each.name for each in search.history] == ["first", "model 1", "third"]
    assert "looked at 2 of 3 models" in repr(search)


def test_a_model_that_breaks_its_promise_does_not_become_the_best() -> None:
    rng = np.random.default_rng(2)
    labels = coins(ROWS, rng)
    with peekproof.Holdout(None, labels) as holdout:
        search = holdout.search()
        search.offer(right(labels, 0.8, rng), guess=0.8, name="honest")
        offered = search.offer(right(labels, 0.6, rng), guess=0.99, name="overfitted")
        assert offered.asked
        assert holdout.failures == 1
        assert search.best is not None
        assert search.best.name == "honest"


def test_what_is_told_instead_of_a_failed_guess_can_be_the_best_and_is_what_counts() -> None:
    rng = np.random.default_rng(3)
    labels = coins(ROWS, rng)
    with peekproof.Holdout(None, labels) as holdout:
        search = holdout.search()
        search.offer(right(labels, 0.6, rng), guess=0.6)
        search.offer(right(labels, 0.8, rng), guess=0.99, name="boasted")
        assert search.best is not None
        assert search.best.name == "boasted"
        assert search.best.guess == 0.99
        assert search.best.value == pytest.approx(0.8, abs=0.03)
        assert search.offer(right(labels, 0.9, rng), guess=0.9).asked  # more than 0.8, not 0.99


def test_of_errors_less_is_better() -> None:
    rng = np.random.default_rng(4)
    labels = coins(ROWS, rng)
    with peekproof.Holdout(None, labels) as holdout:
        search = holdout.search(metric=Squared())
        search.offer(right(labels, 0.8, rng), guess=0.2, name="worse")
        assert not search.offer(right(labels, 0.7, rng), guess=0.3).asked
        assert search.offer(right(labels, 0.9, rng), guess=0.1, name="better").asked
        assert search.best is not None
        assert search.best.name == "better"


def test_models_that_say_what_to_expect_need_no_guess() -> None:
    rng = np.random.default_rng(5)
    features, labels = rng.random((ROWS, 2)), right(np.zeros(ROWS, np.int8), 0.75, rng)
    training = features[:100] + 1, np.arange(100) >= 70
    with peekproof.Holdout(features, labels, training=training) as holdout:
        search = holdout.search()
        assert search.offer(Constant(0.0)).guess == 0.7
        assert search.offer(Constant(1.0, 0.25)).guess == 0.25
        assert search.asked == 1


@pytest.mark.parametrize("guess", [None, float("nan"), "good"])
def test_predictions_need_a_guess(guess: object) -> None:
    labels = coins(ROWS, np.random.default_rng(6))
    with peekproof.Holdout(None, labels) as holdout:
        search = holdout.search()
        with pytest.raises(InvalidInput, match="guess must be a score"):
            search.offer(labels, guess=guess)  # type: ignore[arg-type]
        assert (search.seen, holdout.desk.standing().asked) == (0, 0)


def test_a_search_is_told_to_programs_and_notebooks() -> None:
    rng = np.random.default_rng(7)
    labels = coins(ROWS, rng)
    with peekproof.Holdout(None, labels) as holdout:
        search = holdout.search()
        assert "no model was offered yet" in search._repr_html_()
        search.offer(right(labels, 0.8, rng), guess=0.8, name="<b>")
        assert "&lt;b&gt;: 0.8000" in search._repr_html_()
        assert search.best is not None
        assert search.best.to_dict()["name"] == "<b>"
