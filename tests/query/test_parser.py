from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.errors import QuestionError, TypeMismatch, UnknownColumn
from peekproof.query.canonical import canonical
from peekproof.query.form import Share
from peekproof.query.parser import MOST_LEVELS, read
from peekproof.query.question import parse_question
from peekproof.query.schema import Kind, Schema
from peekproof.query.tokens import MOST_CHARACTERS, MOST_DEPTH, MOST_REPEATED
from peekproof.query.tree import (
    And,
    Column,
    Compare,
    Constant,
    Flag,
    IsNull,
    Member,
    Not,
    Number,
    Numeric,
    Or,
    Predicate,
    Product,
    Quotient,
    Sum,
)
from query.naive import Cell, truth
from query.strategies import SCHEMA, predicates, rows, spelled

A, B, C = Column("a"), Column("b"), Column("c")
S, T, F, G = Column("s"), Column("t"), Column("f"), Column("g")


def parse(text: str, schema: Schema) -> Predicate:
    form = read(text, schema)
    assert isinstance(form, Share)
    return form.predicate


def num(value: float) -> Number:
    return Number(value)


def over(column: Column, value: float) -> Compare:
    return Compare(">", column, num(value))


def minus(node: Numeric) -> Product:
    return Product((num(-1), node))


# Every line of the grammar --------------------------------------------------------------------

