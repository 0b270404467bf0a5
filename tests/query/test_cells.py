from __future__ import annotations

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.errors import InvalidInput
from peekproof.query.canonical import canonical, numeric
from peekproof.query.form import MOST_CELLS, Edges, Values, shown
from peekproof.query.question import parse_question
from peekproof.query.schema import Kind, Schema
from peekproof.query.tree import (
    Clip,
    Column,
    Flag,
    Member,
    Missing,
    Number,
    Numeric,
    Part,
    Product,
    Quotient,
    Sum,
)
from query.naive import Cell, truth
from query.strategies import DYADIC, DYADIC_DIVISORS, SCHEMA, WORDS, numerics, rows

A, S, F = Column("a"), Column("s"), Column("f")
D, M = Column("d"), Column("m")
OPERANDS = numerics(DYADIC, DYADIC_DIVISORS).map(numeric)
EDGES = st.lists(DYADIC.map(lambda edge: edge + 0.0), min_size=1, max_size=5, unique=True).map(
    lambda edges: tuple(sorted(edges))
)
TEXTS = st.lists(WORDS, min_size=1, max_size=4, unique=True).map(tuple)


@given(OPERANDS, EDGES, st.lists(rows(), min_size=1, max_size=5))
def test_every_number_lies_in_one_range_and_a_missing_one_in_none(
    operand: Numeric, edges: tuple[float, ...], some: list[dict[str, Cell]]
) -> None:
    cells = Edges(operand, edges).predicates
    assert len(cells) == len(Edges(operand, edges)) == len(edges) + 1
    for row in some:
        found = [truth(cell, row) for cell in cells]
        if None in found:
            assert set(found) == {None}
        else:
            assert found.count(True) == 1


@given(EDGES, st.integers(-20, 20).map(lambda quarter: quarter / 4))
def test_ranges_are_in_order_and_hold_their_lower_end(
    edges: tuple[float, ...], value: float
) -> None:
    found = [truth(cell, {"a": value}) for cell in Edges(A, edges).predicates]
    assert found.index(True) == sum(edge <= value for edge in edges)


@given(OPERANDS.filter(lambda operand: not isinstance(operand, Number | Missing)), EDGES)
def test_the_predicates_of_ranges_are_canonical(operand: Numeric, edges: tuple[float, ...]) -> None:
    cells = Edges(operand, edges).predicates
    assert tuple(canonical(cell) for cell in cells) == cells


def test_the_predicates_of_values_are_canonical() -> None:
    assert Values(S, ("y", "x")).predicates == (
        Member(S, ("y",), False),
        Member(S, ("x",), False),
    )
    assert Values(F, (False, True)).predicates == (Flag(F, True), Flag(F, False))
    for by in (Values(S, ("y", "x")), Values(F, (True,))):
        assert tuple(canonical(cell) for cell in by.predicates) == by.predicates


@given(st.one_of(st.builds(Edges, OPERANDS, EDGES), st.builds(Values, st.just(S), TEXTS)))
def test_a_label_is_the_question_for_its_cell(by: Edges | Values) -> None:
    if isinstance(by, Edges) and isinstance(by.operand, Number | Missing):
        return
    if any("…" in label for label in by.labels):
        return
    asked = [parse_question(label, SCHEMA).predicate for label in by.labels]
    assert tuple(asked) == by.predicates


