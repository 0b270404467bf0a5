from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.tables import TABLES, Rows, frame
from holdfast.data.evaluate import lazily, truth
from holdfast.data.load import load
from holdfast.query.canonical import canonical
from holdfast.query.tree import (
    And,
    Column,
    Compare,
    Constant,
    Not,
    Number,
    Numeric,
    Predicate,
    Product,
    Quotient,
    Sum,
)
from query import naive
from query.strategies import predicates

# Arithmetic on literals alone must not overflow, which is refused earlier (see test_question).
LITERALS = st.floats(-1e30, 1e30) | st.sampled_from([0.0, -0.0, 0.1, 3.0, 49.0, 5e-324])
DIVISORS = st.sampled_from([3.0, 10.0, 49.0, -7.0, 0.1])
TINY = st.sampled_from([1e-310, 5e-324])

A, B = Column("a"), Column("b")


def eager(predicate: Predicate, table: pl.DataFrame) -> list[bool | None]:
    found: list[bool | None] = truth(predicate, table.get_column).to_list()
    return found


def lazy(predicate: Predicate, table: pl.DataFrame) -> list[bool | None]:
    chosen = table.lazy().select(truth(predicate, pl.col).alias("truth"))
    return chosen.collect(engine="streaming").to_series().to_list()


@given(predicates(LITERALS, DIVISORS), TABLES)
def test_every_row_has_the_truth_value_the_tree_says(predicate: Predicate, rows: Rows) -> None:
    form = canonical(predicate)
    if isinstance(form, Constant):
        return
    table, expected = load(frame(rows))._frame, [naive.truth(form, row) for row in rows]
    assert eager(form, table) == expected
    if lazily(form):
        assert lazy(form, table) == expected


@pytest.mark.parametrize(
    ("dividend", "divisor", "value"),
    [(49.0, 49.0, 1.0), (7.0, 3.0, 7 / 3), (0.0, 1e-310, 0.0), (1e-320, 1e-310, 1e-10)],
)
def test_division_is_correctly_rounded(dividend: float, divisor: float, value: float) -> None:
    assert dividend / divisor == pytest.approx(value, rel=1e-9)
    form = canonical(Compare("=", Quotient(A, divisor), Number(dividend / divisor)))
    table = pl.DataFrame({"a": [dividend, None, dividend]})
    assert eager(form, table) == [True, None, True]
    assert eager(form, table[:1]) == [True]


@given(st.lists(st.floats(allow_nan=False), min_size=20, max_size=20), DIVISORS | TINY)
def test_division_by_any_number_is_correctly_rounded(cells: list[float], divisor: float) -> None:
    table = pl.DataFrame({"a": cells, "b": [cell / divisor for cell in cells]})
    form = canonical(Compare("=", Quotient(A, divisor), B))
    assert all(eager(form, table))


def test_division_and_large_trees_are_kept_from_the_optimiser() -> None:
    """It would divide through a rounded reciprocal, and take quadratic time."""
    plain = Compare("<", A, Number(1.0))
    assert lazily(plain)
    assert not lazily(Compare("<", Quotient(A, 3.0), Number(1.0)))
    assert not lazily(And((plain, Compare("<", Sum((A, Quotient(A, 3.0))), B))))
    assert lazily(Compare("<", Sum((A,) * 150), B))
    assert not lazily(Compare("<", Sum((A,) * 500), B))
    with pytest.raises(TypeError, match="division is evaluated eagerly"):
        truth(Compare("<", Quotient(A, 3.0), B), pl.col)


@pytest.mark.parametrize(
    "node",
    [
        Sum((A, Product((Number(-1.0), A)))),  # ∞ − ∞
        Product((Number(0.0), A)),  # 0 · ∞
        Quotient(Sum((A, Product((Number(-1.0), A)))), 2.0),
    ],
)
@pytest.mark.parametrize("operator", ["<", "<=", ">", ">=", "=", "!="])
def test_arithmetic_without_a_result_is_unknown(node: Numeric, operator: str) -> None:
    table = pl.DataFrame({"a": [float("inf"), -float("inf"), None]})
    form = canonical(Compare(operator, node, Number(0.0)))
    assert eager(form, table) == [None, None, None]
    if lazily(form):
        assert lazy(form, table) == [None, None, None]


@pytest.mark.parametrize("node", [Constant(True), Not(Compare("<", A, Number(1.0)))])
def test_only_canonical_trees_are_evaluated(node: Predicate) -> None:
    table = pl.DataFrame({"a": [1.0]})
    with pytest.raises(TypeError, match="does not occur in a canonical predicate"):
        truth(node, table.get_column)
