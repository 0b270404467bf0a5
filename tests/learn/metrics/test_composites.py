"""Metrics that are made of several means: against scikit-learn, and what they cost."""

from __future__ import annotations

import math

import numpy as np
import pytest
from sklearn import metrics as oracle

import peekproof
from peekproof.core.errors import InvalidInput
from peekproof.derive.derived import Derived
from peekproof.learn.holdout import Holdout
from peekproof.learn.metrics.quotients import BalancedAccuracy

ROWS = 6000
RNG = np.random.default_rng(21)
BINARY = (RNG.random(2 * ROWS) < 0.4).astype(int)
SAID = np.where(RNG.random(2 * ROWS) < 0.2, 1 - BINARY, BINARY)
CLASSES = RNG.integers(0, 3, ROWS)
SAID_CLASSES = np.where(RNG.random(ROWS) < 0.3, (CLASSES + 1) % 3, CLASSES)
NUMBERS = RNG.uniform(20, 30, 2 * ROWS)
CLOSE = np.clip(NUMBERS + RNG.normal(0, 1, 2 * ROWS), 20, 30)


class Remembering:
    """A model that knows what it predicts for each row, by the number of the row."""

    def __init__(self, said: object) -> None:
        self._said = np.asarray(said)

    def predict(self, features: object) -> object:
        return self._said[np.asarray(features)]


HELD, SEEN = np.arange(ROWS), np.arange(ROWS, 2 * ROWS)
Y, P = BINARY[:ROWS], SAID[:ROWS]
NAMES = np.array(["no", "yes"])

CASES = {
    "precision": (Y, P, oracle.precision_score(Y, P)),
    "precision(0)": (Y, P, oracle.precision_score(Y, P, pos_label=0)),
    "recall": (Y, P, oracle.recall_score(Y, P)),
    "f1": (Y, P, oracle.f1_score(Y, P)),
    'f1("yes")': (NAMES[Y], NAMES[P], oracle.f1_score(Y, P)),
    "balanced_accuracy": (Y, P, oracle.balanced_accuracy_score(Y, P)),
    "balanced_accuracy(0, 1, 2)": (
        CLASSES,
        SAID_CLASSES,
        oracle.balanced_accuracy_score(CLASSES, SAID_CLASSES),
    ),
    "f1(2)": (
        CLASSES,
        SAID_CLASSES,
        oracle.f1_score(CLASSES, SAID_CLASSES, labels=[2], average=None)[0],
    ),
    "r2(20, 30)": (NUMBERS[:ROWS], CLOSE[:ROWS], oracle.r2_score(NUMBERS[:ROWS], CLOSE[:ROWS])),
}


@pytest.mark.parametrize("text", CASES)
@pytest.mark.parametrize("guess", ["right", "wrong", "none"])
def test_the_interval_holds_the_number_of_scikit_learn(text: str, guess: str) -> None:
    y, said, value = CASES[text]
    guesses = {"right": value, "wrong": 0.05, "none": None}
    found = peekproof.Holdout(None, y, metric=text).score(said, guess=guesses[guess])

    assert isinstance(found, Derived)
    assert found.low <= value <= found.high
    assert found.high - found.low < (1.5 if guess == "wrong" else 0.9)
    assert found.confidence == 0.95
    assert "T-joint-function" in found.to_dict()["theorems"]  # type: ignore[operator]


@pytest.mark.parametrize("text", ["precision", "recall", "f1", "balanced_accuracy"])
def test_guesses_from_training_rows_pass_part_by_part(text: str) -> None:
    holdout = peekproof.Holdout(HELD, Y, metric=text, training=(SEEN, BINARY[SEEN]))
    found = holdout.score(Remembering(SAID))
    value = CASES[text][2]

    assert holdout.failures == 0
    assert found.low <= value <= found.high
    assert found.high - found.low < 0.25
    assert abs(found.value - value) < 0.05


def test_r2_from_training_rows_fails_no_guess() -> None:
    holdout = peekproof.Holdout(
        HELD, NUMBERS[HELD], metric="r2(20, 30)", training=(SEEN, NUMBERS[SEEN])
    )
    found = holdout.score(Remembering(CLOSE))
    value = CASES["r2(20, 30)"][2]

    assert holdout.failures == 0
    assert found.low <= value <= found.high <= 1
    assert abs(found.value - value) < 0.05


