from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data.naive_totals import clipped, contribution
from data.tables import CELLS, TEXT, Rows
from peekproof.core.errors import InvalidInput
from peekproof.data.load import in_memory
from peekproof.data.table import PublicTable
from peekproof.data.totals import CHUNK
from peekproof.query.canonical import canonical_form, form_text
from peekproof.query.form import FINE, Form, Mean, Share
from peekproof.query.question import Question, parse_question
from peekproof.query.schema import Kind
from peekproof.query.tree import Constant, Number
from query import naive
from query.strategies import DATES, MOMENTS, NUMBERS, numerics, predicates, rows

LITERALS = st.floats(-1e30, 1e30) | st.sampled_from([0.0, 0.1, 3.0])
DIVISORS = st.sampled_from([3.0, -7.0, 0.1])
# An array of objects says what it holds by at least one that is not missing.
TYPED = {"a": 1.0, "b": 2.0, "c": 0.0, "s": "x", "t": "", "f": True, "g": False, "d": 0.0, "e": 9.0}
TABLES = st.lists(rows(CELLS, TEXT), min_size=1, max_size=8).map(
    lambda drawn: [{**TYPED, "m": 1e12}, *drawn]
)
# Public arrays hold dates and moments as the numbers that they stand for.
DOUBLES = (*NUMBERS, *DATES, *MOMENTS)


def arrays(content: Rows) -> dict[str, Any]:
    return {
        name: np.array([row[name] for row in content], np.float64 if name in DOUBLES else object)
        for name in content[0]
    }


def asked(form: Form) -> Question:
    return Question(text="", form=form, digest=form_text(form))


@settings(max_examples=60)
@given(content=TABLES, predicate=predicates(LITERALS, DIVISORS))
def test_a_share_is_true_where_a_loop_over_rows_says_so(content: Rows, predicate: Any) -> None:
    form = canonical_form(Share(predicate))
    if isinstance(form, Share) and not isinstance(form.predicate, Constant):
        found = PublicTable(arrays(content)).values(asked(form))

        assert found.dtype == np.bool_
        assert found.tolist() == [naive.truth(form.predicate, row) is True for row in content]


@settings(max_examples=60)
@given(content=TABLES, operand=numerics(LITERALS, DIVISORS), low=st.floats(-100, 99))
def test_a_mean_is_the_contribution_of_each_row(content: Rows, operand: Any, low: float) -> None:
    form = canonical_form(Mean(operand, low, 100.0, low))
    if isinstance(form, Mean) and not isinstance(form.operand, Number):
        found = PublicTable(arrays(content)).values(asked(form))
        expected = [contribution(clipped(form, row), form.low, form.high) for row in content]

        assert found.dtype == np.float64
        assert (found * FINE).tolist() == expected


def test_a_mean_of_more_rows_than_a_chunk() -> None:
    numbers = np.arange(2 * CHUNK + 5) % 1000
    table = PublicTable({"x": numbers})
    found = table.values(parse_question("mean(x, 0, 500, 0)", table.schema))

    assert np.abs(found - np.minimum(numbers, 500) / 500).max() <= 1 / FINE


def test_arrays_of_every_kind_are_held() -> None:
    table = PublicTable(
        {
            "whole": np.array([1, 2, 3]),
            "small": np.array([1, 2, 3], np.uint8),
            "real": np.array([0.5, np.nan, 2]),
            "flag": np.array([True, False, True]),
            "maybe": np.array([True, None, False], object),
            "text": np.array(["a", "bc", ""]),
            "^a$": np.array(["x", None, "y"], object),
        }
    )

    assert table.rows == 3
    assert table.schema.columns == {
        "whole": Kind.NUMBER, "small": Kind.NUMBER, "real": Kind.NUMBER, "flag": Kind.FLAG,
        "maybe": Kind.FLAG, "text": Kind.TEXT, "^a$": Kind.TEXT,
    }  # fmt: skip
    for text, values in {
        "whole + small > 3": [False, True, True],
        "real is null": [False, True, False],
        "flag and maybe": [True, False, False],
        "not maybe": [False, False, True],
        "text = 'bc'": [False, True, False],
        "`^a$` != 'x'": [False, False, True],
    }.items():
        assert table.values(parse_question(text, table.schema)).tolist() == values


FRAME = pl.DataFrame({"x": [1.0, 2.0]})


@pytest.mark.parametrize(
    "source",
    [
        in_memory(FRAME),
        FRAME,
        FRAME.lazy(),
        FRAME.to_pandas(),
        FRAME.to_arrow(),
        "people.csv",
        None,
        {},
    ],
    ids=lambda source: type(source).__name__,
)
def test_nothing_that_holds_the_rows_of_a_session_becomes_public(source: Any) -> None:
    with pytest.raises(InvalidInput, match="a dict of NumPy arrays"):
        PublicTable(source)


@pytest.mark.parametrize(
    "columns",
    [
        {"x": [1, 2]},
        {"x": FRAME["x"]},
        {"x": np.ones((2, 2))},
        {"x": np.array([])},
        {"x": np.ones(2), "y": np.ones(3)},
        {"x": np.array([1, "a"], object)},
        {"x": np.array(["2020-01-01"], "datetime64[D]")},
        {"x": np.array([1j])},
    ],
)
def test_columns_that_are_no_arrays_of_one_length_are_refused(columns: Any) -> None:
    with pytest.raises(InvalidInput):
        PublicTable(columns)


def test_questions_with_more_than_one_number_are_refused() -> None:
    table = PublicTable({"x": np.ones(2)})
    for text in ("histogram(x, (1))", "quantile(x, 0.5, 0, 1)"):
        with pytest.raises(InvalidInput, match="a share or a mean"):
            table.values(parse_question(text, table.schema))