GRAMMAR: list[tuple[str, Predicate]] = [
    # comparisons, with the literal moved to the right
    ("a < 1", Compare("<", A, num(1))),
    ("a <= 1", Compare("<=", A, num(1))),
    ("a > 1", over(A, 1)),
    ("a >= 1", Compare(">=", A, num(1))),
    ("a = 1", Compare("=", A, num(1))),
    ("a <> 1", Compare("!=", A, num(1))),
    ("1 < a", over(A, 1)),
    ("a < b", Compare("<", A, B)),
    # chains
    ("1 < a <= 5", And((over(A, 1), Compare("<=", A, num(5))))),
    ("1 < a < b < c", And((over(A, 1), Compare("<", A, B), Compare("<", B, C)))),
    ("a = b = 1", And((Compare("=", A, B), Compare("=", B, num(1))))),
    # ranges
    ("a between 1 and 5", And((Compare(">=", A, num(1)), Compare("<=", A, num(5))))),
    ("a between -5 and -1", And((Compare(">=", A, num(-5)), Compare("<=", A, num(-1))))),
    ("a between b and c", And((Compare(">=", A, B), Compare("<=", A, C)))),
    ("a not between 1 and 1", Not(And((Compare(">=", A, num(1)), Compare("<=", A, num(1)))))),
    (
        "a between 1 and 5 and b > 2",
        And((And((Compare(">=", A, num(1)), Compare("<=", A, num(5)))), over(B, 2))),
    ),
    # membership
    ("a in (1, -2)", Member(A, (1.0, -2.0), False)),
    ("a not in [3]", Not(Member(A, (3.0,), False))),
    ("a + b in (3)", Member(Sum((A, B)), (3.0,), False)),
    ("s in ('x', \"y\")", Member(S, ("x", "y"), False)),
    ("s not in ('x')", Not(Member(S, ("x",), False))),
    # null
    ("a is null", IsNull(A, False)),
    ("(a) is not null", IsNull(A, True)),
    ("s is null", IsNull(S, False)),
    ("f is not null", IsNull(F, True)),
    ("a + 1 is null", IsNull(Sum((A, num(1))), False)),
    ("a / b is not null", IsNull(Quotient(A, B), True)),
    # division
    ("a / b > 1", Compare(">", Quotient(A, B), num(1))),
    ("a / (b - 1) > 1", Compare(">", Quotient(A, Sum((B, num(-1)))), num(1))),
    ("a / (1 + 1) > 1", Compare(">", Quotient(A, num(2)), num(1))),
    # text
    ("s = 'x'", Member(S, ("x",), False)),
    ("'x' != s", Member(S, ("x",), True)),
    ("s = t", Compare("=", S, T)),
    ("s != t", Compare("!=", S, T)),
    # true/false
    ("f", Flag(F, False)),
    ("not f", Not(Flag(F, False))),
    ("f = true", Flag(F, False)),
    ("f = false", Not(Flag(F, False))),
    ("false != f", Flag(F, False)),
    ("true != f", Not(Flag(F, False))),
    ("f = g", Compare("=", F, G)),
    ("true", Constant(True)),
    ("FALSE", Constant(False)),
    # precedence
    ("a > 1 or b > 2 and c > 3", Or((over(A, 1), And((over(B, 2), over(C, 3)))))),
    ("a > 1 and b > 2 or c > 3", Or((And((over(A, 1), over(B, 2))), over(C, 3)))),
    ("(a > 1 or b > 2) and c > 3", And((Or((over(A, 1), over(B, 2))), over(C, 3)))),
    ("not a > 1 and b > 2", And((Not(over(A, 1)), over(B, 2)))),
    ("not (a > 1 and b > 2)", Not(And((over(A, 1), over(B, 2))))),
    ("a > 1 and not b > 2", And((over(A, 1), Not(over(B, 2))))),
    ("not not a > 1", over(A, 1)),
    ("a + b * c > 1", Compare(">", Sum((A, Product((B, C)))), num(1))),
    ("(a + b) * c > 1", Compare(">", Product((Sum((A, B)), C)), num(1))),
    ("a - b - c > 1", Compare(">", Sum((A, minus(B), minus(C))), num(1))),
    ("a - (b - c) > 1", Compare(">", Sum((A, minus(Sum((B, minus(C)))))), num(1))),
    ("-a * b > 1", Compare(">", Product((num(-1), A, B)), num(1))),
    ("a * -b > 1", Compare(">", Product((A, minus(B))), num(1))),
    ("a * b * c > 1", Compare(">", Product((A, B, C)), num(1))),
    ("a / 2 * b > 1", Compare(">", Product((Quotient(A, num(2)), B)), num(1))),
    ("a * b / 2 > 1", Compare(">", Quotient(Product((A, B)), num(2)), num(1))),
    ("a / 2 / -4 > 1", Compare(">", Quotient(Quotient(A, num(2)), num(-4)), num(1))),
    ("- - a > +1", Compare(">", minus(minus(A)), num(1))),
    ("a > -1", over(A, -1)),
    # spellings
    ("a == 1 && b > 2", And((Compare("=", A, num(1)), over(B, 2)))),
    ("a > 1 & b > 2 | !f", Or((And((over(A, 1), over(B, 2))), Not(Flag(F, False))))),
    ("~f || NOT g", Or((Not(Flag(F, False)), Not(Flag(G, False))))),
    ("a BETWEEN 1 AND 5", And((Compare(">=", A, num(1)), Compare("<=", A, num(5))))),
    ("`a` > 1_000.5e-1", over(A, 100.05)),
    ("a>.5", over(A, 0.5)),
]


@pytest.mark.parametrize(("text", "tree"), GRAMMAR, ids=[text for text, _ in GRAMMAR])
def test_grammar(text: str, tree: Predicate) -> None:
    assert parse(text, SCHEMA) == tree


def test_names_that_are_keywords_or_have_spaces_are_written_in_backticks() -> None:
    schema = Schema({"and": Kind.NUMBER, "net income": Kind.NUMBER, "nan": Kind.NUMBER})
    tree = And((over(Column("and"), 1), over(Column("net income"), 2), over(Column("nan"), 3)))
    assert parse("`and` > 1 and `net income` > 2 and nan > 3", schema) == tree


def unless_divided_by_zero(text: str) -> Predicate | None:
    """The tree; None if a divisor is always 0, which a tree can say and a question cannot."""
    try:
        return parse(text, SCHEMA)
    except QuestionError as error:
        if "division by 0" not in error.problem:
            raise
        return None


@given(predicates(), st.lists(rows(), min_size=1, max_size=4), st.data())
def test_every_tree_can_be_written_and_read_back(
    tree: Predicate, some: list[dict[str, Cell]], data: st.DataObject
) -> None:
    text = spelled(tree, lambda options: data.draw(st.sampled_from(options)))
    found = unless_divided_by_zero(text)
    if found is None:
        return
    assert canonical(found) == canonical(tree)
    for row in some:
        assert truth(found, row) is truth(tree, row)


