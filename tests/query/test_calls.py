"""Calls, cases, patterns and dates as they are written in questions."""

from __future__ import annotations

import pytest

from peekproof.core.errors import QuestionError, TypeMismatch, UnknownColumn
from peekproof.query.form import Share
from peekproof.query.parser import read
from peekproof.query.schema import Kind, Schema
from peekproof.query.tree import (
    FIELDS,
    And,
    Clip,
    Column,
    Compare,
    Flag,
    If,
    IsNull,
    Matches,
    Member,
    Missing,
    Not,
    Number,
    Numeric,
    Part,
    Predicate,
    Product,
    Quotient,
    Sum,
)
from query.strategies import SCHEMA

A, B, S, F = Column("a"), Column("b"), Column("s"), Column("f")
D, E, M = Column("d"), Column("e"), Column("m")
FLAGGED = Flag(F, False)
JUNE = 15857.0  # 2013-06-01
DAY = 86_400e6


def num(value: float) -> Number:
    return Number(float(value))


def minus(node: Numeric) -> Product:
    return Product((num(-1), node))


def over(node: Numeric, value: float = 1.0) -> Compare:
    return Compare(">", node, num(value))


GRAMMAR: list[tuple[str, Predicate]] = [
    # text
    ("s like 'x%'", Matches(S, "begins with", "x", False)),
    ("s LIKE '%x'", Matches(S, "ends with", "x", False)),
    ('s like "%x%"', Matches(S, "contains", "x", False)),
    ("s not like '%x%'", Not(Matches(S, "contains", "x", False))),
    ("s like 'x'", Member(S, ("x",), False)),
    ("s like ''", Member(S, ("",), False)),
    (r"s like '%100\%%'", Matches(S, "contains", "100%", False)),
    ("startswith(s, 'x')", Matches(S, "begins with", "x", False)),
    ("EndsWith(`s`, 'x%')", Matches(S, "ends with", "x%", False)),
    ("not contains((s), '_')", Not(Matches(S, "contains", "_", False))),
    # numbers
    ("clip(a, -1, 2 * 5) > 1", over(Clip(A, -1.0, 10.0))),
    ("clip(a + b, 1, 1) > 1", over(Clip(Sum((A, B)), 1.0, 1.0))),
    ("abs(a) > 1", over(If(Compare("<", A, num(0)), minus(A), A))),
    ("if(f, a, b) > 1", over(If(FLAGGED, A, B))),
    ("if(a > 1 or f, null, 2) is null",
     IsNull(If(read("a > 1 or f", SCHEMA).predicate, Missing(), num(2)), False)),  # type: ignore[union-attr]
    ("case when f then a end > 1", over(If(FLAGGED, A, Missing()))),
    ("case when f then a else null end > 1", over(If(FLAGGED, A, Missing()))),
    ("CASE WHEN f THEN a WHEN a > 1 THEN 2 ELSE b + 1 END > 1",
     over(If(FLAGGED, A, If(over(A), num(2), Sum((B, num(1))))))),
    ("2 * case when f then 1 else 0 end > 1", over(Product((num(2), If(FLAGGED, num(1), num(0)))))),
    # parts of dates
    ("year(d) > 1", over(Part("year", D, "day"))),
    ("WEEKDAY((m)) in (6, 7)", Member(Part("weekday", M, "microsecond"), (6.0, 7.0), False)),
    ("hour(m) + second(m) > 1",
     over(Sum((Part("hour", M, "microsecond"), Part("second", M, "microsecond"))))),
    # dates
    ("d > '2013-06-01'", Compare(">", D, num(JUNE))),
    ("'2013-06-01' < d", Compare(">", D, num(JUNE))),
    ("d = date '2013-06-01'", Compare("=", D, num(JUNE))),
    ("DATE '2013-06-01' <= d < \"2013-06-02\"",
     And((Compare(">=", D, num(JUNE)), Compare("<", D, num(JUNE + 1))))),
    ("d between '2013-06-01' and e", And((Compare(">=", D, num(JUNE)), Compare("<=", D, E)))),
    ("d not in ('2013-06-01', date '2013-06-02')", Not(Member(D, (JUNE, JUNE + 1), False))),
    ("d is null", IsNull(D, False)),
    ("d + 1 is not null", IsNull(Sum((D, num(1))), True)),
    ("d != e", Compare("!=", D, E)),
    ("m >= '2013-06-01'", Compare(">=", M, num(JUNE * DAY))),
    ("m < timestamp '2013-06-01'", Compare("<", M, num(JUNE * DAY))),
    ("m < '2013-06-01T12:00:00.5+02:00'", Compare("<", M, num((JUNE * 24 + 10) * 3600e6 + 5e5))),
    ("m in ('2013-06-01', '2013-06-01 00:00:01')",
     Member(M, (JUNE * DAY, JUNE * DAY + 1e6), False)),
    # a date that meets a moment is its midnight
    ("d < m", Compare("<", Product((num(DAY), D)), M)),
    ("d > '2013-06-01 12:00'", Compare(">", Product((num(DAY), D)), num((JUNE + 0.5) * DAY))),
    ("d in ('2013-06-01', '2013-06-01 12:00')",
     Member(Product((num(DAY), D)), (JUNE * DAY, (JUNE + 0.5) * DAY), False)),
    # arithmetic
    ("d - e > 1", over(Sum((D, minus(E))))),
    ("d - '2013-06-01' > 1", over(Sum((D, num(-JUNE))))),
    ("'2013-06-01' - d > 1", over(Sum((num(JUNE), minus(D))))),
    ("m - '2013-06-01' > 1", over(Quotient(Sum((M, num(-JUNE * DAY))), num(1e6)))),
    ("m - d > 1", over(Quotient(Sum((M, minus(Product((num(DAY), D))))), num(1e6)))),
    ("d + 1 > e", Compare(">", Sum((D, num(1))), E)),
    ("1 + d - a > e", Compare(">", Sum((Sum((D, num(1))), minus(A))), E)),
    ("a + b + d > e", Compare(">", Sum((D, Sum((A, B)))), E)),
    ("m + 60 > '2013-06-01'",
     Compare(">", Sum((M, Product((num(1e6), num(60))))), num(JUNE * DAY))),
    ("m - a > '2013-06-01'",
     Compare(">", Sum((M, Product((num(1e6), minus(A))))), num(JUNE * DAY))),
    ("d - e + 1 > 1", over(Sum((Sum((D, minus(E))), num(1))))),
]  # fmt: skip


