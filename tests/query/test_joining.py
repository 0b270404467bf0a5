"""Atoms that say the same, imply one another or exclude one another."""

from __future__ import annotations

from itertools import product
from math import inf

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.query.canonical import canonical
from peekproof.query.question import parse_question
from peekproof.query.tree import (
    And,
    Column,
    Compare,
    Constant,
    Flag,
    IsNull,
    Matches,
    Member,
    Not,
    Number,
    Or,
    Predicate,
    levels,
)
from query.naive import Cell, truth
from query.strategies import COMPARATORS, SCHEMA

A, B, S, F = Column("a"), Column("b"), Column("s"), Column("f")

# Few values, so that atoms often meet.
FEW = st.sampled_from([0.0, 1.0, 2.0])
WORDS = st.sampled_from(["", "x", "xy", "yx"])
NUMBER_CELLS: list[Cell] = [None, -inf, -1.0, 0.0, 0.5, 1.0, 1.5, 2.0, 3.0, inf]
TEXT_CELLS: list[Cell] = [None, "", "x", "xy", "yx", "y", "xyx"]
FLAG_CELLS: list[Cell] = [None, False, True]

ABOUT_A: st.SearchStrategy[Predicate] = st.one_of(
    st.builds(Compare, COMPARATORS, st.just(A), st.builds(Number, FEW)),
    st.builds(Member, st.just(A), st.lists(FEW, min_size=1, max_size=3).map(tuple), st.booleans()),
    st.builds(IsNull, st.just(A), st.booleans()),
)
ABOUT_S: st.SearchStrategy[Predicate] = st.one_of(
    st.builds(
        Member, st.just(S), st.lists(WORDS, min_size=1, max_size=3).map(tuple), st.booleans()
    ),
    st.builds(
        Matches,
        st.just(S),
        st.sampled_from(["begins with", "ends with", "contains"]),
        st.sampled_from(["x", "y", "xy"]),
        st.booleans(),
    ),
    st.builds(IsNull, st.just(S), st.booleans()),
)
ABOUT_F: st.SearchStrategy[Predicate] = st.one_of(
    st.builds(Flag, st.just(F), st.booleans()), st.builds(IsNull, st.just(F), st.booleans())
)
OTHERS: st.SearchStrategy[Predicate] = st.builds(Compare, COMPARATORS, st.just(A), st.just(B))


def crowded(*atoms: st.SearchStrategy[Predicate]) -> st.SearchStrategy[Predicate]:
    def grown(inner: st.SearchStrategy[Predicate]) -> st.SearchStrategy[Predicate]:
        several = st.lists(inner, min_size=1, max_size=4).map(tuple)
        return st.one_of(st.builds(And, several), st.builds(Or, several), st.builds(Not, inner))

    return st.recursive(st.one_of(*atoms), grown, max_leaves=9)


CROWDED = crowded(ABOUT_A, ABOUT_S, ABOUT_F, OTHERS)
ROWS = [
    {"a": a, "b": b, "s": s, "f": f}
    for (a, s, f), b in zip(
        product(NUMBER_CELLS, TEXT_CELLS, FLAG_CELLS), [None, 0.0, 1.0, inf] * 53, strict=False
    )
]


def holds(predicate: Predicate) -> list[bool]:
    return [truth(predicate, row) is True for row in ROWS]


@given(CROWDED)
def test_the_normal_form_is_true_for_the_same_rows_and_its_own(predicate: Predicate) -> None:
    form = canonical(predicate)
    assert holds(form) == holds(predicate)
    assert canonical(form) == form
    assert sum(map(len, levels(form))) <= 2 + sum(map(len, levels(predicate)))


@given(st.lists(CROWDED, min_size=2, max_size=4), st.sampled_from([And, Or]), st.data())
def test_order_and_nesting_do_not_matter(
    terms: list[Predicate], kind: type[And] | type[Or], data: st.DataObject
) -> None:
    dual = Or if kind is And else And
    first, *rest = data.draw(st.permutations([*terms, terms[0]]))
    same = [
        kind((kind(tuple(rest)), first)),
        Not(dual(tuple(Not(term) for term in [*rest[::-1], first]))),
        kind((Not(Not(first)), Not(dual(tuple(Not(term) for term in rest))))),
    ]
    assert {canonical(each) for each in same} == {canonical(kind(tuple(terms)))}


@pytest.mark.parametrize("kind", [And, Or])
@given(
    one=st.lists(ABOUT_A, min_size=1, max_size=4), other=st.lists(ABOUT_A, min_size=1, max_size=4)
)
def test_flat_conditions_on_one_number_are_one_if_they_hold_for_the_same_values(
    kind: type[And] | type[Or], one: list[Predicate], other: list[Predicate]
) -> None:
    first, second = kind(tuple(one)), kind(tuple(other))
    # The cells lie at, between and beyond all literals, so they tell all sets apart.
    same = holds(first) == holds(second)
    assert (canonical(first) == canonical(second)) is same
    assert (canonical(first) == Constant(False)) is not any(holds(first))
    assert (canonical(first) == Constant(True)) is all(holds(first))


@given(CROWDED, CROWDED)
def test_absorption(one: Predicate, other: Predicate) -> None:
    plain = canonical(one)
    if isinstance(plain, And | Or):
        # Of several terms only those stay that say something, so the whole may absorb more.
        assert holds(canonical(And((one, Or((one, other)))))) == holds(one)
        return
    assert canonical(And((one, Or((one, other))))) == plain
    assert canonical(Or((one, And((one, other))))) == plain


def test_a_compound_term_absorbs_a_wider_one() -> None:
    terms = [Flag(Column(name), False) for name in "fgh"]
    two, three = terms[:2], terms
    assert canonical(And((Or(tuple(two)), Or(tuple(three))))) == canonical(Or(tuple(two)))
    assert canonical(Or((And(tuple(two)), And(tuple(three))))) == canonical(And(tuple(two)))


@pytest.mark.parametrize(
    "text",
    [
        " and ".join(f"a != {i}" for i in range(6_000)),
        " or ".join(f"a + {i} > {i}" for i in range(4_000)),
        " and ".join(f"(a > {i} or b < {i})" for i in range(2_000)),
        " and ".join(f"(a + {i} > 1 or a + {j} > 1)" for i in range(55) for j in range(i)),
        f"a in ({','.join(map(str, range(6_000)))}) and "
        + " and ".join(f"(a < 5_999 or b > {i})" for i in range(1_000)),
    ],
    ids=["one operand", "many operands", "clauses", "pairs", "members and clauses"],
)
def test_the_largest_questions_do_not_blow_up(text: str) -> None:
    size = sum(map(len, levels(parse_question(text, SCHEMA).predicate)))
    assert size <= len(text)