# Errors ---------------------------------------------------------------------------------------

ERRORS: list[tuple[str, type[QuestionError], int, int, str]] = [
    ("", QuestionError, 0, 1, "the question is empty"),
    ("  \n", QuestionError, 3, 1, "the question is empty"),
    ("a >", QuestionError, 3, 1, "the question ends after '>'"),
    ("a > 1 and", QuestionError, 9, 1, "the question ends after 'and'"),
    ("a > 1 b", QuestionError, 6, 1, "unexpected 'b'"),
    ("a > 1)", QuestionError, 5, 1, "unexpected ')'"),
    ("(a > 1", QuestionError, 6, 1, "expected ')', found the end"),
    ("a > * 2", QuestionError, 4, 1, "unexpected '*'"),
    ("a = null", QuestionError, 4, 4, "unexpected 'null'"),
    ("a not 5", QuestionError, 6, 1, "expected 'in', 'between' or 'like' after 'not'"),
    ("a in 5", QuestionError, 5, 1, "expected '(', found '5'"),
    ("a in ()", QuestionError, 6, 1, "unexpected ')'"),
    ("a in (1 2)", QuestionError, 8, 1, "expected ')', found '2'"),
    ("a in (1,)", QuestionError, 8, 1, "unexpected ')'"),
    ("a is nothing", QuestionError, 5, 7, "expected 'null', found 'nothing'"),
    ("a between 1 or 2", QuestionError, 12, 2, "expected 'and', found 'or'"),
    ("a between 5 and 1", QuestionError, 10, 1, "the range from 5 to 1 is empty"),
    ("1e999 > a", QuestionError, 0, 5, "a number too large for double precision"),
    ("a / 0 > 1", QuestionError, 4, 1, "division by 0, which is null in every row"),
    ("a / -0.0 > 1", QuestionError, 4, 1, "division by 0, which is null in every row"),
    ("a / 1e-999 > 1", QuestionError, 4, 6, "division by 0, which is null in every row"),
    ("a / (1 - 1) > 1", QuestionError, 4, 1, "division by 0, which is null in every row"),
    ("a / clip(5, -1, 0) > 1", QuestionError, 4, 4, "division by 0, which is null in every row"),
    ("b * a / if(1 > 2, 1, 0) > 1", QuestionError, 8, 2,
     "division by 0, which is null in every row"),
    ("a > nan", QuestionError, 4, 3, "nan is not a number that a question can use"),
    ("a between 0 and NaN", QuestionError, 16, 3, "NaN is not a number that a question can use"),
    ("a < Infinity", QuestionError, 4, 8, "Infinity is not a number that a question can use"),
    ("a in (inf)", QuestionError, 6, 3, "inf is not a number that a question can use"),
    ("a > $", QuestionError, 4, 1, "unexpected character '$'"),
    ("s = 'x", QuestionError, 4, 1, "a quotation that never ends"),
    ("income > 1", UnknownColumn, 0, 6, "unknown column 'income'"),
    ("a > `net income`", UnknownColumn, 4, 12, "unknown column 'net income'"),
    ("a", TypeMismatch, 0, 1, "a number where a condition is needed"),
    ("'x'", TypeMismatch, 0, 3, "text where a condition is needed"),
    ("a > 1 and b", TypeMismatch, 10, 1, "a number where a condition is needed"),
    ("b or a > 1", TypeMismatch, 0, 1, "a number where a condition is needed"),
    ("not s", TypeMismatch, 4, 1, "text where a condition is needed"),
    ("s > 'x'", TypeMismatch, 2, 1, "text can be compared with = and != only"),
    ("f < g", TypeMismatch, 2, 1, "true/false values can be compared with = and != only"),
    ("f >= true", TypeMismatch, 2, 2, "true/false values can be compared with = and != only"),
    ("a = 'x'", TypeMismatch, 2, 1, "text compared with something that is not text"),
    ("'x' = a", TypeMismatch, 4, 1, "text compared with something that is not text"),
    ("s = 1", TypeMismatch, 2, 1, "text compared with something that is not text"),
    ("'x' = 'y'", TypeMismatch, 4, 1, "two quoted texts compared with each other"),
    ("f > 1", TypeMismatch, 0, 1, "a true/false value where a number is needed"),
    ("f + 1 > 1", TypeMismatch, 0, 1, "a true/false value where a number is needed"),
    ("a + s > 1", TypeMismatch, 4, 1, "text where a number is needed"),
    ("a * f > 1", TypeMismatch, 4, 1, "a true/false value where a number is needed"),
    ("s * 2 > 1", TypeMismatch, 0, 1, "text where a number is needed"),
    ("-s = 1", TypeMismatch, 1, 1, "text where a number is needed"),
    ("s between 1 and 2", TypeMismatch, 0, 1, "text where a number is needed"),
    ("a between s and 2", TypeMismatch, 10, 1, "text where a number is needed"),
    ("a between 1 and f", TypeMismatch, 16, 1, "a true/false value where a number is needed"),
    ("s in ('x', 1)", TypeMismatch, 11, 1, "expected quoted text in the list"),
    ("s in (t)", TypeMismatch, 6, 1, "expected quoted text in the list"),
    ("a in ('x')", TypeMismatch, 6, 3, "expected a number in the list"),
    ("a in (b)", TypeMismatch, 6, 1, "expected a number in the list"),
    ("f in (true)", TypeMismatch, 0, 1, "a true/false value where a number is needed"),
    ("(a > 1) is null", TypeMismatch, 0, 1, "a true/false value where a number is needed"),
    ("'x' is null", TypeMismatch, 0, 3, "'is null' needs a column or a number before it"),
    ("a > 1 is null", QuestionError, 6, 2, "unexpected 'is'"),
    ("day = 1", TypeMismatch, 0, 3, "column 'day' has a type that questions cannot use"),
    ("(a > 1) = true", TypeMismatch, 0, 1, "a true/false value where a number is needed"),
]  # fmt: skip