@pytest.mark.parametrize(("text", "tree"), GRAMMAR, ids=[text for text, _ in GRAMMAR])
def test_grammar(text: str, tree: Predicate) -> None:
    assert read(text, SCHEMA) == Share(tree)


ERRORS: list[tuple[str, type[QuestionError], int, int, str]] = [
    ("s like 'a_b'", QuestionError, 7, 5,
     "a pattern with _, or with % or \\ in a place that is not supported"),
    ("s like 'a%b'", QuestionError, 7, 5,
     "a pattern with _, or with % or \\ in a place that is not supported"),
    ("s like t", QuestionError, 7, 1, "expected a quoted pattern after 'like'"),
    ("a like 'x'", TypeMismatch, 0, 1, "'like' needs a text column"),
    ("'x' like 'x'", TypeMismatch, 0, 3, "'like' needs a text column"),
    ("startswith(a, 'x')", TypeMismatch, 11, 1, "startswith needs a text column"),
    ("startswith(s, t)", TypeMismatch, 14, 1, "startswith needs quoted text"),
    ("startswith(s)", QuestionError, 12, 1,
     "startswith needs more arguments: startswith(column, 'text')"),
    ("startswith(s, 'x') = 1", TypeMismatch, 0, 10, "a true/false value where a number is needed"),
    ("clip(a, 2, 1) > 1", QuestionError, 11, 1, "high must not be below low = 2, got 1"),
    ("clip(a, b, 1) > 1", TypeMismatch, 8, 1, "a column where a constant is needed"),
    ("clip(a, 1) > 1", QuestionError, 9, 1, "clip needs more arguments: clip(x, low, high)"),
    ("clip() > 1", QuestionError, 5, 1, "clip needs more arguments: clip(x, low, high)"),
    ("clip(a, 1, 2, 3) > 1", QuestionError, 12, 1, "expected ')', found ','"),
    ("clip(s, 1, 2) > 1", TypeMismatch, 5, 1, "text where a number is needed"),
    ("abs(f) > 1", TypeMismatch, 4, 1, "a true/false value where a number is needed"),
    ("abs(a, b) > 1", QuestionError, 5, 1, "expected ')', found ','"),
    ("if(a, 1, 2) > 1", TypeMismatch, 3, 1, "a number where a condition is needed"),
    ("if(f, 1) > 1", QuestionError, 7, 1, "if needs more arguments: if(condition, x, y)"),
    ("if(f, s, 1) > 1", TypeMismatch, 6, 1, "text where a number is needed"),
    ("if(f, d, e) > 1", TypeMismatch, 6, 1, "a date where a number is needed"),
    ("if(f, g, 1) > 1", TypeMismatch, 6, 1, "a true/false value where a number is needed"),
    ("case when f then 1 > 1", QuestionError, 19, 1, "expected 'end', found '>'"),
    ("case when f 1 end > 1", QuestionError, 12, 1, "expected 'then', found '1'"),
    ("case when a then 1 end > 1", TypeMismatch, 10, 1, "a number where a condition is needed"),
    ("case when f then 1 else 2 when g then 3 end > 1", QuestionError, 26, 4,
     "expected 'end', found 'when'"),
    ("case f when true then 1 end", UnknownColumn, 0, 4, "unknown column 'case'"),
    ("null > 1", QuestionError, 0, 4, "unexpected 'null'"),
    ("if(f, null + 1, 2) > 1", QuestionError, 11, 1, "expected ',', found '+'"),
    ("clp(a, 0, 1) > 1", QuestionError, 0, 3, "unknown function 'clp'"),
    ("1 < a (b)", QuestionError, 6, 1, "unexpected '('"),
    ("year(a) > 1", TypeMismatch, 5, 1, "year needs a column of dates or of dates and times"),
    ("year(d + 1) > 1", TypeMismatch, 5, 1, "year needs a column of dates or of dates and times"),
    ("year('2013-06-01') > 1", TypeMismatch, 5, 12,
     "year needs a column of dates or of dates and times"),
    ("hour(d) > 1", TypeMismatch, 5, 1, "a date has no hour"),
    ("d > '2013-13-01'", QuestionError, 4, 12, "'2013-13-01' is not a date"),
    ("d > '1 June'", QuestionError, 4, 8, "'1 June' is not a date"),
    ("'June' < d", QuestionError, 0, 6, "'June' is not a date"),
    ("d in ('2013-06-01', 'x')", QuestionError, 20, 3, "'x' is not a date"),
    ("d in (e)", TypeMismatch, 6, 1, "expected a quoted date in the list"),
    ("d between '2013-06-01' and 'x'", QuestionError, 27, 3, "'x' is not a date"),
    ("d between '2013-06-02' and '2013-06-01'", QuestionError, 10, 12,
     "the range from 2013-06-02 to 2013-06-01 is empty"),
    ("d > date '2013-06-01 12:00'", QuestionError, 9, 18, "a date and time where a date is needed"),
    ("d > date '2013'", QuestionError, 9, 6, "'2013' is not a date"),
    ("d > 5", TypeMismatch, 4, 1, "a number where a date is needed"),
    ("5 < d", TypeMismatch, 0, 1, "a number where a date is needed"),
    ("d > s", TypeMismatch, 4, 1, "text where a date is needed"),
    ("d = f", TypeMismatch, 4, 1, "a true/false value where a number is needed"),
    ("d in (5)", TypeMismatch, 6, 1, "a number where a date is needed"),
    ("d between 1 and 2", TypeMismatch, 10, 1, "a number where a date is needed"),
    ("a between d and 2", TypeMismatch, 0, 1, "a number where a date is needed"),
    ("d * 2 > 1", TypeMismatch, 0, 1, "a date where a number is needed"),
    ("a / m > 1", TypeMismatch, 4, 1, "a date and time where a number is needed"),
    ("-d > 1", TypeMismatch, 1, 1, "a date where a number is needed"),
    ("d + e > 1", TypeMismatch, 2, 1, "two dates added to each other"),
    ("1 - d > 1", TypeMismatch, 4, 1, "a date where a number is needed"),
    ("d + f > 1", TypeMismatch, 4, 1, "a true/false value where a number is needed"),
    ("d - s > 1", TypeMismatch, 4, 1, "text where a date is needed"),
    ("d", TypeMismatch, 0, 1, "a date where a condition is needed"),
    ("f and m", TypeMismatch, 6, 1, "a date and time where a condition is needed"),
    ("abs(d) > 1", TypeMismatch, 4, 1, "a date where a number is needed"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("text", "kind", "position", "length", "problem"), ERRORS, ids=[each[0] for each in ERRORS]
)
def test_errors_name_the_problem_and_point_at_it(
    text: str, kind: type[QuestionError], position: int, length: int, problem: str
) -> None:
    with pytest.raises(QuestionError) as caught:
        read(text, SCHEMA)
    error = caught.value
    assert type(error) is kind
    assert error.problem == problem
    assert (error.position, error.length) == (position, length)


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("s like 'a_b'", "startswith, endswith or contains"),
        ("clp(a, 0, 1) > 1", "did you mean 'clip'?"),
        ("yaer(d) > 1", "did you mean 'year'?"),
        ("f and foo(a) > 1", "the functions are clip, abs, coalesce, if"),
        ("d > 5", "'2013-06-01'"),
        ("d > 'x'", "'2013-06-01 12:30'"),
        ("d * 2 > 1", "year("),
        ("d + e > 1", "subtract them"),
        ("clip(a, 2, 1) > 1", "smaller bound first"),
        ("a = null", "'is null'"),
        ("abs(a, b) > 1", "write abs(x)"),
        ("case when f then 1 > 1", "case when … then … else … end"),
    ],
)
def test_errors_say_what_to_do(text: str, hint: str) -> None:
    with pytest.raises(QuestionError) as caught:
        read(text, SCHEMA)
    assert hint in caught.value.hint


