"""The JSON form is read back, checked against the schema, and never trusted."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from fractions import Fraction
from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.errors import QuestionError
from peekproof.query import Question, from_json, parse_question
from peekproof.query.canonical import canonical_form, form_text, to_json
from peekproof.query.form import (
    MOST_CELLS,
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
from peekproof.query.parser import MOST_LEVELS
from peekproof.query.question import MOST_JSON_CHARACTERS, MOST_JSON_VALUES
from peekproof.query.schema import Schema
from peekproof.query.tree import Column, Numeric, Predicate
from query.strategies import DYADIC, DYADIC_DIVISORS, SCHEMA, numerics, predicates

a, b = ["column", "a"], ["column", "b"]
s, f, d, m = ["column", "s"], ["column", "f"], ["column", "d"], ["column", "m"]

QUESTIONS = [
    "a > 1",
    "a + b * 2 / c >= -1.5 or s != 'x' and not f",
    "a in (1, 2) and s not in ('é', '') or a is null and s is not null and f is null",
    "s = t or f != g",
    "s like 'x%' or s not like '%y' or contains(s, '\"')",
    "clip(a, 0, 1) > abs(b) or case when f then 1 end = 1",
    "year(d) = 2013 or hour(m) = 5 or d > '2013-01-01' or m - d > 5",
    "mean(if(f, a, null), -20, 120, 3)",
    "mean(a, 0, 1)",
    "mean(coalesce(a, 0), 0, 1)",
    "histogram(a, (0, 15))",
    "histogram(d, ('2013-01-01'), f)",
    "histogram(m, ('2013-01-01'), mean(a, 0, 1))",
    "histogram(f)",
    "quantile(a, 0.1, 0, 1, 10)",
    "quantile(a, 5e-324, 0, 1)",
    "f by s ('x', 'y')",
    "mean(a, 0, 1) by b (0, 1)",
    "f given a > 1",
    "mean(a, 0, 1) given f or g",
]


def agreed(asked: Question, value: object) -> None:
    """The JSON form, its text and the question in words are one question."""
    read = from_json(value, SCHEMA)
    assert (read.form, read.digest) == (asked.form, asked.digest)
    assert to_json(read.form) == to_json(asked.form)
    assert parse_question(read.text, SCHEMA) == read
    assert json.loads(read.text) == value
    if isinstance(asked.form, Histogram | Grouped) and isinstance(read.form, Histogram | Grouped):
        assert read.form.labels == asked.form.labels


@pytest.mark.parametrize("text", QUESTIONS)
def test_what_is_written_is_read_back(text: str) -> None:
    asked = parse_question(text, SCHEMA)
    value = to_json(asked.form)
    assert isinstance(value, list)
    agreed(asked, value)
    assert parse_question([*value], SCHEMA) == from_json(value, SCHEMA)
    assert parse_question(f" \n{json.dumps(value, indent=1)}", SCHEMA).digest == asked.digest


@given(predicates(), numerics(DYADIC, DYADIC_DIVISORS), st.integers(0, 6))
def test_every_form_travels(condition: Predicate, number: Numeric, kind: int) -> None:
    cells = Values(Column("s"), ("y", "x"))
    mean = Mean(number, -1.0, 1.0, 0.5)
    forms: list[Form] = [
        Share(condition),
        mean,
        Quantile(number, Fraction(1, 3), 0.0, 1.0, 7),
        Histogram(Edges(number, (0.0, 1.0)), condition),
        Histogram(cells, mean),
        Grouped(cells, condition),
        Given(mean, condition),
    ]
    as_written = forms[kind]
    try:
        plain = canonical_form(as_written)
        question = from_json(to_json(as_written), SCHEMA)
    except QuestionError as error:  # what no question may say
        assert "always" in error.problem or "division by 0" in error.problem  # noqa: PT017
        return
    assert question.form == plain
    assert form_text(question.form) == form_text(plain)
    agreed(question, to_json(plain))


def refused(value: object, schema: Schema = SCHEMA) -> QuestionError:
    with pytest.raises(QuestionError) as caught:
        from_json(value, schema)
    error = caught.value
    assert error.position == 0
    assert len(error.text) <= 80
    assert str(error)
    return error


ERRORS: list[tuple[object, str]] = [
    (None, "$: expected a question"),
    (5, "$: expected a question"),
    ([], "$: expected a question"),
    ([["share"]], "$: expected a question"),
    (["shares", True], "$[0]: unknown question 'shares'"),
    ({"share": True}, "$: expected a question"),
    ((("share", True)), "$: expected a question"),
    (["share"], '$: expected ["share", condition], got 0 arguments'),
    (["share", True, True], '$: expected ["share", condition], got 2 arguments'),
    (["share", a], "$[1][0]: unknown condition 'column'"),
    (["share", 1], "$[1]: expected a condition"),
    (["share", None], "$[1]: expected a condition"),
    (["share", [">", a, 1, 2]], '$[1]: expected [">", left, right], got 3 arguments'),
    (["share", [">", a, True]], "$[1][2]: expected a finite number"),
    (["share", [">", a, nan]], "$[1][2]: expected a finite number"),
    (["share", [">", a, -inf]], "$[1][2]: expected a finite number"),
    (["share", [">", a, 10**400]], "$[1][2]: expected a finite number"),
    (["share", [">", a, "1"]], "$[1][2]: expected a finite number"),
    (["share", [">", a, ["column", "zz"]]], "$[1][2][1]: unknown column 'zz'"),
    (["share", [">", a, ["column", 5]]], "$[1][2][1]: expected text"),
    (["share", [">", a, ["column"]]], '$[1][2]: expected ["column", name], got 0 arguments'),
    (["share", [">", a, ["column", "day"]]],
     "$[1][2]: expected a column of numbers or dates, got 'day' of unsupported"),
    (["share", [">", s, 1]], "$[1][0]: columns of text can be compared with = and != only"),
    (["share", ["=", s, 1]], "$[1][2]: expected a column such as"),
    (["share", ["=", s, a]], "$[1][2]: expected a column of text, got 'a' of number"),
    (["share", ["=", a, f]], "$[1][1]: expected a column of true/false, got 'a' of number"),
    (["share", [">", ["+", a, s], 1]], "$[1][1][2]: expected a column of numbers or dates"),
    (["share", [">", ["+", a], 1]], "$[1][1]: '+' needs two numbers or more"),
    (["share", [">", ["/", a, 0.0], 1]], "$[1][1][2]: division by 0"),
    (["share", [">", ["^", a, 2], 1]], "$[1][1][0]: unknown number '^'"),
    (["share", [">", ["clip", a, 2, 1], 1]], "$[1][1][3]: high must not be below low = 2, got 1"),
    (["share", [">", ["clip", a, b, 1], 1]], "$[1][1][2]: expected a finite number"),
    (["share", [">", ["if", a, 1, 2], 1]], "$[1][1][1][0]: unknown condition 'column'"),
    (["share", [">", ["year", a], 1]], "$[1][1][1]: expected a column of dates, got 'a' of number"),
    (["share", [">", ["year", ["+", d, 1]], 1]], "$[1][1][1]: expected [\"column\", name], got 2"),
    (["share", [">", ["hour", d], 1]], "$[1][1][1]: a date has no hour"),
    (["share", ["in", a, []]], "$[1][2]: an empty list"),
    (["share", ["in", a, 1]], "$[1][2]: expected a list"),
    (["share", ["in", a, [1, "x"]]], "$[1][2][1]: expected a finite number"),
    (["share", ["in", s, ["x", 1]]], "$[1][2][1]: expected text"),
    (["share", ["in", f, [True]]], "$[1][1]: expected a column of numbers or dates"),
    (["share", ["in", s, ["\ud800"]]], "$[1][2][0]: half of a character pair"),
    (["share", ["begins with", a, "x"]], "$[1][1]: expected a column of text"),
    (["share", ["begins with", s, ""]], "$[1][2]: empty text"),
    (["share", ["not between", s, "x"]], "$[1][0]: unknown condition 'not between'"),
    (["share", ["is true", a]], "$[1][1]: expected a column of true/false"),
    (["share", ["is null", True]], "$[1][1]: expected a finite number"),
    (["share", ["and"]], "$[1]: 'and' without terms"),
    (["share", ["and", [">", a, 1], ["or", f]]], "$[1][2][1][0]: unknown condition 'column'"),
    (["share", ["not"]], '$[1]: expected ["not", condition]'),
    (["mean", a, 0, 1], '$: expected ["mean", number, low, high, missing], got 3 arguments'),
    (["mean", a, 1, 0, 1], "$: high must be above low = 1, got 0"),
    (["mean", a, 0, 1, "x"], "$[4]: expected a finite number"),
    (["mean", a, 0, 1, 2], "$: missing must be from 0 to 1, got 2"),
    (["mean", f, 0, 1, 0], "$[1]: expected a column of numbers or dates"),
    (["quantile", a, 0.5, 0, 1, 10], "$[2]: expected text"),
    (["quantile", a, "half", 0, 1, 10], "$[2]: expected a level"),
    (["quantile", a, "1/0", 0, 1, 10], "$[2]: expected a level"),
    (["quantile", a, "3/2", 0, 1, 10], "$: level must be strictly between 0 and 1"),
    (["quantile", a, "1/2", 0, 1, 10.0], "$[5]: expected a whole number of steps"),
    (["quantile", a, "1/2", 0, 1, True], "$[5]: expected a whole number of steps"),
    (["quantile", a, "1/2", 0, 1, 1], "$: steps must be a whole number from 2"),
    (["histogram", ["edges", a, [1, 0]], None], "$[1]: edge 2 must be a finite number above"),
    (["histogram", ["edges", a, []], None], "$[1]: cells must be from 1 to 10,000, got 0"),
    (["histogram", ["edges", s, [1]], None], "$[1][1]: expected a column of numbers or dates"),
    (["histogram", ["values", s, ["x", "x"]], None], "$[1]: value 2 must be one that is not"),
    (["histogram", ["values", s, [1]], None], "$[1][2][0]: expected text"),
    (["histogram", ["values", f, [1]], None], "$[1][2][0]: expected true or false"),
    (["histogram", ["values", a, [1]], None], "$[1][1]: expected a column of text or of true"),
    (["histogram", ["bins", a, [1]], None], "$[1][0]: expected 'edges' or 'values', got 'bins'"),
    (["histogram", ["edges", a, [1]], a], "$[2][0]: unknown condition 'column'"),
    (["histogram", ["edges", a, [1]], ["mean", a]], '$[2]: expected ["mean", number, low'),
    (["histogram", ["edges", a, list(range(MOST_CELLS))], None], "$[1]: cells must be from 1"),
    (["by", ["values", f, [True]], None], "$[2]: expected a condition"),
    (["given", ["histogram", ["values", f, [True]], None], True],
     "$[1][0]: expected 'share' or 'mean', got 'histogram'"),
    (["given", ["share", ["is true", f]], a], "$[2][0]: unknown condition 'column'"),
    (["share", [">", ["+", a, 1e308, 1e308], 1]], "$: arithmetic on constants overflows"),
    (["share", True], "the question is always true"),
    (["mean", None, 0, 1, 0], "the number is always null"),
]  # fmt: skip


@pytest.mark.parametrize(("value", "problem"), ERRORS, ids=[problem for _, problem in ERRORS])
def test_errors_name_the_path(value: object, problem: str) -> None:
    assert refused(value).problem.startswith(problem)


def nested(levels: int, wrap: Callable[[object], object], inside: object = None) -> object:
    for _ in range(levels):
        inside = wrap(inside)
    return inside


def test_hostile_values_are_refused_cleanly() -> None:
    deep = nested(100_000, lambda inner: [inner])
    assert "nested more than" in refused(deep).problem
    assert "nested more than" in refused(["share", deep]).problem
    negations = nested(100_000, lambda inner: ["not", inner], True)
    assert "nested more than" in refused(["share", negations]).problem
    wide = ["share", ["and", *[["is true", f]] * MOST_JSON_VALUES]]
    assert refused(wide).problem == f"$: more than {MOST_JSON_VALUES:,} values"
    bomb = nested(60, lambda inner: ["and", inner, inner], ["is true", f])
    assert refused(["share", bomb]).problem == f"$: more than {MOST_JSON_VALUES:,} values"
    itself: list[object] = ["share"]
    itself.append(itself)
    assert "nested more than" in refused(itself).problem
    long = ["share", ["in", s, ["x" * MOST_JSON_CHARACTERS, "y"]]]
    assert "characters" in refused(long).problem
    for odd in ({(1, 2): 3}, [{(1, 2): 3}], ["share", {1, 2}], [object()], ["share", b"x"]):
        refused(odd)


def test_trees_have_as_many_levels_as_in_words() -> None:
    def share(levels: int) -> list[object]:
        return ["share", [">", nested(levels - 2, lambda inner: ["/", inner, 2.0], a), 1.0]]

    from_json(share(MOST_LEVELS), SCHEMA)
    error = refused(share(MOST_LEVELS + 1))
    assert error.problem == f"$[1]: a tree of more than {MOST_LEVELS} levels"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('["share", [">", ["column", "a"], NaN]]', "not JSON"),
        ('["share", [">", ["column", "a"], 1e999]]', "$[1][2]: expected a finite number"),
        ('["share", [">", ["column", "a"], 1]', "not JSON"),
        ('["share", ' + "9" * 5_000 + "]", "not JSON"),
        ('["share",' + "[" * 90_000, "$: nested more than"),
        ('["share",' + " " * MOST_JSON_CHARACTERS + "true]", "more than"),
        ('["share", true] and f', "not JSON"),
    ],
    ids=["NaN", "infinite", "open", "digits", "deep", "long", "behind"],
)
def test_json_text_is_checked_like_values(text: str, problem: str) -> None:
    with pytest.raises(QuestionError) as caught:
        parse_question(text, SCHEMA)
    assert caught.value.problem.startswith(problem)


def test_brackets_in_words_are_no_json() -> None:
    asked = parse_question("[a > 1]", SCHEMA)
    assert asked.digest == parse_question("a > 1", SCHEMA).digest
    quoted = parse_question('["2013-01-01"] < d', SCHEMA)
    assert quoted.digest == parse_question("d > '2013-01-01'", SCHEMA).digest


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.floats()
    | st.integers()
    | st.sampled_from(
        ["share", "mean", "and", "or", "not", ">", "in", "is null", "column", "a", "s", "d", "if",
         "clip", "year", "edges", "values", "by", "given", "histogram", "quantile", "1/2"]
    ),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=12,
)  # fmt: skip


def read_or_refused(value: object) -> None:
    """Nothing but a QuestionError may be raised."""
    try:
        from_json(value, SCHEMA)
    except QuestionError as error:
        if not str(error):
            raise


@given(JSON)
def test_any_value_is_read_or_refused_with_a_question_error(value: object) -> None:
    read_or_refused(value)


@given(st.sampled_from(QUESTIONS), JSON, st.data())
def test_any_change_is_read_or_refused_with_a_question_error(
    text: str, other: object, data: st.DataObject
) -> None:
    value = copy.deepcopy(to_json(parse_question(text, SCHEMA).form))
    place: object = value
    while isinstance(place, list) and place:
        index = data.draw(st.integers(0, len(place) - 1))
        if not isinstance(place[index], list) or data.draw(st.booleans()):
            place[index] = other
            break
        place = place[index]
    read_or_refused(value)
