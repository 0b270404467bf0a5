"""Labels and predictions, as people have them, as two kinds of columns."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from peekproof.core.errors import InvalidInput
from peekproof.learn.column import labels_of, predictions_of


@pytest.mark.parametrize(
    "given",
    [
        [1, 0, 1],
        [True, False, True],
        np.array([1, 0, 1], dtype=np.uint8),
        np.array([1, 0, 1], dtype=object),
        pl.Series([1, 0, 1]),
        pd.Series([1.0, 0.0, 1.0], index=[7, 8, 9]),
        (1, -0.0, 1),
    ],
    ids=lambda each: type(each).__name__,
)
def test_the_same_numbers_have_the_same_digest_whatever_holds_them(given: object) -> None:
    found = predictions_of(given, rows=3)
    assert found.values.tolist() == [1.0, 0.0, 1.0]
    assert found.digest == predictions_of([1.0, 0.0, 1.0], rows=3).digest


def test_the_same_texts_have_the_same_digest_however_wide_their_array_is() -> None:
    wide = np.array(["cat", "dog"], dtype="U20")
    plain = predictions_of(["cat", "dog"], rows=2)
    assert predictions_of(wide, rows=2).digest == plain.digest
    assert predictions_of(pd.Series(["cat", "dog"]), rows=2).digest == plain.digest


def test_other_predictions_have_another_digest() -> None:
    different = [
        predictions_of(each, rows=2).digest
        for each in (
            [1, 0],
            [0, 1],
            ["1", "0"],
            [[1, 0], [0, 1]],
            ["10", ""],
            ["1", "\0"],
            ["a\0b", "c"],
            ["a", "b\0c"],
        )
    ]
    assert len(set(different)) == len(different)


@pytest.mark.parametrize(
    ("given", "match"),
    [
        ([1, 0], "one for each of the 3 rows"),
        ([[[1]], [[0]], [[1]]], "shape"),
        ([1, float("nan"), 0], "missing or infinite, in row 1"),
        ([1, 0, float("inf")], "missing or infinite, in row 2"),
        ([1, None, 0], "missing or infinite, in row 1"),
        (pd.Series([1, 2, pd.NA]), "missing or infinite, in row 2"),
        (["a", None, "b"], "missing or infinite, in row 1"),
        ([[1, 2], [3, 4], [5, float("nan")]], "missing or infinite, in row 2"),
        ([1.0, "a", 2], "array of numbers or of text"),
        ([1, "a", object()], "array of numbers or of text"),
        ([b"a", b"b", b"c"], "array of numbers or of text"),
        (5, "shape"),
    ],
)
def test_what_cannot_be_scored_is_refused_by_name(given: object, match: str) -> None:
    with pytest.raises(InvalidInput, match=match):
        predictions_of(given, rows=3)


def test_labels_are_one_number_or_text_a_row() -> None:
    assert labels_of(["a", "b"]).text
    assert not labels_of([1, 2]).text
    for wrong in ([], [[1], [2]], [1, None]):
        with pytest.raises(InvalidInput, match="y must"):
            labels_of(wrong)
