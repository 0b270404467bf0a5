"""Quotients whose intervals would hold everything are refused before their parts are charged."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import pytest

import peekproof
from peekproof.core.errors import InvalidInput

Array = npt.NDArray[np.int64]


def _rows(count: int, rate: float) -> tuple[Array, Array]:
    """Labels of which so many are 1, and predictions that are right in four rows of five."""
    rng = np.random.default_rng(count)
    labels = (np.arange(count) < rate * count).astype(np.int64)
    return labels, np.where(rng.random(count) < 0.8, labels, 1 - labels)


def _spent(holdout: peekproof.Holdout) -> int:
    return holdout.desk.standing().asked


@pytest.mark.parametrize("guess", [None, 0.8])
def test_an_area_that_is_anything_from_0_to_1_costs_nothing(guess: float | None) -> None:
    labels, said = _rows(100, 0.5)
    holdout = peekproof.Holdout(None, labels)
    with pytest.raises(InvalidInput, match="the interval would be from 0 to 1") as refused:
        holdout.score(said, metric="auc", guess=guess)
    assert "more than about 0." in str(refused.value)
    assert "pairs of rows" in str(refused.value)
    assert _spent(holdout) == 0


@pytest.mark.parametrize("metric", ["recall", "precision", "f1", "auc"])
def test_of_a_rare_class_its_share_alone_is_paid_for(metric: str) -> None:
    """That it is rare is not public before; with the answer for its share it is."""
    labels, said = _rows(400, 0.02)
    holdout = peekproof.Holdout(None, labels)
    for _ in range(2):
        with pytest.raises(InvalidInput, match="the interval would be from 0 to 1"):
            holdout.score(said, metric=metric, guess=0.5)
        assert _spent(holdout) == 1


def test_classes_of_which_none_says_anything_cost_their_shares() -> None:
    labels = np.arange(120) % 3
    holdout = peekproof.Holdout(None, labels)
    with pytest.raises(InvalidInput, match="the interval would be from 0 to 1"):
        holdout.score(labels, metric="balanced_accuracy(0, 1, 2)")
    assert _spent(holdout) == 3


def test_one_class_that_says_something_is_enough() -> None:
    labels, said = _rows(1_000, 0.5)
    found = peekproof.Holdout(None, labels).score(said, metric="balanced_accuracy(0, 1, 2)")
    assert 0 < found.low < found.high < 1


def test_what_refuses_does_not_depend_on_labels() -> None:
    """With the same public past, guess and rows, all labels are refused in the same words."""
    said = {}
    for rate in (0.0, 0.3, 1.0):
        labels, _ = _rows(100, rate)
        with pytest.raises(InvalidInput) as refused:
            peekproof.Holdout(None, labels).score(np.arange(100) % 2, metric="auc", guess=0.7)
        said[rate] = str(refused.value)
    assert len(set(said.values())) == 1


def test_what_was_answered_stays_free() -> None:
    labels, said = _rows(400, 0.5)
    holdout = peekproof.Holdout(None, labels)
    first = holdout.score(said, metric="recall", guess=0.8)
    for guess in range(30):  # failed guesses widen what comes later
        holdout.score(np.roll(said, guess + 1), guess=0.0)
    again = holdout.score(said, metric="recall", guess=0.5)
    assert holdout.failures > 20
    assert (again.low, again.high) == (first.low, first.high)


def test_bins_of_which_none_says_anything_cost_nothing() -> None:
    chance = (np.arange(1_000) + 0.5) / 1_000
    holdout = peekproof.Holdout(None, (np.arange(1_000) % 7 < 3).astype(np.int64))
    with pytest.raises(InvalidInput, match="the interval would be from 0 to 1") as refused:
        holdout.calibration(chance, bins=20)
    assert "fewer groups or bins" in str(refused.value)
    assert _spent(holdout) == 0
    assert len(holdout.calibration(chance, bins=4)) == 4


def test_bins_that_are_known_to_be_full_are_answered() -> None:
    """Predictions are public: where all are in two bins, these say something for any guess."""
    labels = np.arange(1_000) % 2
    holdout = peekproof.Holdout(None, labels)
    found = holdout.calibration(np.where(labels == 1, 0.975, 0.025), bins=20)
    assert found[0].rate.high < 0.5 < found[19].rate.low


def test_validation_says_which_bins_are_full() -> None:
    labels = np.arange(1_000) % 2
    validation = labels[:300], np.where(labels[:300] == 1, 0.96, 0.04)
    holdout = peekproof.Holdout(None, labels)
    found = holdout.calibration(np.where(labels == 1, 0.975, 0.025), bins=20, validation=validation)
    assert found[0].rate.high < 0.3 < 0.7 < found[19].rate.low


def test_groups_of_which_none_says_anything_cost_nothing() -> None:
    labels, said = _rows(1_500, 0.5)
    holdout = peekproof.Holdout(None, labels, groups={"shop": np.arange(1_500) % 60})
    with pytest.raises(InvalidInput, match="the interval would be from 0 to 1"):
        holdout.score_by(said, "shop", values=range(60))
    assert _spent(holdout) == 0


def test_a_group_that_says_nothing_does_not_take_the_others_with_it() -> None:
    labels, said = _rows(1_500, 0.5)
    holdout = peekproof.Holdout(None, labels, groups={"rare": np.arange(1_500) < 5})
    found = holdout.score_by(said, "rare", guess=0.8)
    assert found[False].low > 0.5
    assert (found[True].low, found[True].high) == (0, 1)


@pytest.mark.parametrize(("metric", "most"), [("accuracy", 1), ("absolute_error(0, 4)", 4)])
def test_of_a_rare_condition_its_share_alone_is_paid_for(metric: str, most: float) -> None:
    labels, said = _rows(400, 0.02)
    holdout = peekproof.Holdout(None, labels)
    for _ in range(2):
        with pytest.raises(InvalidInput, match=f"the interval would be from 0 to {most}"):
            holdout.score(said, metric=metric, where="label = 1", guess=0.5)
        assert _spent(holdout) == 1
    found = holdout.score(said, metric=metric, where="label = 0", guess=0.5)
    assert (found.low, found.high) != (0, most)


def test_a_variance_that_is_not_told_from_0_is_all_that_is_paid_for() -> None:
    labels = np.random.default_rng(2).normal(size=1_000) / 2
    holdout = peekproof.Holdout(None, labels)
    for _ in range(2):
        with pytest.raises(InvalidInput, match="all numbers of at most 1"):
            holdout.score(labels, metric="r2(-6, 6)")
        assert _spent(holdout) == 2  # of labels alone


def test_errors_that_are_large_say_something_beside_any_variance() -> None:
    labels = np.random.default_rng(2).normal(size=1_000) / 2
    found = peekproof.Holdout(None, labels).score(labels * 0 + 5, metric="r2(-6, 6)", guess=-100)
    assert found.low == -math.inf
    assert found.high < -1


@pytest.mark.parametrize(
    "where", ["label = 9", "label in (1, 9)", "shop = 1 and not (label = 2 or label = 9)"]
)
def test_a_class_that_was_not_declared_is_no_condition(where: str) -> None:
    labels = np.arange(900) % 3
    holdout = peekproof.Holdout(None, labels, classes=[0, 1, 2], groups={"shop": labels})
    for metric in ("accuracy", "f1"):
        with pytest.raises(InvalidInput, match=r"classes that labels can have: 0, 1, 2, got 9\.0"):
            holdout.score(labels, metric=metric, where=where)
    with pytest.raises(InvalidInput, match="classes that labels can have"):
        holdout.score_by(labels, "label", values=[0, 1, 9])
    assert _spent(holdout) == 0
    assert holdout.score(labels, where="label in (0, 1) and label < 9", guess=1.0).low > 0.5


@pytest.mark.parametrize(
    "asked",
    [
        lambda holdout: holdout.calibration((np.arange(300) + 0.5) / 300, bins=50),
        lambda holdout: holdout.score_by(np.arange(300) % 2, "shop", values=range(60)),
        lambda holdout: holdout.score(np.arange(300) % 2, where="shop = 7", guess=0.5),
    ],
)
def test_that_some_rows_say_nothing_does_not_depend_on_labels(
    asked: Callable[[peekproof.Holdout], object],
) -> None:
    said = set()
    for rate in (0.0, 0.3, 1.0):
        labels, _ = _rows(300, rate)
        holdout = peekproof.Holdout(None, labels, groups={"shop": np.arange(300) % 60})
        with pytest.raises(InvalidInput, match="the interval would be from 0 to 1") as refused:
            asked(holdout)
        said.add(str(refused.value))
    assert len(said) == 1


@pytest.mark.parametrize("metric", ["f1", "precision"])
def test_a_part_that_was_answered_and_says_nothing_is_no_reason_to_ask_for_another(
    metric: str,
) -> None:
    labels, said = _rows(1_000, 0.02)
    holdout = peekproof.Holdout(None, labels)
    holdout.score(said, metric="balanced_accuracy")
    spent = _spent(holdout)
    with pytest.raises(InvalidInput, match="true_positive, answered before and not told from 0"):
        holdout.score(said, metric=metric)
    assert _spent(holdout) == spent  # the sizes of both classes were paid for


@pytest.mark.parametrize("metric", ["recall", "balanced_accuracy(1, 7)"])
def test_a_part_that_was_scored_by_itself_says_no_more(metric: str) -> None:
    labels, said = _rows(1_000, 0.02)
    holdout = peekproof.Holdout(None, labels)
    holdout.score(said, metric="false_negative(1)", guess=0.01)
    for _ in range(2):
        with pytest.raises(InvalidInput, match="the interval would be from 0 to 1"):
            holdout.score(said, metric=metric)
        assert _spent(holdout) == (2 if metric == "recall" else 3)


def test_a_part_that_was_answered_and_told_from_0_says_something() -> None:
    labels, said = _rows(1_000, 0.5)
    holdout = peekproof.Holdout(None, labels)
    assert holdout.score(said, metric="true_positive(1)", guess=0.4).low > 0
    assert holdout.score(said, metric="recall", guess=0.99).low > 0


def test_sizes_that_were_paid_for_are_counted_in_the_refusal() -> None:
    labels = np.arange(120) % 3
    holdout = peekproof.Holdout(None, labels, groups={"shop": labels})
    paid = "3 questions were asked for the sizes of classes; they are free from now on"
    for told in (True, False):
        with pytest.raises(InvalidInput, match="the interval would be from 0 to 1") as refused:
            holdout.score(labels, metric="balanced_accuracy(0, 1, 2)")
        assert (paid in str(refused.value)) is told
    with pytest.raises(InvalidInput, match="1 question was asked for the size of the group; it is"):
        holdout.score(labels, where="shop = 7")
