from __future__ import annotations

from math import inf, isnan

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.tables import TABLES, Rows, frame
from peekproof.data.evaluate import Columns, Evaluation, Piece
from peekproof.data.load import in_memory
from peekproof.query.canonical import canonical, numeric
from peekproof.query.form import Edges, Grouped
from peekproof.query.question import Question
from peekproof.query.tree import (
    Column,
    Compare,
    Constant,
    Member,
    Missing,
    Not,
    Number,
    Numeric,
    Predicate,
    Product,
    Quotient,
    Sum,
)
from query import naive
from query.strategies import numerics, predicates

# Arithmetic on literals alone must not overflow, which is refused earlier (see test_question).
LITERALS = st.floats(-1e30, 1e30) | st.sampled_from([0.0, -0.0, 0.1, 3.0, 49.0, 5e-324])
DIVISORS = st.sampled_from([3.0, 10.0, 49.0, -7.0, 0.1])
TINY = st.sampled_from([1e-310, 5e-324])

A, B = Column("a"), Column("b")


def whole(table: pl.DataFrame) -> Piece:
    return Piece(Columns({each.name: each for each in table}), 0, table.height)


def eager(predicate: Predicate, table: pl.DataFrame) -> list[bool]:
    with np.errstate(all="ignore"):
        found: list[bool] = Evaluation().truth(predicate)(whole(table)).tolist()
    return found


@given(predicates(LITERALS, DIVISORS), TABLES)
def test_every_row_has_the_truth_value_the_tree_says(predicate: Predicate, rows: Rows) -> None:
    form = canonical(predicate)
    if isinstance(form, Constant):
        return
    expected = [naive.truth(form, row) is True for row in rows]
    assert eager(form, in_memory(frame(rows))._frame) == expected


@given(numerics(LITERALS, DIVISORS), TABLES)
def test_every_row_has_the_number_the_tree_says(node: Numeric, rows: Rows) -> None:
    form = numeric(node)
    if isinstance(form, Number | Missing):
        return
    with np.errstate(all="ignore"):
        found = Evaluation().doubles(form)(whole(in_memory(frame(rows))._frame)).tolist()
    missing = [None if isnan(each) else each for each in found]
    assert missing == [naive.value(form, row) for row in rows]


@pytest.mark.parametrize(
    ("dividend", "divisor", "value"),
    [(49.0, 49.0, 1.0), (7.0, 3.0, 7 / 3), (0.0, 1e-310, 0.0), (1e-320, 1e-310, 1e-10)],
)
def test_division_is_correctly_rounded(dividend: float, divisor: float, value: float) -> None:
    assert dividend / divisor == pytest.approx(value, rel=1e-9)
    form = canonical(Compare("=", Quotient(A, Number(divisor)), Number(dividend / divisor)))
    table = pl.DataFrame({"a": [dividend, None, dividend]})
    assert eager(form, table) == [True, False, True]
    assert eager(form, table[:1]) == [True]


@given(st.lists(st.floats(allow_nan=False), min_size=20, max_size=20), DIVISORS | TINY)
def test_division_by_any_number_is_correctly_rounded(cells: list[float], divisor: float) -> None:
    table = pl.DataFrame({"a": cells, "b": [cell / divisor for cell in cells]})
    form = canonical(Compare("=", Quotient(A, Number(divisor)), B))
    assert all(eager(form, table))


@pytest.mark.parametrize(
    "node",
    [
        Sum((A, Product((Number(-1.0), A)))),  # ∞ − ∞
        Product((Number(0.0), A)),  # 0 · ∞
        Quotient(Sum((A, Product((Number(-1.0), A)))), Number(2.0)),
    ],
)
@pytest.mark.parametrize("operator", ["<", "<=", ">", ">=", "=", "!="])
def test_arithmetic_without_a_result_is_unknown(node: Numeric, operator: str) -> None:
    table = pl.DataFrame({"a": [float("inf"), -float("inf"), None]})
    form = canonical(Compare(operator, node, Number(0.0)))
    assert eager(form, table) == [False, False, False]


def test_only_canonical_trees_are_evaluated() -> None:
    table = pl.DataFrame({"a": [1.0]})
    with pytest.raises(TypeError, match="does not occur in a canonical predicate"):
        eager(Not(Compare("<", A, Number(1.0))), table)


@pytest.mark.parametrize("listed", [1, 8, 9, 300])
@pytest.mark.parametrize("negated", [False, True])
def test_short_and_long_lists_hold_the_same_numbers(listed: int, negated: bool) -> None:
    values = tuple(float(3 * each) for each in range(listed))
    cells = [None, -1.0, -0.0, 0.5, *map(float, range(1000)), inf, -inf, float("nan")]
    table = in_memory({"a": cells})._frame
    expected = [
        cell is not None and cell == cell and (cell in values) is not negated for cell in cells
    ]
    assert eager(Member(A, values, negated), table) == expected


def test_a_constant_is_the_same_for_all_rows() -> None:
    """Such as what is left of a condition within each group."""
    table = in_memory({"a": [1.0, 2.0, None]})
    form = Grouped(Edges(A, (1.5,)), Constant(True))
    (exact,) = table.totals([Question(text="", form=form, digest="")])
    assert exact.reveal() == (1, 1, 0, 0)