WORDS = (
    "case", "when", "then", "else", "end", "like", "where", "given", "by", "bins", "date",
    "timestamp", "clip", "abs", "if", "startswith", "endswith", "contains", *FIELDS,
)  # fmt: skip


@pytest.mark.parametrize("word", WORDS)
def test_words_of_the_language_are_names_of_columns_too(word: str) -> None:
    schema = Schema({**dict.fromkeys(WORDS, Kind.NUMBER), "f": Kind.FLAG, "s": Kind.TEXT})
    column = Column(word)
    for text in (f"{word} > 1", f"1 < {word}", f"(`{word}`) > 1", f"+{word.upper()} > 1"):
        if text.startswith("+"):
            with pytest.raises(UnknownColumn):
                read(text, schema)
        else:
            assert read(text, schema) == Share(over(column))
    assert read(f"{word} between {word} and 2", schema) == Share(
        And((Compare(">=", column, column), Compare("<=", column, num(2))))
    )
    name = "`case`" if word == "case" else word  # bare, `then case when` begins a case inside
    chosen = read(f"case when f then {name} when {word} > 1 then 2 else {word} end > 1", schema)
    assert chosen == Share(over(If(FLAGGED, column, If(over(column), num(2), column))))
    assert read(f"clip({word}, 0, 1) > 1", schema) == Share(over(Clip(column, 0.0, 1.0)))


def test_text_columns_may_have_the_names_of_what_stands_behind_them() -> None:
    schema = Schema(dict.fromkeys(("like", "date", "timestamp"), Kind.TEXT))
    like = Matches(Column("like"), "begins with", "x", False)
    assert read("like like 'x%'", schema) == Share(like)
    assert read("date = 'x'", schema) == Share(Member(Column("date"), ("x",), False))
