"""How much work a question is to read: in proportion to its length, whatever its shape."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.query import canonical as wire
from peekproof.query.canonical import Texts, canonical, form_text, to_text
from peekproof.query.question import parse_question
from peekproof.query.schema import Kind, Schema
from peekproof.query.tree import And, Column, Compare, Node, Number, Or, Predicate
from query.strategies import predicates

COLUMNS = 50
SCHEMA = Schema(
    {
        "a": Kind.NUMBER,
        "s": Kind.TEXT,
        **{f"c{each}": Kind.NUMBER for each in range(COLUMNS)},
    }
)
Nested = list[Any]


def column(number: int) -> Nested:
    return ["column", f"c{number % COLUMNS}"]


def atom(number: int) -> Nested:
    return [">", ["+", column(number), ["column", "a"], float(number)], float(number)]


def alternating(levels: int) -> Nested:
    """A disjunction in a conjunction in a disjunction, and so on."""
    found = atom(0)
    for level in range(levels):
        found = [("and", "or")[level % 2], found, *(atom(4 * level + each) for each in range(4))]
    return ["share", found]


def choices(levels: int) -> Nested:
    """A condition about a choice by a condition about a choice, and so on."""
    found: Nested = ["column", "a"]
    for level in range(levels // 3):
        condition = ["and", [">", found, float(level)], *(atom(level + each) for each in range(4))]
        found = ["if", condition, column(1), column(2)]
    return ["share", [">", found, 1.0]]


def sums(levels: int) -> Nested:
    """A sum in a product in a sum, and so on."""
    found: Nested = ["column", "a"]
    for level in range(levels // 2):
        factors = [["+", column(each), float(level + 1)] for each in range(4)]
        found = ["+", ["*", found, *factors], *(["/", column(each), 3.0] for each in range(4))]
    return ["share", [">", found, 1.0]]


def padded(levels: int) -> Nested:
    """Conjunctions that are one, but for what says nothing between them."""
    found = atom(0)
    for level in range(levels // 2):
        nothing = ["or", found, [">", 1.0, 2.0]]
        found = ["and", nothing, *(atom(4 * level + each) for each in range(4))]
    return ["share", found]


def wide(levels: int) -> Nested:
    pairs = range(2 * levels)
    return ["share", ["or", *(["and", atom(3 * each), atom(3 * each + 1)] for each in pairs)]]


def texts_of(levels: int) -> str:
    return ", ".join(f"'t{each:04}'" for each in range(8 * levels))


def beginnings(levels: int) -> str:
    """Texts, and conditions that each might be settled by how the texts begin."""
    some = (f"(s not like 'Z{each:04}%' or a > 0)" for each in range(4 * levels))
    return f"s in ({texts_of(levels)}) and {' and '.join(some)}"


def endings(levels: int) -> str:
    some = (f"(s not like '%Z{each:04}' or a > 0)" for each in range(4 * levels))
    return f"s in ({texts_of(levels)}) and {' and '.join(some)}"


def insides(levels: int) -> str:
    """Texts, and conditions that each might be settled by what the texts contain."""
    some = (f"(s not like '%Z{each:04}%' or a > 0)" for each in range(4 * levels))
    return f"s in ({texts_of(levels)}) and {' and '.join(some)}"


def listed(levels: int) -> str:
    """Texts, and as many patterns that they may contain."""
    some = (f"s not like '%Z{each:04}%'" for each in range(8 * levels))
    return f"s in ({texts_of(levels)}) and {' and '.join(some)}"


def left_out(levels: int) -> str:
    some = (f"s not like '%Z{each:04}%'" for each in range(8 * levels))
    return f"s not in ({texts_of(levels)}) and {' and '.join(some)}"


def listed_ends(levels: int) -> str:
    """Texts, and as many patterns of how they begin and end."""
    some = (f"s not like 'Z{each:04}%' and s not like '%Z{each}'" for each in range(4 * levels))
    return f"s in ({texts_of(levels)}) and {' and '.join(some)}"


def single_texts(levels: int) -> str:
    """Conditions about one text each, beside many patterns."""
    some = (f"s = 't{each:04}' and a > 0" for each in range(4 * levels))
    patterns = (f"s like '%Z{each:04}%' or s like 'Z{each:04}%'" for each in range(4 * levels))
    return f"{' or '.join(some)} or {' or '.join(patterns)}"


def single_patterns(levels: int) -> str:
    """Conditions about one pattern each, beside many patterns."""
    some = (f"(s not like '%X{each:04}%' or a > 0)" for each in range(4 * levels))
    patterns = (f"s like '%Z{each:04}%'" for each in range(4 * levels))
    return f"{' and '.join(some)} and {' and '.join(patterns)}"


MATCHED = [
    beginnings, endings, insides, listed, left_out, listed_ends, single_texts, single_patterns,
]  # fmt: skip


def calls(question: Nested | str) -> int:
    """Calls of functions of the package while a question is read: the same on every machine."""
    count = 0

    def called(frame: FrameType, event: str, _: object) -> None:
        nonlocal count
        count += event == "call" and "peekproof" in frame.f_code.co_filename

    before = sys.getprofile()
    sys.setprofile(called)
    try:
        parse_question(question, SCHEMA)
    finally:
        sys.setprofile(before)
    return count


@pytest.mark.parametrize("shape", [alternating, choices, sums, padded, wide])
def test_twice_the_question_is_twice_the_work(shape: Callable[[int], Nested]) -> None:
    once, twice, four = (calls(shape(levels)) for levels in (45, 90, 180))
    assert once > 1000
    assert twice < 2.2 * once
    assert four < 2.2 * twice


@pytest.mark.parametrize("shape", MATCHED)
def test_texts_and_patterns_are_not_compared_one_by_one(shape: Callable[[int], str]) -> None:
    """Up to a question as long as may be asked."""
    once, twice, four = (calls(shape(levels)) for levels in (75, 150, 300))
    assert twice < 2.2 * once
    assert four < 2.2 * twice


@pytest.mark.parametrize("shape", MATCHED)
@pytest.mark.parametrize("levels", [1, 2, 20, 80])
def test_a_normal_form_is_its_own_on_both_sides_of_the_limits(
    shape: Callable[[int], str], levels: int
) -> None:
    question = parse_question(shape(levels), SCHEMA)
    again = parse_question(json.loads(form_text(question.form)), SCHEMA)
    assert again.digest == question.digest


def test_below_the_limits_texts_are_compared_with_patterns() -> None:
    some = ", ".join(f"'t{each:02}'" for each in range(60))
    for said, plain in (
        (f"s in ({some}) and (s not like 'Z%' or a > 0)", f"s in ({some})"),
        (f"s in ({some}) and (s not like '%Z%' or a > 0)", f"s in ({some})"),
        (f"s in ({some}) and (s like 't%' or a > 0)", f"s in ({some})"),
        (f"s in ({some}, 'Zu', 'uZu', 'uZ') and s not like '%Z%'", f"s in ({some})"),
        (f"s in ({some}, 'Zu', 'uu') and s like 't%' and s like 't%' and s not like '%u'",
         f"s in ({some})"),
        ("s in ('ab', 'abc', 'b') and s like 'a%' and s like 'ab%' and s like '%c'", "s = 'abc'"),
        ("s not in ('ab', 'xb') and s like 'a%' and s not like '%b%'",
         "s like 'a%' and s not like '%b%'"),
    ):  # fmt: skip
        assert parse_question(said, SCHEMA).digest == parse_question(plain, SCHEMA).digest


def test_of_many_texts_those_that_begin_alike_are_found() -> None:
    some = ", ".join(f"'t{each:04}'" for each in range(3000))
    for start, apart in (("Z", True), ("t29990", True), ("t2999", False), ("t", False)):
        said = parse_question(f"s in ({some}) and (s not like '{start}%' or a > 0)", SCHEMA)
        assert (said.digest == parse_question(f"s in ({some})", SCHEMA).digest) is apart


def test_texts_of_a_deep_tree_take_memory_in_proportion() -> None:
    """Every level holds all those below: to keep them all would take the square."""

    def held(levels: int) -> tuple[int, int]:
        found: Predicate = Compare(">", Column("a"), Number(0.5))
        texts = Texts()
        for level in range(levels):
            kind = Or if level % 2 else And
            found = kind((Compare("<", Column("b"), Number(float(level))), found))
            texts.of(found)
        return sum(len(text) for _, text in texts._texts.values()), len(to_text(found))

    for levels in (50, 200):
        kept, size = held(levels)
        assert kept < 8 * size


@given(st.lists(predicates(), min_size=1, max_size=4))
def test_what_is_written_once_is_the_same_text(some: list[Predicate]) -> None:
    texts = Texts()
    for each in (*some, *map(canonical, some), And(tuple(some)), Or((*some, And(tuple(some))))):
        assert texts.of(each) == to_text(each)
    for one in some:
        for other in some:
            assert (texts.key(one) == texts.key(other)) == (to_text(one) == to_text(other))


def test_a_node_is_written_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever asks for its text, as long as it is near."""
    written, found = wire._written, []

    def noted(node: Node, text: Callable[[Node], str]) -> str:
        found.append(id(node))
        return written(node, text)

    monkeypatch.setattr(wire, "_written", noted)
    inner = Compare(">", Column("a"), Number(0.5))
    tree, texts = And((inner, Or((inner, Compare("<", Column("b"), Number(1.0)))))), Texts()
    for each in (inner, tree, inner, tree.terms[1], tree):
        texts.of(each)
    assert len(found) == len(set(found)) == 8
