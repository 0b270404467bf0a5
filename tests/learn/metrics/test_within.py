"""Scores among some rows, by groups, and by bins of probability."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn import metrics as oracle
from sklearn.calibration import calibration_curve

import peekproof
from peekproof.core.errors import InvalidInput, PeekproofError
from peekproof.derive.derived import Derived
from peekproof.learn.holdout import Holdout

ROWS = 8000
RNG = np.random.default_rng(31)
CHANCE = RNG.random(ROWS)
Y = (RNG.random(ROWS) < CHANCE).astype(int)
SAID = (CHANCE > 0.5).astype(int)
REGION = np.where(RNG.random(ROWS) < 0.4, "south", "the king's")
OLD = RNG.random(ROWS) < 0.5
NUMBERS = CHANCE * 10
SOUTH = REGION == "south"


def holdout(metric: str = "accuracy", **more: object) -> Holdout:
    groups = {"region": REGION, "old": OLD, "a group": CHANCE}
    return peekproof.Holdout(None, Y, metric=metric, groups=groups, **more)  # type: ignore[arg-type]


def test_a_score_among_some_rows_holds_what_the_sample_says() -> None:
    found = holdout().score(SAID, where="region = 'south'", guess=0.75)
    sample = oracle.accuracy_score(Y[SOUTH], SAID[SOUTH])

    assert isinstance(found, Derived)
    assert found.low <= sample <= found.high
    assert found.high - found.low < 0.35
    assert "T-joint-function" in found.to_dict()["theorems"]  # type: ignore[operator]


def test_accuracy_among_the_positive_is_recall() -> None:
    rows = holdout()
    among = rows.score(SAID, where="label = 1", guess=0.75)
    recall = rows.score(SAID, metric="recall", guess=0.75)
    sample = oracle.recall_score(Y, SAID)

    assert among.low <= sample <= among.high
    assert recall.low <= sample <= recall.high


def test_means_among_some_rows_are_in_their_units() -> None:
    found = holdout("absolute_error(0, 10)").score(NUMBERS, where="old", guess=4.5)
    sample = oracle.mean_absolute_error(Y[OLD], NUMBERS[OLD])

    assert found.low <= sample <= found.high
    assert 1 < found.value < 9


def test_composites_among_some_rows() -> None:
    for metric, of in (
        ("f1", oracle.f1_score),
        ("precision", oracle.precision_score),
        ("balanced_accuracy", oracle.balanced_accuracy_score),
    ):
        found = holdout().score(SAID, metric=metric, where="region = 'south'", guess=0.75)
        assert found.low <= of(Y[SOUTH], SAID[SOUTH]) <= found.high


def test_r2_among_some_rows_is_refused_before_anything_is_spent() -> None:
    rows = holdout()
    with pytest.raises(InvalidInput, match="where must be left out for r2"):
        rows.score(SAID, metric="r2(0, 1)", where="old")

    assert rows.left == 10_000


@pytest.mark.parametrize(
    "where",
    [
        "region = 'south') or (label = 1",
        "mean(label, 0, 1)",
        "label = 1 given old",
        "old by region ('south')",
        '["=", ["column", "label"], 1]',
        "unknown = 1",
        "row = 'x'",
        "old or not old or old is null",
        "(",
    ],
)
def test_what_is_no_condition_is_refused_before_anything_is_spent(where: str) -> None:
    rows = holdout()
    for metric in ("accuracy", "f1"):
        with pytest.raises(PeekproofError):
            rows.score(SAID, where=where, metric=metric)

    assert rows.left == 10_000


def test_all_groups_at_once() -> None:
    found = holdout().score_by(SAID, "region", values=["south", "the king's"], guess=0.75)

    assert list(found) == ["south", "the king's"]
    for value, answer in found.items():
        inside = value == REGION
        sample = oracle.accuracy_score(Y[inside], SAID[inside])
        assert answer.low <= sample <= answer.high


def test_true_and_false_need_not_be_told() -> None:
    found = holdout("f1").score_by(SAID, "old", guess=0.75)

    assert list(found) == [True, False]
    for value, answer in found.items():
        inside = value == OLD
        assert answer.low <= oracle.f1_score(Y[inside], SAID[inside]) <= answer.high


def test_values_may_come_as_an_array() -> None:
    side = np.where(OLD, -1.0, 1.5)
    rows = peekproof.Holdout(None, Y, groups={"side": side})
    found = rows.score_by(SAID, "side", values=np.unique(side), guess=0.75)

    assert list(found) == [-1.0, 1.5]
    assert rows.failures == 0


def test_a_group_is_guessed_by_what_holds_for_all() -> None:
    rows = holdout()
    rows.score(SAID, guess=0.75)
    rows.score_by(SAID, "old")

    assert rows.failures == 0


def test_too_small_a_tolerance_is_refused_before_anything_is_spent() -> None:
    rows = holdout()
    for metric in ("accuracy", "f1"):
        with pytest.raises(InvalidInput, match="tolerance must be"):
            rows.score(SAID, metric=metric, where="old", guess=0.75, tolerance=1e-4)
    assert rows.left == 10_000
    wide = rows.score(SAID, where="old", guess=0.75, tolerance=0.12)
    narrow = rows.score(SAID, where="not old", guess=0.75, tolerance=0.06)
    assert wide.high - wide.low > 1.5 * (narrow.high - narrow.low)


@pytest.mark.parametrize("values", [[], "south", ["south", "south"], [None]])
def test_values_that_are_none_are_refused(values: list[str]) -> None:
    with pytest.raises(InvalidInput, match="values must be"):
        holdout().score_by(SAID, "region", values=values)


def test_a_column_is_not_read_as_a_condition() -> None:
    with pytest.raises(InvalidInput, match="column must be"):
        holdout().score_by(SAID, "region` = 'a' or `region", values=["south"])


def test_groups_of_the_same_share_are_free_for_the_next_model() -> None:
    rows = holdout()
    rows.score_by(SAID, "old", guess=0.75)
    before = rows.left
    rows.score_by(1 - SAID, "old", guess=0.25)

    assert before - rows.left == 4


class Model:
    """Gives the only feature as the probability of 1."""

    def predict(self, features: object) -> object:
        return (np.asarray(features)[:, 0] > 0.5).astype(int)

    def predict_proba(self, features: object) -> object:
        chance = np.asarray(features)[:, 0]
        return np.stack([1 - chance, chance], axis=1)


def test_training_labels_say_what_to_expect_among_a_class() -> None:
    half = ROWS // 2
    features = CHANCE[:, None]
    rows = peekproof.Holdout(
        features[:half], Y[:half], training=(features[half:], Y[half:]), groups={"old": OLD[:half]}
    )
    rows.score(Model(), where="label = 1")
    rows.score(Model(), where="old")
    rows.score(Model(), where="old", metric="f1")

    assert rows.failures == 0


# Calibration -----------------------------------------------------------------------------------


def test_calibration_holds_the_curve_of_scikit_learn() -> None:
    other = np.random.default_rng(32)
    seen = other.random(ROWS)
    validation = ((other.random(ROWS) < seen).astype(int), seen)
    rows = holdout()
    found = rows.calibration(CHANCE, bins=10, validation=validation)
    rates, means = calibration_curve(Y, CHANCE, n_bins=10)

    assert len(found) == 10
    assert rows.failures == 0
    assert rows.left == 10_000 - 20
    for each, rate, mean in zip(found, rates, means, strict=True):
        assert each.rate.low <= rate <= each.rate.high
        assert each.predicted == pytest.approx(mean, abs=1e-9)
        assert each.low <= mean <= each.high
    assert len(found.to_dicts()) == 10
    assert str(found).count("\n") == 9


def test_calibration_of_a_model_by_its_training_rows() -> None:
    half = ROWS // 2
    features = CHANCE[:, None]
    rows = peekproof.Holdout(features[:half], Y[:half], training=(features[half:], Y[half:]))
    found = rows.calibration(Model(), bins=4)

    assert rows.failures == 0
    rates, _ = calibration_curve(Y[:half], CHANCE[:half], n_bins=4)
    assert all(each.rate.low <= r <= each.rate.high for each, r in zip(found, rates, strict=True))


def test_a_bin_without_rows_has_a_rate_that_may_be_anything() -> None:
    found = holdout().calibration(CHANCE / 2, bins=2)

    assert found[1].predicted is None
    assert (found[1].rate.low, found[1].rate.high) == (0, 1)


def test_calibration_by_a_class_that_is_a_text() -> None:
    rows = peekproof.Holdout(None, np.where(Y == 1, "yes", "no"))
    found = rows.calibration(CHANCE, bins=2, positive="yes")
    rates, _ = calibration_curve(Y, CHANCE, n_bins=2)

    assert all(each.rate.low <= r <= each.rate.high for each, r in zip(found, rates, strict=True))
    with pytest.raises(InvalidInput, match="class"):
        rows.calibration(CHANCE, bins=2)


@pytest.mark.parametrize("bins", [0, 101, 2.5, True])
def test_bins_that_are_too_few_or_too_many_are_refused(bins: int) -> None:
    with pytest.raises(InvalidInput, match="bins must be"):
        holdout().calibration(CHANCE, bins=bins)


def test_what_is_no_probability_is_not_calibrated() -> None:
    rows = holdout()
    with pytest.raises(InvalidInput, match="probabilities"):
        rows.calibration(NUMBERS)

    assert rows.left == 10_000
