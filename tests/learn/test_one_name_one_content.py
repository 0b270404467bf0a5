"""What has one name in the ledger is one thing: texts, numbers, functions, rows."""

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pytest

import peekproof
from peekproof.core.errors import InvalidInput
from peekproof.learn.desk import Guessed
from peekproof.learn.metrics.classification import Count, Counted
from peekproof.learn.metrics.custom import metric
from peekproof.learn.metrics.named import measure_of

ROWS = 400
SMILE, HALVES = "\U0001f600", "\ud83d\ude00"  # JSON writes both alike


def _labels() -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    return (np.random.default_rng(5).random(ROWS) < 0.5).astype(np.float64)


def test_halves_of_characters_are_refused_for_they_would_share_the_digest_of_whole_ones() -> None:
    holdout = peekproof.Holdout(None, [SMILE] * ROWS)
    with pytest.raises(InvalidInput, match="whole characters"):
        holdout.score(np.array([HALVES] * ROWS), guess=0.0)
    assert holdout.score(np.array([SMILE] * ROWS), guess=1.0).value == 1
    with pytest.raises(InvalidInput, match="whole characters"):
        Counted(Count.TRUE_POSITIVE, HALVES)
    with pytest.raises(InvalidInput, match="whole characters"):
        peekproof.Holdout(None, [HALVES] * ROWS)


def test_a_class_that_is_no_double_is_refused_for_it_would_be_written_as_one() -> None:
    with pytest.raises(InvalidInput):
        Counted(Count.TRUE_POSITIVE, Fraction(1, 3))  # type: ignore[arg-type]
    assert Counted(Count.TRUE_POSITIVE, Fraction(1, 2)).text == "true_positive(0.5)"  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", [np.int64, np.uint64, object])
def test_whole_numbers_that_doubles_do_not_tell_apart_are_refused(kind: type) -> None:
    large: npt.NDArray[Any] = np.array(range(2**53, 2**53 + ROWS), dtype=kind)
    with pytest.raises(InvalidInput, match="below"):
        peekproof.Holdout(None, large)
    holdout = peekproof.Holdout(None, _labels())
    with pytest.raises(InvalidInput, match="below"):
        holdout.score(large, guess=0.0)


@pytest.mark.parametrize(
    "text",
    [
        f"squared_error(0, 1{'0' * 400})",
        "gain(" * 500 + "accuracy" + ")" * 500,
        "rest_of_" * 500 + "accuracy",
        "squared_error(-1e-160, 1e-160)",
    ],
)
def test_a_metric_out_of_reach_is_refused_and_nothing_else_happens(text: str) -> None:
    with pytest.raises(InvalidInput):
        measure_of(text)


def test_labels_and_groups_are_those_that_were_given_whatever_becomes_of_the_arrays() -> None:
    labels, group = np.array(["a", "b"] * (ROWS // 2)), np.arange(ROWS, dtype=np.float64)
    predicted = labels.copy()
    holdout = peekproof.Holdout(None, labels, groups={"g": group})
    labels[:], group[:] = "z", 0
    assert holdout.score(predicted, guess=1.0).value == 1
    assert holdout.desk.share(f"g < {ROWS // 2}", Guessed(share=0.5)).value == 0.5


def test_another_function_under_the_name_of_one_is_refused_and_the_same_written_again_is_not() -> (
    None
):
    holdout, labels = peekproof.Holdout(None, _labels()), _labels()
    right = metric(lambda y, p: y == p, name="mine")
    again = metric(lambda y, p: y == p, name="mine")
    wrong = metric(lambda y, p: y != p, name="mine")
    assert holdout.score(labels, metric=right, guess=1.0).value == 1
    assert holdout.score(labels, metric=again, guess=1.0).value == 1
    assert holdout.left == holdout.desk.standing().questions - 1
    with pytest.raises(InvalidInput, match="another name"):
        holdout.score(labels, metric=wrong, guess=0.0)
    with pytest.raises(InvalidInput, match="another name"):
        holdout.compare(labels, 1 - labels, metric=wrong)


def test_the_same_numbers_name_the_same_rows_whatever_holds_them() -> None:
    numbers, labels = np.random.default_rng(6).normal(size=(ROWS, 2)), _labels()
    every = [
        numbers,
        np.asfortranarray(numbers),
        numbers.tolist(),
        pl.DataFrame(numbers),
        pd.DataFrame(numbers),
    ]
    found = {
        peekproof.Holdout(each, labels).desk.session.ledger.opening.fingerprint for each in every
    }
    assert len(found) == 1


def test_names_of_rows_do_not_depend_on_the_longest_text() -> None:
    texts, labels = [f"row {place}" for place in range(ROWS)], _labels()
    wide = np.array([*texts, "x" * 99])[:-1]
    found = [
        peekproof.Holdout(each, labels).desk.session.ledger.opening.fingerprint
        for each in (texts, wide)
    ]
    assert found[0] == found[1]
