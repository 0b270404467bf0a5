"""Names of rows: the same for the same features, in whatever they come."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy import sparse  # type: ignore[import-untyped]

from peekproof.core.errors import InvalidInput
from peekproof.learn.naming import row_names

FEATURES = np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]])


@pytest.mark.parametrize(
    "features",
    [
        FEATURES,
        FEATURES[:, :1],
        pd.DataFrame(FEATURES, columns=["a", "b"]),
        pl.DataFrame({"a": [1, 3, 1], "b": ["x", "y", "x"]}),
        sparse.csr_matrix(FEATURES),
        sparse.coo_matrix(FEATURES),
        ["a text", "another", "a text"],
        [[1, 2], [3], [1, 2]],
        np.array(["a", "b", "a"]),
        np.array([{"a": 1}, {"b": 2}, {"a": 1}], dtype=object),
    ],
    ids=lambda each: type(each).__name__,
)
def test_equal_rows_have_equal_names_and_others_have_others(features: object) -> None:
    first, second, third = row_names(features, rows=3)
    assert first == third != second


def test_a_column_and_a_table_name_rows_as_lists_and_arrays_do() -> None:
    texts, numbers = ["a text", "another", "a text"], FEATURES[:, 0]
    for given in (pd.Series(texts), pl.Series(texts), np.array(texts), pd.Categorical(texts)):
        assert row_names(given, rows=3) == row_names(texts, rows=3)
    for given in (pd.Series(numbers), pl.Series(numbers), pa.array(numbers)):
        assert row_names(given, rows=3) == row_names(numbers, rows=3)
    columns = {"a": FEATURES[:, 0], "b": FEATURES[:, 1]}
    for table in (columns, pa.table(columns), pl.DataFrame(columns).lazy()):
        assert row_names(table, rows=3) == row_names(FEATURES, rows=3)


def test_names_are_of_all_digits() -> None:
    """Predictions for rows that are nearly equal are not the same in another order."""
    near = FEATURES + 1e-12
    assert set(row_names(near, rows=3)).isdisjoint(row_names(FEATURES, rows=3))


def test_what_has_no_rows_to_digest_is_numbered() -> None:
    assert row_names(None, rows=3) == ["0", "1", "2"]
    assert row_names(object(), rows=2) == ["0", "1"]


def test_another_number_of_rows_than_labels_is_refused() -> None:
    with pytest.raises(InvalidInput, match="one row for each of the 4 labels"):
        row_names(FEATURES, rows=4)
