"""The scorer by hand, and what scikit-learn asks of scorers."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import check_scoring, get_scorer
from sklearn.model_selection import GridSearchCV

import peekproof
from learn.holdouts import Array, Cut, opened, rows


@pytest.fixture
def holdout() -> Iterator[peekproof.Holdout]:
    with opened(None) as made:
        yield made


def test_the_score_on_the_fold_is_the_guess_and_the_answer_that_of_the_holdout(
    holdout: peekproof.Holdout,
) -> None:
    features, labels = rows(1)
    scorer = holdout.scorer()
    found = scorer(Cut(), features, labels)

    assert found == np.mean(Cut().predict(features) == labels)  # confirmed: the guess stands
    assert (holdout.left, holdout.failures) == (99, 0)
    assert scorer.last is not None
    assert scorer.last.value == found
    assert scorer.last.low < found < scorer.last.high
    assert scorer.answers == (scorer.last,)


def test_a_guess_that_fails_is_corrected_by_the_rows_of_the_holdout(
    holdout: peekproof.Holdout,
) -> None:
    features, labels = rows(1)
    found = holdout.scorer()(Cut(), features, 1 - labels)  # on this fold it is mostly wrong

    held, truth = rows(0)
    assert abs(found - np.mean(Cut().predict(held) == truth)) < 0.1
    assert np.mean(Cut().predict(features) == 1 - labels) < 0.3
    assert holdout.failures == 1


def test_the_guess_says_how_many_rows_it_was_made_from(
    holdout: peekproof.Holdout, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = []
    ask = type(holdout.desk).ask

    def noting(self: object, scoring: object, guess: object, **rest: object) -> object:
        asked.append(guess)
        return ask(self, scoring, guess, **rest)  # type: ignore[arg-type]

    monkeypatch.setattr(type(holdout.desk), "ask", noting)
    holdout.scorer(tolerance=0.3)(Cut(), *rows(1, 50))
    (guess,) = asked
    assert (guess.trained_on, guess.tolerance) == (50, 0.3)  # type: ignore[attr-defined]


def test_the_same_predictions_are_charged_once_whatever_the_fold(
    holdout: peekproof.Holdout,
) -> None:
    scorer = holdout.scorer()
    first = scorer(Cut(), *rows(1))
    assert scorer(Cut(), *rows(2)) == first
    assert scorer(Cut(), *rows(3, 30)) == first
    assert holdout.left == 99
    assert [getattr(each, "drawn", None) for each in scorer.answers] == [True, False, False]


def test_losses_are_negated_and_their_answers_are_not(holdout: peekproof.Holdout) -> None:
    scorer = holdout.scorer("zero_one")
    found = scorer(Cut(), *rows(1))
    assert scorer.last is not None
    assert -0.3 < found < -0.1
    assert scorer.last.value == -found
    assert scorer._sign == -1
    assert "greater_is_better=False" in repr(scorer)


def test_guesses_may_come_from_a_function_or_from_the_holdout(
    holdout: peekproof.Holdout,
) -> None:
    def sure(model: object, features: object, labels: object) -> float:
        return 0.79

    assert holdout.scorer(guess=sure)(Cut(), *rows(1)) == 0.79
    assert holdout.scorer(guess=None)(Cut(0.01), *rows(1)) == 0.79  # the last answer
    assert holdout.scorer()(Cut(0.02), rows(1)[0]) == 0.79  # a search without labels
    with pytest.raises(peekproof.InvalidInput, match="guess"):
        holdout.scorer(guess="train")  # type: ignore[arg-type]
    with pytest.raises(peekproof.InvalidInput, match="guess"):
        holdout.scorer(guess=lambda *_: 2.0)(Cut(0.5), *rows(1))


def test_weights_are_refused_before_anything_is_asked(holdout: peekproof.Holdout) -> None:
    features, labels = rows(1)
    with pytest.raises(peekproof.InvalidInput, match="sample_weight"):
        holdout.scorer()(Cut(), features, labels, sample_weight=np.ones(len(labels)))
    assert holdout.left == 100


def test_routing_leaves_weights_to_fit_and_refuses_them_for_scores(
    holdout: peekproof.Holdout,
) -> None:
    features, labels = rows(1, 60)
    scorer = holdout.scorer()
    with sklearn.config_context(enable_metadata_routing=True):
        assert scorer.set_score_request(sample_weight=False) is scorer
        for wanted in (True, "weights"):
            with pytest.raises(peekproof.InvalidInput, match="sample_weight"):
                scorer.set_score_request(sample_weight=wanted)
        model = DummyClassifier().set_fit_request(sample_weight=True)
        search = GridSearchCV(model, {"strategy": ["prior"]}, scoring=scorer, cv=2)
        search.fit(features, labels, sample_weight=np.ones(60))
        several = GridSearchCV(
            model,
            {"strategy": ["prior"]},
            scoring={
                "held": scorer,
                "plain": get_scorer("accuracy").set_score_request(sample_weight=True),
            },
            refit="held",
            cv=2,
        )
        several.fit(features, labels, sample_weight=np.ones(60))
    assert scorer.answers


def test_scikit_learn_takes_it_for_a_scorer(holdout: peekproof.Holdout) -> None:
    scorer = holdout.scorer()
    assert check_scoring(LogisticRegression(), scoring=scorer) is scorer
    assert get_scorer(scorer) is scorer
    assert (scorer._sign, scorer._response_method) == (1, "predict")
    assert repr(scorer) == "HoldoutScorer('accuracy', guess='validation')"

    features, labels = rows(1)
    both = check_scoring(LogisticRegression(), scoring={"held": scorer, "again": scorer})
    found = both(Cut(), features, labels)
    assert found == {"held": scorer.answers[0].value, "again": scorer.answers[0].value}
    assert holdout.left == 99


def test_copies_are_the_scorer_itself_and_clones_of_a_search_keep_it(
    holdout: peekproof.Holdout,
) -> None:
    scorer = holdout.scorer()
    search = GridSearchCV(LogisticRegression(), {"C": [1.0]}, scoring=scorer)
    assert copy.copy(scorer) is scorer
    assert copy.deepcopy(scorer) is scorer
    assert clone(search).scoring is scorer
    assert clone(search).get_params()["scoring"] is scorer
    assert "HoldoutScorer" in repr(search)


def test_a_scorer_pickles_with_its_holdout_and_without_its_answers(tmp_path: Path) -> None:
    with opened(tmp_path / "ledger") as holdout:
        scorer = holdout.scorer("zero_one", tolerance=0.2)
        first = scorer(Cut(), *rows(1))
        again = pickle.loads(pickle.dumps(scorer))
        assert again.answers == ()
        assert repr(again) == repr(scorer)
        assert again(Cut(), *rows(1)) == first
        assert holdout.left == 99


def test_models_that_give_texts_are_scored_as_well() -> None:
    features, labels = rows(0)
    names: Array = np.array(["no", "yes"])
    with peekproof.Holdout(features, names[labels], questions=10) as holdout:
        found = holdout.scorer()(lambda given: names[Cut().predict(given)], *_named(names))
        assert 0.7 < found < 0.9


def _named(names: Array) -> tuple[Array, Array]:
    features, labels = rows(1)
    return features, names[labels]
