from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from holdfast.query.canonical import canonical
from holdfast.query.tree import (
    And,
    Column,
    Compare,
    Constant,
    Flag,
    IsNull,
    Member,
    Not,
    Number,
    Or,
    Predicate,
    Product,
    Quotient,
    Sum,
)
from holdfast.query.wire import to_json, to_text
from query.strategies import predicates

A = Column("a")


def test_every_node_has_its_form() -> None:
    arithmetic = Sum((Number(1.0), Product((Number(-1.0), A)), Quotient(A, 2.0)))
    whole = And(
        (
            Or((Compare("<", arithmetic, A), Not(Constant(True)))),
            Member(Column("s"), ("x", "y"), False),
            Member(A, (1.0,), True),
            IsNull(A, False),
            IsNull(A, True),
            Flag(Column("f"), False),
            Flag(Column("f"), True),
        )
    )
    a = ["column", "a"]
    assert to_json(whole) == [
        "and",
        ["or", ["<", ["+", 1.0, ["*", -1.0, a], ["/", a, 2.0]], a], ["not", True]],
        ["in", ["column", "s"], ["x", "y"]],
        ["not in", a, [1.0]],
        ["is null", a],
        ["is not null", a],
        ["is true", ["column", "f"]],
        ["is false", ["column", "f"]],
    ]


def refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")


@given(predicates())
def test_text_is_one_line_of_strict_ascii_json(predicate: Predicate) -> None:
    text = to_text(predicate)
    assert json.loads(text, parse_constant=refuse) == to_json(predicate)
    assert text.isascii()
    assert "\n" not in text


def test_names_and_texts_of_any_characters_travel() -> None:
    odd = Member(Column('"\\\n\ud800é'), ("'\0\u2028",), False)
    assert json.loads(to_text(odd)) == ["in", ["column", '"\\\n\ud800é'], ["'\0\u2028"]]


@given(predicates(), predicates(), st.data())
def test_different_trees_have_different_texts(
    one: Predicate, other: Predicate, data: st.DataObject
) -> None:
    # Comparing also with a rebuilt copy makes sure that equal trees do occur.
    other = data.draw(st.sampled_from([other, canonical(one)]))
    same_tree = repr(canonical(one)) == repr(canonical(other))
    assert (to_text(canonical(one)) == to_text(canonical(other))) == same_tree