def failure(text: str, schema: Schema = SCHEMA) -> QuestionError:
    with pytest.raises(QuestionError) as caught:
        parse(text, schema)
    return caught.value


@pytest.mark.parametrize(
    ("text", "kind", "position", "length", "problem"), ERRORS, ids=[each[0] for each in ERRORS]
)
def test_errors_name_the_problem_and_point_at_it(
    text: str, kind: type[QuestionError], position: int, length: int, problem: str
) -> None:
    error = failure(text)
    assert type(error) is kind
    assert error.problem == problem
    assert (error.position, error.length) == (position, length)
    assert error.text == text
    head, window, caret = str(error).split("\n")
    assert head.startswith(f"{problem} at character {position + 1}")
    assert window == "    " + text.replace("\n", " ")
    assert caret == "    " + " " * position + "^" * length


@pytest.mark.parametrize(("text", "position"), [("5 < f", 4), ("5 = true", 4), ("a > f", 4)])
def test_a_comparison_is_pointed_at_where_it_fails(text: str, position: int) -> None:
    assert failure(text).position == position


def test_a_long_question_is_cut_to_a_window_around_the_fault() -> None:
    text = "a > 1 and " * 500 + "income > 1 and " + "a > 1 and " * 500 + "f"
    head, window, caret = str(failure(text)).split("\n")
    assert head.startswith("unknown column 'income' at character 5001")
    start = caret.index("^")
    assert window[start : start + 6] == "income"
    assert caret[start:] == "^^^^^^"
    assert len(window) < 100


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("incmoe", "did you mean 'income'?"),
        ("INCOME", "did you mean 'income'?"),
        ("zzz", "the columns are age, income, sex"),
    ],
)
def test_unknown_columns_get_a_suggestion_or_the_list(name: str, hint: str) -> None:
    schema = Schema(dict.fromkeys(["age", "income", "sex"], Kind.NUMBER))
    error = failure(f"{name} > 1", schema)
    assert isinstance(error, UnknownColumn)
    assert (error.column, error.hint) == (name, hint)
    assert hint in str(error)


