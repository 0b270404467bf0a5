"""What a holdout says of itself, and what it says to slips of those who use it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

import numpy as np
import polars as pl
import pytest

import peekproof
from learn.holdouts import Cut, opened, rows
from peekproof.core.errors import InvalidInput
from peekproof.learn.desk import Guessed
from peekproof.learn.metrics.named import measure_of
from peekproof.learn.model import remembered
from peekproof.learn.words import next_radius

LABELS = rows(0)[1]
TEXTS = np.where(LABELS == 1, "yes", "no")


def guessed(guess: float) -> str:
    """The words after a score whose guess this was."""
    holdout = opened(None)
    holdout.score(Cut(), guess=guess)
    return holdout.remaining


def test_what_is_left_says_how_far_the_next_interval_reaches() -> None:
    holdout = opened(None)
    for cut in (0.0, 0.1, 0.2):
        said = next_radius(holdout.desk, holdout.metric, 0.8)
        assert said is not None
        answer = holdout.score(Cut(cut), guess=0.8)
        assert answer.radius == pytest.approx(said, rel=1e-12)
    assert "the next one reaches at most about ±0." in holdout.remaining
    assert holdout.remaining.endswith(" in accuracy, if a guess from 400 rows is confirmed")


def test_the_next_interval_does_not_depend_on_what_was_asked_of_the_labels() -> None:
    holdout = opened(None)
    for number in range(3):
        holdout.desk.share(f"label = {number}", Guessed(share=0.01, tolerance=0.2))
    said = next_radius(holdout.desk, holdout.metric, 0.8)
    assert said is not None
    assert holdout.desk.standing().failures > 0
    assert holdout.score(Cut(0.0), guess=0.8).radius == pytest.approx(said, rel=1e-12)


def test_a_failed_guess_makes_the_next_interval_wider_in_words_too() -> None:
    (good, bad) = (guessed(each).partition("±")[2].split()[0] for each in (0.8, 0.1))
    assert float(bad) > float(good)


def test_the_next_interval_is_in_the_units_of_the_metric() -> None:
    plain, wide = (measure_of(each) for each in ("accuracy", "absolute_error(0, 20)"))
    desk = opened(None).desk
    share, said = next_radius(desk, plain, 0.2), next_radius(desk, wide, 4.0)
    assert share is not None
    assert said == 20 * share


def test_nothing_is_said_of_the_next_interval_where_there_is_none() -> None:
    holdout = opened(None, questions=1)
    holdout.score(Cut(), guess=0.8)
    assert holdout.remaining == "0 of 1 scores left, 0 of 1 guesses failed"
    assert next_radius(holdout.desk, holdout.metric, 0.8) is None
    parts = peekproof.Holdout(None, LABELS, metric="f1")
    assert parts.remaining == "10,000 of 10,000 scores left, 0 of 0 guesses failed"


def test_a_closed_holdout_can_be_shown() -> None:
    holdout = opened(None)
    assert "10" in holdout._repr_html_()
    holdout.close()
    assert repr(holdout) == "<Holdout of 400 rows, not open>"
    assert holdout._repr_html_() == "<div>Holdout of 400 rows, not open</div>"


def test_a_notebook_shows_how_much_of_the_budget_is_used() -> None:
    holdout = opened(None, questions=4)
    holdout.score(Cut(), guess=0.8)
    shown = holdout._repr_html_()
    assert "3 of 4 scores left" in shown
    assert "25% used" in shown


def test_what_a_holdout_gives_is_short_where_it_is_looked_at() -> None:
    holdout = opened(None)
    models = {"one": Cut(), "other": Cut(1.5)}
    comparison, best = holdout.compare(*models.values(), guess=0.2), holdout.best(models)
    search = holdout.search()
    offered, ignored = search.offer(Cut(), guess=0.8), search.offer(Cut(1), guess=0.1)
    for each in (comparison, best, offered, ignored, search.best):
        assert repr(each) == f"<{type(each).__name__}: {each}>"
    assert str(ignored).startswith("model 1: not looked at, a guess of 0.1 does not beat 0.")


def test_bars_hold_intervals_of_large_units() -> None:
    values = np.linspace(0, 20, 400)
    holdout = peekproof.Holdout(None, values, metric="absolute_error(0, 20)")
    near, far = np.clip(values + 2, 0, 20), np.full(400, 5.0)
    found, apart = holdout.best([near, far]), holdout.compare(near, far, guess=(2.0, 6.0))
    assert found.answer.value > 1
    assert apart.difference.value < -1
    for shown in (found._repr_html_(), apart._repr_html_()):
        *_, mark = (part.split()[0] for part in shown.split('<path d="M')[1:])
        assert 5 < float(mark) < 215  # between the ends of the axis


def test_groups_may_be_a_data_frame() -> None:
    frame = pl.DataFrame({"region": ["n", "s"] * 200})
    holdout = peekproof.Holdout(None, LABELS, groups=frame)
    by = holdout.score_by(LABELS, "region", values=["n", "s"], guess=0.9)
    assert set(by) == {"n", "s"}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"groups": ["region"]}, "groups must be columns by their names"),
        ({"groups": {"a": [1]}}, "one value for each of the 400 rows, got 1 in 'a'"),
        ({"groups": {"a": 1}}, "one value for each of the 400 rows, got 1 in 'a'"),
        ({"training": np.zeros((3, 2))}, r"training must be features and labels, as \(X_train"),
        ({"training": (np.zeros((3, 2)), [[1, 0]])}, "y of training must be one label a row"),
        ({"metric": "f1('yes')"}, r'such as f1\("yes"\), got .* in double quotation marks'),
        ({"metric": "absolute_error"}, r"such as absolute_error\(0, 100\), got"),
        ({"metric": "rmse"}, r"did you mean 'squared_error\(0, 100\)'"),
        ({"metric": "mean_absolute_error"}, r"did you mean 'absolute_error\(0, 100\)'"),
        ({"metric": max}, r"peekproof.metric\(function, name=…\)"),
    ],
)
def test_a_slip_is_named_with_what_is_accepted(given: dict[str, object], said: str) -> None:
    with pytest.raises(InvalidInput, match=said):
        peekproof.Holdout(None, LABELS, **given)  # type: ignore[arg-type]


def test_a_class_of_text_has_to_be_named_where_it_is_missing() -> None:
    holdout = peekproof.Holdout(None, TEXTS)
    with pytest.raises(InvalidInput, match=r'log_loss\(0.001, "yes"\)'):
        holdout.score(np.full(400, 0.5), metric="log_loss")


@pytest.mark.parametrize("rows", [0, -1, LABELS])
def test_a_guess_is_from_a_number_of_rows(rows: object) -> None:
    holdout = opened(None)
    with pytest.raises(InvalidInput, match="trained_on must be"):
        holdout.score(Cut(), guess=0.8, trained_on=cast(int, rows))
    assert holdout.left == 100


@dataclass(frozen=True)
class Searched:
    """As a search of scikit-learn remembers its own validation."""

    best_score_: float
    scoring: object = None


@pytest.mark.parametrize(
    ("scoring", "metric", "known"),
    [
        (None, "accuracy", True),
        (None, "f1", False),
        ("accuracy", "accuracy", True),
        ("f1", "f1", True),
        ("roc_auc", "accuracy", False),
        (["accuracy", "f1"], "accuracy", False),
        (opened(None).scorer(), "accuracy", True),
        (opened(None).scorer("f1"), "accuracy", False),
    ],
)
def test_what_a_search_remembers_is_a_guess_if_it_was_by_the_same_metric(
    scoring: object, metric: str, known: bool
) -> None:
    found = remembered(Searched(0.75, scoring), measure_of(metric))
    assert found == (0.75 if known else None)


@dataclass(frozen=True)
class Sure:
    """A model of two classes that gives the second one a chance of 0.9, in every row."""

    classes_: tuple[object, ...] | None

    def predict(self, features: np.ndarray) -> np.ndarray:
        raise NotImplementedError

    def predict_proba(self, features: np.ndarray) -> np.ndarray:
        return np.tile([0.1, 0.9], (len(features), 1))


@pytest.mark.parametrize(
    ("classes", "metric", "loss"),
    [
        (("no", "yes"), 'brier("yes")', 0.01),
        (("yes", "no"), 'brier("yes")', 0.81),
        (None, 'brier("yes")', 0.01),
    ],
)
def test_probabilities_are_those_of_the_class_that_the_metric_names(
    classes: tuple[object, ...] | None, metric: str, loss: float
) -> None:
    holdout = peekproof.Holdout(np.zeros((400, 1)), ["yes"] * 400)
    assert holdout.score(Sure(classes), metric=metric, guess=loss).value == loss
    assert holdout.failures == 0


def test_a_class_that_the_model_does_not_know_is_refused() -> None:
    holdout = peekproof.Holdout(np.zeros((400, 1)), [1, 2] * 200)
    with pytest.raises(InvalidInput, match="a class that the model knows: 2 or 3"):
        holdout.score(Sure((2, 3)), metric="brier", guess=0.5)
    assert holdout.score(Sure((1, 2)), metric="brier", guess=0.41).value == 0.41


def test_what_is_left_is_told_as_wide_as_it_comes_after_worthless_predictions() -> None:
    """Their score is near 0, where intervals are narrow; that of the next model is not."""
    holdout = opened(None)
    holdout.score(1 - LABELS, guess=0.8)  # all wrong
    for cut, guess in ((0.0, 0.8), (0.1, 0.6)):
        told = float(holdout.remaining.partition("±")[2].split()[0])
        worthless = next_radius(holdout.desk, holdout.metric, 0.001)
        assert worthless is not None
        answer = holdout.score(Cut(cut), guess=guess)
        assert worthless < answer.radius <= told


@pytest.mark.parametrize("trained", [1, 60, 1_000])
def test_what_is_left_is_told_for_guesses_from_the_training_rows(trained: int) -> None:
    """Few of them say little of the holdout, so there has to be room for what they are off by."""
    holdout = peekproof.Holdout(*rows(1, 4_000), training=rows(2, trained))
    told = float(holdout.remaining.partition("±")[2].split()[0])
    few = "1 row" if trained == 1 else f"{trained:,} rows"
    assert holdout.remaining.endswith(f" in accuracy, if a guess from {few} is confirmed")
    for cut in (0.0, 0.2):
        answer = holdout.score(Cut(cut))
        assert answer.radius <= told
        assert holdout.failures == 0
        told = float(holdout.remaining.partition("±")[2].split()[0])


def test_of_a_metric_that_follows_from_several_answers_no_width_is_told() -> None:
    holdout = peekproof.Holdout(None, LABELS, metric="auc")
    assert "±" not in holdout.remaining