def spent(holdout: Holdout) -> int:
    return 10_000 - holdout.left


def test_parts_are_asked_once_for_all_metrics_and_models() -> None:
    holdout = peekproof.Holdout(HELD, Y, training=(SEEN, BINARY[SEEN]))
    model, other = Remembering(SAID), Remembering(1 - SAID)
    counts = []
    for metric in ("f1", "precision", "recall", "f1"):
        holdout.score(model, metric=metric)
        counts.append(spent(holdout))
    assert counts == [2, 3, 4, 4]

    numbers = peekproof.Holdout(HELD, NUMBERS[HELD], metric="r2(20, 30)")
    numbers.score(CLOSE[HELD], guess=0.9)
    assert spent(numbers) == 3
    numbers.score(CLOSE[HELD] * 0.99 + 0.25, guess=0.9)
    assert spent(numbers) == 4  # what is about labels alone is known
    assert spent(holdout) == 4
    holdout.score(other, metric="precision")
    assert spent(holdout) == 6


def test_the_same_score_is_the_same_answer_for_free() -> None:
    holdout = peekproof.Holdout(None, Y, metric="f1")
    first = holdout.score(P, guess=0.8)
    before = spent(holdout)

    assert holdout.score(P, guess=0.1) == first
    assert spent(holdout) == before


def test_the_next_model_is_guessed_by_the_parts_of_the_last() -> None:
    holdout = peekproof.Holdout(None, Y, metric="f1")
    holdout.score(P)
    failed = holdout.failures
    said = P.copy()
    said[:20] = 1 - said[:20]
    holdout.score(said)

    assert holdout.failures == failed


def test_classes_may_be_below_0_and_come_from_an_array() -> None:
    y, said = 2 * Y - 1, 2 * P - 1
    metric = BalancedAccuracy(*np.unique(y))
    found = peekproof.Holdout(None, y, metric=metric).score(said, guess=0.8)

    assert metric.text == "balanced_accuracy(-1, 1)"
    assert found.low <= oracle.balanced_accuracy_score(y, said) <= found.high


def test_a_class_that_never_comes_says_nothing() -> None:
    with pytest.raises(InvalidInput, match="the interval would be from 0 to 1"):
        peekproof.Holdout(None, np.zeros(ROWS), metric="f1").score(np.zeros(ROWS))


def test_labels_without_variance_bound_r2_from_above_alone() -> None:
    y = np.full(ROWS, 25.0)
    holdout = peekproof.Holdout(None, y, metric="r2(20, 30)")
    with pytest.raises(InvalidInput, match="all numbers of at most 1"):
        holdout.score(y + 1, guess=0.0)  # as small an error as the variance says nothing

    found = holdout.score(y + 5, guess=-1e6)
    assert found.low == -math.inf
    assert found.high < 0


@pytest.mark.parametrize(("metric", "guess"), [("f1", -0.1), ("f1", 1.1), ("r2(0, 1)", 1.1)])
def test_a_guess_that_no_score_can_be_is_refused(metric: str, guess: float) -> None:
    holdout = peekproof.Holdout(None, Y)
    with pytest.raises(InvalidInput, match="guess must be"):
        holdout.score(P, metric=metric, guess=guess)

    assert spent(holdout) == 0


def test_a_class_that_labels_cannot_be_is_refused() -> None:
    for y, said in ((NAMES[Y], NAMES[P]), (Y, NAMES[P])):
        with pytest.raises(InvalidInput):
            peekproof.Holdout(None, y, metric="recall").score(said)
    with pytest.raises(InvalidInput, match="numbers"):
        peekproof.Holdout(None, NAMES[Y], metric="r2(0, 1)").score(P)


def test_a_metric_that_is_not_known_makes_no_ledger(tmp_path: object) -> None:
    place = f"{tmp_path}/ledger.peekproof"
    with pytest.raises(InvalidInput, match="metric"):
        peekproof.Holdout(None, Y, metric="f2", ledger=place)

    peekproof.Holdout(None, Y, metric="f1", questions=7, ledger=place).close()