def test_a_long_list_of_columns_is_cut() -> None:
    schema = Schema({f"column_{i}": Kind.NUMBER for i in range(20)})
    hint = failure("zzz > 1", schema).hint
    assert "column_7, …" in hint
    assert "column_8" not in hint


@pytest.mark.parametrize("text", ["a > 1 or 2", "a / s > 1", "income > 1", "a = 'x'", "a in (1"])
def test_errors_say_what_to_do_or_show_where(text: str) -> None:
    error = failure(text)
    assert isinstance(error, ValueError)
    assert "^" in str(error)


# Limits ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("opening", "closing"), [("(", ")"), ("-", ""), ("+", ""), ("-(", ")")])
def test_nesting_is_limited(opening: str, closing: str) -> None:
    levels = MOST_DEPTH // len(opening)
    fits = f"{opening * levels}a{closing * levels} > 1"
    parse_question(fits, SCHEMA)
    error = failure("(" + fits + ")")
    assert error.problem == f"nested more than {MOST_DEPTH} deep"
    assert failure("(" * 10_000 + "a").position == MOST_DEPTH


def test_side_by_side_is_not_nested() -> None:
    parse_question(" and ".join(f"((a)) > {i}" for i in range(200)), SCHEMA)
    parse_question("a" + " / 2 + a" * 500 + " > 1", SCHEMA)


def test_negations_do_not_nest() -> None:
    assert parse("not " * 1000 + "f", SCHEMA) == Flag(F, False)
    assert parse("not " * 1001 + "f", SCHEMA) == Not(Flag(F, False))


def test_divisions_in_a_row_are_limited() -> None:
    fits = MOST_LEVELS - 2  # the comparison and the column are levels too
    parse_question("a" + "/2" * fits + " > 1", SCHEMA)
    error = failure("a" + "/2" * (fits + 1) + " > 1")
    assert error.problem == f"a tree of more than {MOST_LEVELS} levels"
    assert "simplify" in error.hint


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("abs(1 + ", ")"), ("clip(", ", 0, 1)"), ("if(f, 1, ", ")"), ("if(", " > 1, 1, 0)"),
     ("case when f then ", " end"), ("case when 1 < ", " then 1 end")],
)  # fmt: skip
def test_calls_nest_like_parentheses(opening: str, closing: str) -> None:
    levels = 6 if opening.startswith("abs") else MOST_DEPTH
    parse_question(f"{opening * levels}a{closing * levels} > 1", SCHEMA)
    deeper = f"{opening * (MOST_DEPTH + 1)}a{closing * (MOST_DEPTH + 1)} > 1"
    assert failure(deeper).problem in (
        f"nested more than {MOST_DEPTH} deep",
        f"more than {MOST_REPEATED:,} parts that are meant more than once",
    )
    assert failure(opening * 3_000).problem == f"nested more than {MOST_DEPTH} deep"


@pytest.mark.parametrize(
    ("opening", "closing"),
    [("abs(", ")"), ("if(0 < ", " < 1, 1, 2)"), ("if(", " between 0 and 1, 1, 2)"),
     ("case when a = ", " = b then 1 end")],
)  # fmt: skip
def test_what_is_written_once_and_meant_twice_cannot_grow_unseen(
    opening: str, closing: str
) -> None:
    error = failure(f"{opening * 40}a{closing * 40} > 1")
    assert error.problem == f"more than {MOST_REPEATED:,} parts that are meant more than once"
    many = " + ".join(["abs(abs(abs(abs(abs(a)))))"] * 1_000)
    assert failure(f"{many} > 1").problem == error.problem


def test_cases_in_a_row_are_limited() -> None:
    def text(branches: int) -> str:
        return f"case {' '.join(f'when a > {i} then {i}' for i in range(branches))} end > 1"

    parse_question(text(MOST_LEVELS - 4), SCHEMA)
    assert failure(text(MOST_LEVELS)).problem == f"a tree of more than {MOST_LEVELS} levels"


