"""What each row is worth: against scikit-learn on the same rows, and certified by a holdout."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as oracle

import peekproof
from peekproof.core.answer import Answer
from peekproof.core.errors import InvalidInput
from peekproof.learn.column import labels_of, predictions_of
from peekproof.learn.metrics.named import metric_of

ROWS = 4000
RNG = np.random.default_rng(11)
BINARY = (RNG.random(ROWS) < 0.3).astype(int)
CHANCE = np.clip(0.3 * BINARY + 0.6 * RNG.random(ROWS), 0.01, 0.99)
SAID = (CHANCE > 0.5).astype(int)
CLASSES = RNG.integers(0, 3, ROWS)
MATRIX = RNG.dirichlet((2, 2, 2), ROWS) * 0.9 + 0.1 / 3
NUMBERS = RNG.normal(50, 8, ROWS)
CLOSE = NUMBERS + RNG.normal(0, 5, ROWS)
TEXTS = np.where(BINARY == 1, "yes", "no")

CASES = {
    "accuracy": (BINARY, SAID, oracle.accuracy_score(BINARY, SAID)),
    "zero_one": (BINARY, SAID, oracle.zero_one_loss(BINARY, SAID)),
    "brier": (BINARY, CHANCE, oracle.brier_score_loss(BINARY, CHANCE)),
    'brier("yes")': (TEXTS, CHANCE, oracle.brier_score_loss(BINARY, CHANCE)),
    "log_loss(0.005)": (BINARY, CHANCE, oracle.log_loss(BINARY, CHANCE)),
    "log_loss": (CLASSES, MATRIX, oracle.log_loss(CLASSES, MATRIX)),
    'log_loss(0.005, "yes")': (TEXTS, CHANCE, oracle.log_loss(BINARY, CHANCE)),
    "absolute_error(0, 100)": (NUMBERS, CLOSE, oracle.mean_absolute_error(NUMBERS, CLOSE)),
    "squared_error(0, 100)": (NUMBERS, CLOSE, oracle.mean_squared_error(NUMBERS, CLOSE)),
    "pinball(0.9, 0, 100)": (
        NUMBERS,
        CLOSE,
        oracle.mean_pinball_loss(NUMBERS, CLOSE, alpha=0.9),
    ),
    "true_positive": (BINARY, SAID, oracle.confusion_matrix(BINARY, SAID)[1, 1] / ROWS),
    "false_positive": (BINARY, SAID, oracle.confusion_matrix(BINARY, SAID)[0, 1] / ROWS),
    "false_negative": (BINARY, SAID, oracle.confusion_matrix(BINARY, SAID)[1, 0] / ROWS),
    "mistaken": (BINARY, SAID, oracle.zero_one_loss(BINARY, SAID)),
    "positive_in_bin(0.2, 0.4)": (
        BINARY,
        CHANCE,
        np.mean(BINARY * (CHANCE >= 0.2) * (CHANCE < 0.4)),
    ),
    "negative_in_bin(0.2, 0.4)": (
        BINARY,
        CHANCE,
        np.mean((1 - BINARY) * (CHANCE >= 0.2) * (CHANCE < 0.4)),
    ),
    "rest_of_accuracy": (BINARY, SAID, oracle.zero_one_loss(BINARY, SAID)),
}


@pytest.mark.parametrize("text", CASES)
def test_the_mean_over_rows_is_the_number_of_scikit_learn(text: str) -> None:
    y, said, value = CASES[text]
    metric, labels = metric_of(text), labels_of(y)
    predicted = predictions_of(said, rows=ROWS)
    metric.check(labels, predicted)

    assert metric.values(labels, predicted).mean() * metric.span == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize("text", CASES)
def test_a_holdout_certifies_it_in_its_own_units(text: str) -> None:
    y, said, value = CASES[text]
    holdout = peekproof.Holdout(None, y, metric=text)
    guessed = holdout.score(said, guess=value)
    assert isinstance(guessed, Answer)

    assert holdout.failures == 0
    assert guessed.low <= value <= guessed.high
    assert guessed.high - guessed.low < metric_of(text).span / 4
    # A guess that is far off is corrected to a bin that holds the sample.
    other = peekproof.Holdout(None, y, metric=text).score(said, guess=metric_of(text).span * 0.75)
    assert other.low <= value <= other.high
    assert other.value == pytest.approx(value, abs=0.01 * metric_of(text).span)


@pytest.mark.parametrize(
    ("text", "value"),
    [("label_mean(20, 80)", NUMBERS.mean() - 20), ("label_spread(50, 0, 100)", 64)],
)
def test_moments_of_labels_take_no_predictions(text: str, value: float) -> None:
    metric, labels = metric_of(text), labels_of(NUMBERS)
    metric.check(labels)

    assert metric.values(labels).mean() * metric.span == pytest.approx(value, rel=0.05)
    with pytest.raises(InvalidInput, match="labels alone"):
        peekproof.Holdout(None, NUMBERS).score(CLOSE, metric=text)


FINITE = st.floats(allow_nan=False, allow_infinity=False)
BOUNDS = ["absolute_error(-1, 3)", "squared_error(0, 1e-3)", "pinball(0.05, 0, 1e150)"]


@given(st.lists(st.tuples(FINITE, FINITE), min_size=1, max_size=20), st.sampled_from(BOUNDS))
def test_errors_of_any_numbers_are_worth_0_to_1(rows: list[tuple[float, float]], text: str) -> None:
    y, said = (np.array(column) for column in zip(*rows, strict=True))
    values = metric_of(text).values(labels_of(y), predictions_of(said, rows=len(y)))

    assert ((values >= 0) & (values <= 1)).all()


@given(
    st.lists(st.tuples(FINITE, st.floats(0, 1)), min_size=1, max_size=20),
    st.sampled_from(["brier", "log_loss", "log_loss(1e-9, 3)", "positive_in_bin(0.9, 1)"]),
)
def test_probabilities_for_any_labels_are_worth_0_to_1(
    rows: list[tuple[float, float]], text: str
) -> None:
    y, said = (np.array(column) for column in zip(*rows, strict=True))
    values = metric_of(text).values(labels_of(y), predictions_of(said, rows=len(y)))

    assert ((values >= 0) & (values <= 1)).all()


@given(st.lists(FINITE, min_size=1, max_size=20))
def test_moments_of_any_labels_are_worth_0_to_1(y: list[float]) -> None:
    for text in ("label_mean(-2, 5)", "label_spread(1, -2, 5)"):
        values = metric_of(text).values(labels_of(y))
        assert ((values >= 0) & (values <= 1)).all()


def test_errors_count_no_more_than_the_width() -> None:
    labels, predicted = labels_of([0.0, 0.0]), predictions_of([500.0, -1.0], rows=2)

    for text, second in (("absolute_error(0, 10)", 0.1), ("squared_error(0, 10)", 0.01)):
        values = metric_of(text).values(labels, predicted)
        assert values.tolist() == [1, pytest.approx(second, rel=1e-12)]


def test_a_label_that_is_no_class_has_the_worst_log_loss() -> None:
    predicted = predictions_of([[0.5, 0.5], [0.5, 0.5]], rows=2)

    assert metric_of("log_loss").values(labels_of([7.0, 0.5]), predicted).tolist() == [1, 1]


def test_the_last_bin_holds_certainty() -> None:
    predicted = predictions_of([0.95, 1.0, 0.9, 0.5], rows=4)
    last, half = metric_of("positive_in_bin(0.9, 1)"), metric_of("positive_in_bin(0.4, 0.9)")

    assert last.values(labels_of([1, 1, 1, 1]), predicted).tolist() == [1, 1, 1, 0]
    assert half.values(labels_of([1, 1, 1, 1]), predicted).tolist() == [0, 0, 0, 1]


WRONG = {
    "brier": (BINARY, SAID * 2.0),
    "log_loss": (CLASSES, MATRIX * 2),
    'brier("yes")': (BINARY, CHANCE),
    "absolute_error(0, 1)": (TEXTS, CHANCE),
    "squared_error(0, 1)": (BINARY, TEXTS),
    "pinball(0.5, 0, 1)": (CLASSES, MATRIX),
    "true_positive": (TEXTS, TEXTS),
    "accuracy": (TEXTS, BINARY),
    "zero_one": (CLASSES, MATRIX),
}


@pytest.mark.parametrize("text", WRONG)
def test_what_cannot_be_scored_is_refused_before_anything_is_spent(text: str) -> None:
    y, said = WRONG[text]
    holdout = peekproof.Holdout(None, y)
    with pytest.raises(InvalidInput):
        holdout.score(said, metric=text)

    assert holdout.left == 10_000


def test_a_guess_is_in_the_units_of_the_metric() -> None:
    holdout = peekproof.Holdout(None, NUMBERS, metric="absolute_error(0, 100)")
    assert holdout.score(CLOSE, guess=4.0, tolerance=9.0).value == 4.0
    with pytest.raises(InvalidInput, match="from 0 to 100"):
        holdout.score(CLOSE, guess=101)


def test_the_next_guess_is_the_last_answer_for_the_same_metric() -> None:
    holdout = peekproof.Holdout(None, NUMBERS, metric="absolute_error(0, 100)")
    holdout.score(CLOSE, guess=4.0)
    holdout.score(CLOSE + 0.01)

    assert holdout.failures == 0