@pytest.mark.parametrize(
    ("by", "labels"),
    [
        (Edges(A, (0.0, 15.0, 60.5)), ("a < 0", "0 <= a < 15", "15 <= a < 60.5", "a >= 60.5")),
        (Edges(A, (-1e300,)), ("a < -1e+300", "a >= -1e+300")),
        (Edges(Quotient(A, Number(60.0)), (0.1,)), ("a / 60 < 0.1", "a / 60 >= 0.1")),
        (Values(S, ("AA", "", "O'Neil")), ("s = 'AA'", "s = ''", "s = 'O''Neil'")),
        (Values(F, (True, False)), ("f = true", "f = false")),
        (
            Edges(D, (15706.0, 15737.0), "day"),
            ("d < '2013-01-01'", "'2013-01-01' <= d < '2013-02-01'", "d >= '2013-02-01'"),
        ),
        (
            Edges(M, (1_356_998_400_000_000.0, 1_357_043_405_250_000.0), "microsecond"),
            (
                "m < '2013-01-01'",
                "'2013-01-01' <= m < '2013-01-01 12:30:05.25'",
                "m >= '2013-01-01 12:30:05.25'",
            ),
        ),
        (Edges(D, (0.5,), "day"), ("d < '1970-01-01 12:00'", "d >= '1970-01-01 12:00'")),
        (Edges(D, (1e300,), "day"), ("d < 1e+300", "d >= 1e+300")),
        (Edges(Part("year", D, "day"), (2013.0,)), ("year(d) < 2013", "year(d) >= 2013")),
        (Edges(Clip(A, 0.0, 2.5), (1.0,)), ("clip(a, 0, 2.5) < 1", "clip(a, 0, 2.5) >= 1")),
    ],
)
def test_labels(by: Edges | Values, labels: tuple[str, ...]) -> None:
    assert by.labels == labels


@pytest.mark.parametrize(
    ("operand", "text"),
    [
        (Column("net income"), "`net income`"),
        (Column("and"), "`and`"),
        (Column("é_1"), "é_1"),
        (Quotient(Sum((A, S)), Number(-2.0)), "(a + s) / -2"),
        (Product((Number(-1.0), A, Sum((Number(0.5), A)))), "-1 * a * (0.5 + a)"),
        (Sum((Number(2.0), Product((Number(3.0), A)))), "2 + (3 * a)"),
    ],
)
def test_operands_are_shown_as_one_would_write_them(operand: Numeric, text: str) -> None:
    assert shown(operand) == text
    names = ("net income", "and", "é_1", "a", "s")
    schema = Schema(dict.fromkeys(names, Kind.NUMBER))
    (below, _) = Edges(numeric(operand), (0.0,)).predicates
    assert parse_question(f"{text} < 0", schema).predicate == below


def test_the_unit_is_for_labels_only() -> None:
    assert Edges(D, (0.0,), "day") == Edges(D, (0.0,))
    for by in (Edges(D, (0.0, 31.0), "day"), Edges(M, (0.0, 250_000.0), "microsecond")):
        asked = [parse_question(label, SCHEMA).predicate for label in by.labels]
        assert tuple(asked) == by.predicates


def test_a_long_operand_is_cut_in_a_label() -> None:
    label = Edges(Sum((A,) * 5000), (0.0,)).labels[0]
    assert label.endswith("… < 0")
    assert len(label) < 80


@pytest.mark.parametrize(
    ("edges", "argument"),
    [
        ((1.0, 1.0), "edge 2"),
        ((0.0, 2.0, 1.0), "edge 3"),
        ((nan,), "edge 1"),
        ((inf,), "edge 1"),
        ((-inf, 0.0), "edge 1"),
        ((0.0, nan, 1.0), "edge 2"),
        ((0.0, inf), "edge 2"),
        ((), "cells"),
        (tuple(map(float, range(MOST_CELLS))), "cells"),
    ],
)
def test_edges_increase(edges: tuple[float, ...], argument: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        Edges(A, edges)
    assert caught.value.argument == argument


@pytest.mark.parametrize(
    ("values", "argument"),
    [
        (("a", "b", "a"), "value 3"),
        ((True, True), "value 2"),
        ((), "cells"),
        (tuple(map(str, range(MOST_CELLS + 1))), "cells"),
    ],
)
def test_values_are_listed_once(values: tuple[str | bool, ...], argument: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        Values(S, values)
    assert caught.value.argument == argument


def test_the_largest_number_of_cells_is_accepted() -> None:
    assert len(Edges(A, tuple(map(float, range(MOST_CELLS - 1)))).predicates) == MOST_CELLS
    assert len(Values(S, tuple(map(str, range(MOST_CELLS)))).labels) == MOST_CELLS