def test_a_deep_constant_is_refused_before_it_is_folded() -> None:
    error = failure("a / (1" + "/2" * 8_000 + ") > 1")
    assert (error.position, error.problem) == (4, f"a tree of more than {MOST_LEVELS} levels")


def test_divisions_and_nesting_together_are_limited() -> None:
    text = "a"
    for _ in range(MOST_DEPTH):
        text = f"({text}{'/2' * MOST_DEPTH})"
    with pytest.raises(QuestionError):
        parse_question(f"{text} > 1", SCHEMA)


def test_the_largest_questions_fit_on_the_stack() -> None:
    # Callers may sit deep in a stack of their own; half of Python's default must suffice.
    alternating = "a > 0"
    for level in range(MOST_DEPTH):
        alternating = f"({alternating} {('or', 'and')[level % 2]} a > {level + 1})"
    nested = "a"
    for level in range(MOST_DEPTH):
        nested = f"({nested} {'+*'[level % 2]} b)"
    chosen = "if(f and (" * (MOST_DEPTH // 2) + "a" + " > 1 or g), 1, 0)" * (MOST_DEPTH // 2)
    cases = " ".join(f"when a > {i} or b > {i} then {i}" for i in range(MOST_LEVELS - 4))
    limit = sys.getrecursionlimit()
    depth = len(_frames())
    sys.setrecursionlimit(depth + 500)
    try:
        parse_question(alternating, SCHEMA)
        parse_question(f"{nested} > 1", SCHEMA)
        parse_question("a" + "/2" * (MOST_LEVELS - 2) + " > 1", SCHEMA)
        parse_question(f"{chosen} > 1", SCHEMA)
        parse_question(f"case {cases} end > 1", SCHEMA)
    finally:
        sys.setrecursionlimit(limit)


def _frames() -> list[object]:
    frame, found = sys._getframe(), list[object]()
    while frame is not None:
        found.append(frame)
        frame = frame.f_back  # type: ignore[assignment]
    return found


def test_long_flat_questions_are_accepted() -> None:
    parse_question("a" + " + b" * 5_000 + " > 1", SCHEMA)
    parse_question(f"a in ({', '.join(map(str, range(9_000)))})", SCHEMA)
    assert "characters" in failure("a" * (MOST_CHARACTERS + 1)).problem


# Any text -------------------------------------------------------------------------------------

VOCABULARY = [
    "a", "b", "s", "f", "day", "zz", "`a`", "1", "-1", "2.5", "1e308", "1e999", "0", "nan", "'x'",
    '"y"', "''", "(", ")", "[", "]", ",", "+", "-", "*", "/", "<", "<=", ">", "=", "!=", "and",
    "or", "not", "in", "between", "is", "null", "true", "false", "&&", "||", "!", "~", "$", "'",
    "mean", "mean(a, 0, 1)", "mean(", "histogram(", "quantile(a,", "share(", "(0, 1)", "('x')",
    "like", "like '%x'", "case", "when", "then", "else", "end", "case when f then", "if(", "clip(",
    "abs(", "year(d)", "d", "m", "'2013-01-01'", "date", "by s", "by", "given", "where f", "bins(",
    "\0", "é", "\ud800", "in (1, 2)", "between 1 and 2", "is not null", "a > 1", "s = 'x'",
]  # fmt: skip


def refused_at(text: str) -> int:
    """Where a question is refused, and 0 for one that is read; nothing else may be raised."""
    try:
        parse_question(text, SCHEMA)
    except QuestionError as error:
        return error.position if str(error) else -1
    return 0


@given(st.lists(st.sampled_from(VOCABULARY), max_size=14), st.sampled_from(["", " "]))
def test_any_words_are_read_or_refused_with_a_question_error(words: list[str], gap: str) -> None:
    text = gap.join(words)
    assert 0 <= refused_at(text) <= len(text)


@given(st.text(alphabet=st.characters(categories=None), max_size=80))
def test_any_text_is_read_or_refused_with_a_question_error(text: str) -> None:
    assert 0 <= refused_at(text) <= len(text)
