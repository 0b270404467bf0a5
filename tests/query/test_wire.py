from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.query.canonical import Json, canonical, form_text, to_json, to_text
from peekproof.query.form import (
    Edges,
    Form,
    Given,
    Grouped,
    Histogram,
    Mean,
    Quantile,
    Share,
    Values,
)
from peekproof.query.tree import (
    And,
    Clip,
    Column,
    Compare,
    Constant,
    Flag,
    If,
    IsNull,
    Matches,
    Member,
    Missing,
    Not,
    Number,
    Or,
    Part,
    Predicate,
    Product,
    Quotient,
    Sum,
)
from query.strategies import predicates

A = Column("a")


def test_every_node_has_its_form() -> None:
    arithmetic = Sum((Number(1.0), Product((Number(-1.0), A)), Quotient(A, Number(2.0))))
    whole = And(
        (
            Or((Compare("<", arithmetic, A), Not(Constant(True)))),
            Member(Column("s"), ("x", "y"), False),
            Member(A, (1.0,), True),
            IsNull(A, False),
            IsNull(A, True),
            Flag(Column("f"), False),
            Flag(Column("f"), True),
            Matches(Column("s"), "begins with", "x", False),
            Matches(Column("s"), "contains", "x", True),
            IsNull(If(Flag(Column("f"), False), Clip(A, 0.0, 2.5), Missing()), False),
            Member(Part("year", Column("d"), "day"), (2013.0,), False),
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
        ["begins with", ["column", "s"], "x"],
        ["not contains", ["column", "s"], "x"],
        ["is null", ["if", ["is true", ["column", "f"]], ["clip", a, 0.0, 2.5], None]],
        ["in", ["year", ["column", "d"]], [2013.0]],
    ]


a = ["column", "a"]
MEAN = Mean(A, -20.0, 120.0, 0.0)
OVER = Compare(">", A, Number(1.0))


@pytest.mark.parametrize(
    ("form", "json_form"),
    [
        (Share(OVER), ["share", [">", a, 1.0]]),
        (MEAN, ["mean", a, -20.0, 120.0, 0.0]),
        (Histogram(Edges(A, (0.0, 1e300))), ["histogram", ["edges", a, [0.0, 1e300]], None]),
        (
            Histogram(Values(Column("s"), ("y", 'x"é')), OVER),
            ["histogram", ["values", ["column", "s"], ["y", 'x"é']], [">", a, 1.0]],
        ),
        (
            Histogram(Values(Column("f"), (True, False)), MEAN),
            [
                "histogram",
                ["values", ["column", "f"], [True, False]],
                ["mean", a, -20.0, 120.0, 0.0],
            ],
        ),
        (
            Grouped(Values(Column("f"), (True,)), OVER),
            ["by", ["values", ["column", "f"], [True]], [">", a, 1.0]],
        ),
        (
            Given(MEAN, OVER),
            ["given", ["mean", a, -20.0, 120.0, 0.0], [">", a, 1.0]],
        ),
        (Quantile(A, Fraction(1, 10), 0.0, 1.0, 7), ["quantile", a, "1/10", 0.0, 1.0, 7]),
    ],
)
def test_every_form_of_a_question_has_its_own(form: Form, json_form: Json) -> None:
    assert to_json(form) == json_form
    text = form_text(form)
    assert text.isascii()
    assert " " not in text
    assert json.loads(text, parse_constant=refuse) == json_form


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
