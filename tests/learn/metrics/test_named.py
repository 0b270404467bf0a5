"""Metrics by name: read, written, refused, made by users, and documented."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peekproof
from peekproof.core.errors import InvalidInput
from peekproof.learn.column import labels_of, predictions_of
from peekproof.learn.metrics.classification import Accuracy
from peekproof.learn.metrics.custom import Worth
from peekproof.learn.metrics.named import COMPOSITES, METRICS, PAIRS, measure_of, metric_of
from peekproof.learn.metrics.quotients import F1, BalancedAccuracy
from peekproof.learn.metrics.regression import Pinball

PAGE = Path(__file__).parents[3] / "docs/reference/metrics.md"

TEXTS = [
    "accuracy",
    "zero_one",
    "brier",
    'brier("it\\"s")',
    "log_loss(0.001)",
    'log_loss(0.01, "ja, é")',
    "absolute_error(-1.5, 1e+20)",
    "squared_error(0, 10)",
    "pinball(0.9, 0, 100)",
    "true_positive(1)",
    "false_positive(2)",
    'false_negative("a")',
    "mistaken(1)",
    "positive_in_bin(0.1, 0.2, 1)",
    "negative_in_bin(0.1, 0.2, 1)",
    "label_mean(0, 1)",
    "label_spread(0.5, 0, 1)",
    "rest_of_brier",
    "precision(1)",
    'recall("yes")',
    "f1(0)",
    "balanced_accuracy(0, 1)",
    'balanced_accuracy("a", "b", "c")',
    "r2(0, 10)",
    "auc(1)",
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_metric_is_read_as_it_is_written(text: str) -> None:
    found = measure_of(text)

    assert found.text == text
    assert measure_of(found.text) == found
    assert measure_of(found) is found


def test_every_name_is_read_somewhere_here() -> None:
    heads = {text.partition("(")[0] for text in TEXTS}
    assert {*METRICS, *COMPOSITES} == heads - {"rest_of_brier"}


@given(st.floats(0.001, 0.999), st.floats(-1e9, 1e9), st.floats(1e-3, 1e9))
def test_all_numbers_come_back(level: float, low: float, width: float) -> None:
    if low + width > low:
        metric = Pinball(level, low, low + width)
        assert metric_of(metric.text) == metric


@given(st.text(alphabet="aZé \"'\\,()\n\0𝄞", max_size=50))
def test_all_classes_come_back(name: str) -> None:
    metric = F1(name)
    assert measure_of(metric.text) == metric


@pytest.mark.parametrize(
    "text",
    [
        "acuracy",
        "",
        "accuracy(",
        "accuracy)",
        "accuracy(1)",
        "absolute_error",
        "absolute_error(1)",
        "absolute_error(2, 1)",
        "absolute_error(0, NaN)",
        "absolute_error(0, Infinity)",
        "absolute_error(0, 1e300)",
        "absolute_error(0, [1])",
        'absolute_error("a", "b")',
        "pinball(1, 0, 1)",
        "log_loss(0)",
        "log_loss(0.6)",
        "brier(true)",
        "positive_in_bin(0.5, 0.4)",
        "label_spread(3, 0, 1)",
        "balanced_accuracy(1)",
        "balanced_accuracy(1, 1)",
        "f1(" + "1, " * 1000 + "1)",
        "rest_of_f1",
        "f1(" + "[" * 900 + ")",
    ],
)
def test_what_names_no_metric_is_refused(text: str) -> None:
    with pytest.raises(InvalidInput):
        measure_of(text)


@pytest.mark.parametrize("given", [None, 3, F1, Accuracy, len])
def test_what_is_no_metric_is_refused(given: object) -> None:
    with pytest.raises(InvalidInput, match="metric must be"):
        measure_of(given)


def test_a_near_name_is_offered() -> None:
    with pytest.raises(InvalidInput, match="did you mean 'balanced_accuracy'"):
        measure_of("balanced_acuracy")


def test_calibration_is_found_where_it_is() -> None:
    with pytest.raises(InvalidInput, match=r"Holdout\.calibration"):
        measure_of("calibration(10)")


def test_a_composite_is_no_mean_over_rows() -> None:
    with pytest.raises(InvalidInput, match=r"Holdout\.score"):
        metric_of("f1")


def test_classes_are_named_once() -> None:
    assert BalancedAccuracy() == BalancedAccuracy(0, 1)
    with pytest.raises(InvalidInput, match="each once"):
        BalancedAccuracy(1, 1.0)


# Custom metrics --------------------------------------------------------------------------------

ROWS = 2000
Y = np.random.default_rng(4).integers(0, 5, ROWS).astype(float)
SAID = Y + np.random.default_rng(5).integers(-2, 3, ROWS)


def test_a_function_of_labels_and_predictions_is_a_metric() -> None:
    near = peekproof.metric(lambda y, said: np.abs(y - said) <= 1, name="within_one")
    answer = peekproof.Holdout(None, Y, metric=near).score(SAID, guess=0.6)

    sample = float(np.mean(np.abs(Y - SAID) <= 1))
    assert answer.low <= sample <= answer.high
    assert str(answer).count("within_one of predictions ") == 1


def test_what_a_function_gives_beyond_0_and_1_for_labels_nobody_made_up_is_the_worst() -> None:
    """An error would tell of the labels, and a number cut to 0 or 1 could flatter the score."""
    for higher, worst in ((True, 0.0), (False, 1.0)):
        wild = peekproof.metric(
            lambda y, _: np.where(y > 3, np.nan, y * 0.75 - 0.75), name="wild", higher=higher
        )
        predicted = predictions_of(SAID, rows=ROWS)
        values = wild.values(labels_of(Y), predicted)
        inside = np.isin(Y, [1.0, 2.0])
        assert values.tolist() == np.where(inside, Y * 0.75 - 0.75, worst).tolist()


@pytest.mark.parametrize(
    ("function", "match"),
    [
        (lambda y, said: np.abs(y - said), r"got \d in row \d+ \(from 0\), if its label were"),
        (lambda y, said: np.sqrt((said - y) / 9), "got nan in row"),
        (lambda *_: 1 / 0, "ZeroDivisionError: division by zero, on made-up labels"),
        (lambda *_: [1.0], "shape"),
        (lambda *_: "text", "ValueError"),
        (lambda y, _: np.full(len(y), 0.5 + 0.5j), "ValueError: the numbers are complex"),
        (lambda y, said: np.ma.masked_equal(y == said, False), "some of the numbers are masked"),
    ],
)
def test_a_function_is_tried_on_made_up_labels_for_free(function: Worth, match: str) -> None:
    holdout = peekproof.Holdout(None, Y, metric=peekproof.metric(function, name="cost"))
    with pytest.raises(InvalidInput, match=match):
        holdout.score(SAID, guess=0.5)

    assert holdout.left == 10_000


@pytest.mark.parametrize("said", [np.zeros(ROWS), np.arange(ROWS) % 2])
def test_costs_above_1_are_found_out_for_labels_that_nobody_predicts(
    said: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> None:
    far = peekproof.metric(lambda y, said: np.abs(y - said) / 2, name="far", higher=False)
    holdout = peekproof.Holdout(None, np.arange(ROWS) % 4, metric=far)
    with pytest.raises(InvalidInput, match=r"got 1\.5 in row \d+ .from 0., if its label were 3"):
        holdout.score(said, guess=0.7)
    assert holdout.left == 10_000
    declared = peekproof.Holdout(None, np.arange(ROWS) % 3, metric=far, classes=[0, 1, 2])
    assert declared.score(np.ones(ROWS), guess=0.33).low > 0.2


def test_texts_that_nobody_predicts_have_to_be_declared() -> None:
    labels = np.array(["no", "yes"] * (ROWS // 2))
    costs = {("no", "yes"): 3.0, ("yes", "no"): 1.0}
    cost = peekproof.metric(
        lambda y, said: [costs.get(each, 0.0) for each in zip(said, y, strict=True)],
        name="cost",
        higher=False,
    )
    holdout = peekproof.Holdout(None, labels, metric=cost)
    with pytest.raises(InvalidInput, match=r"one label is known by predictions.*classes=\[…\]"):
        holdout.score(["no"] * ROWS, guess=0.5)
    assert holdout.left == 10_000
    declared = peekproof.Holdout(None, labels[::-1], metric=cost, classes=["no", "yes"])
    with pytest.raises(InvalidInput, match=r"got 3 in row 0 .from 0., if its label were 'yes'"):
        declared.score(["no"] * ROWS, guess=0.5)
    assert declared.left == 10_000


@pytest.mark.parametrize("classes", [None, range(-2, 7)])
@pytest.mark.parametrize("said", [SAID, np.ones(ROWS)])
@pytest.mark.parametrize(
    "function",
    [
        lambda y, said: np.full(len(y), float(np.mean(y == said) > 0.5)),
        lambda y, said: np.full(len(y), float(np.mean(y == said))),
        lambda y, said: np.abs(y - said) / max(np.abs(y - said).max(), 1e-9),
        lambda y, said: np.argsort(np.argsort(np.abs(y - said), kind="stable")) / len(y),
        lambda y, said: (y == said) * (np.arange(len(y)) % 2),
        lambda y, said: np.roll(y == said, 1),
    ],
)
def test_a_function_that_mixes_rows_is_refused_for_free(
    function: Worth, said: np.ndarray[tuple[int], np.dtype[np.float64]], classes: object
) -> None:
    mixing = peekproof.metric(function, name="whole")
    holdout = peekproof.Holdout(None, Y, metric=mixing, classes=classes)
    with pytest.raises(InvalidInput, match="depends on this row alone"):
        holdout.score(said, guess=0.5)

    assert holdout.left == 10_000


def test_a_function_of_one_row_is_not_refused_for_rounding() -> None:
    weights = np.random.default_rng(6).random((2, 64))

    def worth(y: np.ndarray[tuple[int], np.dtype[np.float64]], said: object) -> object:
        return (np.stack([y, np.asarray(said)], axis=1) @ weights).mean(axis=1) / 20

    answer = peekproof.Holdout(None, Y, metric=peekproof.metric(worth, name="mine")).score(
        np.clip(SAID, 0, 6), guess=0.1
    )
    assert answer.low < answer.high


def test_probabilities_are_not_made_up_to_be_labels() -> None:
    """A function that takes no label but 0 and 1 is tried on these, beside probabilities."""
    labels, chances = np.arange(ROWS) % 2, np.linspace(0.2, 0.8, ROWS)

    def surprise(y: np.ndarray[tuple[int], np.dtype[np.float64]], said: object) -> object:
        chance = {(1.0, True): said, (0.0, False): 1 - np.asarray(said)}
        return np.array(
            [np.asarray(chance[(each, each == 1.0)])[row] for row, each in enumerate(y.tolist())]
        )

    metric = peekproof.metric(surprise, name="surprise", wants="predict_proba")
    answer = peekproof.Holdout(None, labels, metric=metric).score(chances, guess=0.5)
    assert 0.4 < answer.value < 0.6


def test_with_declared_classes_all_that_a_row_can_cost_is_tried() -> None:
    costs = {0.0: 0.1, 1.0: 0.5, 2.0: 3.0, 3.0: 0.2, 4.0: 0.4}
    cost = peekproof.metric(lambda y, _: [costs[each] for each in y.tolist()], name="cost")
    holdout = peekproof.Holdout(None, Y, metric=cost, classes=range(5))
    with pytest.raises(InvalidInput, match=r"got 3 in row 0 \(from 0\), if its label were 2.0"):
        holdout.score(np.ones(ROWS), guess=0.5)
    with pytest.raises(InvalidInput, match=r"KeyError: 9\.0"):
        peekproof.Holdout(None, Y, metric=cost, classes=[0, 1, 3, 4, 9, 2]).score(np.ones(ROWS))

    assert holdout.left == 10_000


@pytest.mark.parametrize("bad", [0.0, 3.0])
def test_a_row_that_a_function_fails_for_counts_as_the_worst(bad: float) -> None:
    """Whether it fails for some label is no outcome of its own: nothing but the mean is told."""

    def failing(y: np.ndarray[tuple[int], np.dtype[np.float64]], _: object) -> object:
        if (y == bad).any():
            raise KeyError(bad)
        return np.ones(len(y))

    holdout = peekproof.Holdout(None, Y, metric=peekproof.metric(failing, name="mine"))
    answer = holdout.score(np.ones(ROWS), guess=0.8, tolerance=0.1)
    assert answer.low <= np.mean(bad != Y) <= answer.high
    assert (holdout.left, holdout.failures) == (9_999, 0)


def test_a_function_cannot_change_the_labels() -> None:
    def spoiling(y: np.ndarray[tuple[int], np.dtype[np.float64]], _: object) -> object:
        y[:] = 0
        return y

    holdout = peekproof.Holdout(None, Y)
    holdout.score(SAID, metric=peekproof.metric(spoiling, name="spoiling"), guess=0.0)
    assert holdout.score(Y, guess=1.0, tolerance=0.1).value == 1.0
    assert holdout.failures == 0


@pytest.mark.parametrize("name", ["accuracy", "f1", "", "two words", "x" * 41, "rest_of_mine", 3])
def test_a_name_that_identifies_nothing_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match="name must be"):
        peekproof.metric(lambda *_: 0, name=name)


def test_what_is_no_function_is_refused() -> None:
    with pytest.raises(InvalidInput, match="function must be"):
        peekproof.metric("accuracy", name="mine")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="wants must be"):
        peekproof.metric(lambda *_: 0, name="mine", wants="fit")


# Documentation ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*METRICS, *COMPOSITES, *PAIRS, "rest_of_"])
def test_every_metric_is_documented(name: str) -> None:
    assert f"| `{name}" in PAGE.read_text()
