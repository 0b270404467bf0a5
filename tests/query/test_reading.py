from __future__ import annotations

from fractions import Fraction

import pytest

from holdfast.core.errors import QuestionError, TypeMismatch, UnknownColumn
from holdfast.query.cells import MOST_CELLS, Edges, Values
from holdfast.query.form import Form, Histogram, Mean, Quantile, Share
from holdfast.query.question import parse_question
from holdfast.query.reading import MOST_LEVELS, read
from holdfast.query.schema import Kind, Schema
from holdfast.query.tree import Column, Compare, Flag, Number, Product, Quotient
from query.strategies import SCHEMA

A, B, S, F = Column("a"), Column("b"), Column("s"), Column("f")
OVER = Compare(">", A, Number(1.0))
BOTH = Values(S, ("x", "y"))
MINUS = Product((Number(-1.0), A))
MINUTES = Mean(Quotient(A, 60.0), 0.0, 2.0, 0.0)

FORMS: list[tuple[str, Form]] = [
    ("a > 1", Share(OVER)),
    ("share(a > 1)", Share(OVER)),
    ("Share (a > 1)", Share(OVER)),
    ("share(f)", Share(Flag(F, False))),
    ("mean(a, -20, 120)", Mean(A, -20.0, 120.0, -20.0)),
    ("mean[a, -20, 120]", Mean(A, -20.0, 120.0, -20.0)),
    ("MEAN(a / 60, 0, 2, 0)", MINUTES),
    ("mean(a, 0, 1, 0.5)", Mean(A, 0.0, 1.0, 0.5)),
    ("mean(a, -(2 + 3), 2 * 60 / 4)", Mean(A, -5.0, 30.0, -5.0)),
    ("mean((a), (0), (1))", Mean(A, 0.0, 1.0, 0.0)),
    ("mean(a * b, -0.0, 1)", Mean(Product((A, B)), 0.0, 1.0, 0.0)),
    ("histogram(a, (0, 15, 60))", Histogram(Edges(A, (0.0, 15.0, 60.0)))),
    ("histogram(a, [-1.5])", Histogram(Edges(A, (-1.5,)))),
    ("histogram(a, (-2 * 3, 1 + 1))", Histogram(Edges(A, (-6.0, 2.0)))),
    ("histogram(a / 60, (1, 2))", Histogram(Edges(Quotient(A, 60.0), (1.0, 2.0)))),
    ("histogram(s, ('x', 'y'))", Histogram(BOTH)),
    ("histogram(s, ('y', \"x\"))", Histogram(Values(S, ("y", "x")))),
    ("histogram(f, (true, false))", Histogram(Values(F, (True, False)))),
    ("histogram(f, (FALSE))", Histogram(Values(F, (False,)))),
    ("histogram(s, ('x', 'y'), a > 1)", Histogram(BOTH, OVER)),
    ("histogram(s, ('x', 'y'), f)", Histogram(BOTH, Flag(F, False))),
    ("histogram(s, ('x', 'y'), mean(a / 60, 0, 2))", Histogram(BOTH, MINUTES)),
    ("histogram(a, (1), Mean (a, 1, 2, 2))", Histogram(Edges(A, (1.0,)), Mean(A, 1.0, 2.0, 2.0))),
    ("quantile(a, 0.5, -20, 120)", Quantile(A, Fraction(1, 2), -20.0, 120.0, 256)),
    ("quantile(a, .1, 0, 1, 10)", Quantile(A, Fraction(1, 10), 0.0, 1.0, 10)),
    ("quantile(-a, 3 / 4, 0, 1, 1e4)", Quantile(MINUS, Fraction(3, 4), 0.0, 1.0, 10_000)),
    ("quantile(a, 1e-300, 0, 1)", Quantile(A, Fraction(1, 10**300), 0.0, 1.0)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "form"), FORMS, ids=[text for text, _ in FORMS])
def test_every_form_is_read(text: str, form: Form) -> None:
    assert read(text, SCHEMA) == form


NAMES = ("share", "mean", "histogram", "quantile", "Mean")
COLUMNS = Schema({**dict.fromkeys(NAMES, Kind.NUMBER), "s": Kind.TEXT})


@pytest.mark.parametrize("name", NAMES)
def test_a_column_may_have_the_name_of_a_form(name: str) -> None:
    column = Column(name)
    over = Compare(">", column, Number(3.0))
    for text in (
        f"{name} > 3",
        f"({name} > 3)",
        f"`{name}` > 3",
        f"3 < {name}",
        f"share({name} > 3)",
    ):
        form = read(text, COLUMNS)
        assert isinstance(form, Share)
        assert form.predicate == over
    assert read(f"mean({name}, 0, 1)", COLUMNS) == Mean(column, 0.0, 1.0, 0.0)
    assert read(f"histogram(s, ('x'), {name} > 3)", COLUMNS) == Histogram(Values(S, ("x",)), over)


ERRORS: list[tuple[str, type[QuestionError], int, int, str]] = [
    ("mean(a)", QuestionError, 6, 1, "mean needs bounds: mean(a, low, high)"),
    ("mean(a, 0)", QuestionError, 9, 1, "mean needs bounds: mean(a, low, high)"),
    ("mean(a  /  60)", QuestionError, 13, 1, "mean needs bounds: mean(a / 60, low, high)"),
    ("mean()", QuestionError, 5, 1, "unexpected ')'"),
    ("mean(", QuestionError, 5, 1, "unexpected 'the end'"),
    ("mean(a, 0, 1", QuestionError, 12, 1, "expected ')', found 'the end'"),
    ("mean(a, 0, 1, 0, 1)", QuestionError, 15, 1, "expected ')', found ','"),
    ("mean(a 0, 1)", QuestionError, 7, 1, "expected ',', found '0'"),
    ("mean(a, 5, 1)", QuestionError, 11, 1, "high must be above low = 5, got 1"),
    ("mean(a, 5, 5)", QuestionError, 11, 1, "high must be above low = 5, got 5"),
    ("mean(a, -1e308, 1e308)", QuestionError, 16, 5,
     "high must be within the largest double of low = -1e+308, got 1e+308"),
    ("mean(a, 0, 1, 2)", QuestionError, 14, 1, "missing must be from 0 to 1, got 2"),
    ("mean(a, 0, 1, -2)", QuestionError, 14, 1, "missing must be from 0 to 1, got -2"),
    ("mean(a, 0, b)", TypeMismatch, 11, 1, "a column where a constant is needed"),
    ("mean(a, 0, 1 + b)", TypeMismatch, 11, 1, "a column where a constant is needed"),
    ("mean(a, 0, 'x')", TypeMismatch, 11, 3, "text where a number is needed"),
    ("mean(a, 0, true)", TypeMismatch, 11, 4, "a true/false value where a number is needed"),
    ("mean(s, 0, 1)", TypeMismatch, 5, 1, "text where a number is needed"),
    ("mean(f, 0, 1)", TypeMismatch, 5, 1, "a true/false value where a number is needed"),
    ("mean(a > 1, 0, 1)", TypeMismatch, 5, 1, "a true/false value where a number is needed"),
    ("mean(day, 0, 1)", TypeMismatch, 5, 3, "column 'day' has a type that questions cannot use"),
    ("mean(aa, 0, 1)", UnknownColumn, 5, 2, "unknown column 'aa'"),
    ("mean(a, 0, inf)", QuestionError, 11, 3, "inf is not a number that a question can use"),
    ("mean(a, 0, 1e999)", QuestionError, 11, 5, "a number too large for double precision"),
    ("mean(a, 0, 1) > 3", QuestionError, 14, 1, "unexpected '>'"),
    ("mean(a, 0, 1) and f", QuestionError, 14, 3, "unexpected 'and'"),
    ("f and mean(a, 0, 1) > 3", UnknownColumn, 6, 4, "unknown column 'mean'"),
    ("(mean(a, 0, 1))", UnknownColumn, 1, 4, "unknown column 'mean'"),
    ("`mean`(a, 0, 1)", UnknownColumn, 0, 6, "unknown column 'mean'"),
    ("share(a)", TypeMismatch, 6, 1, "a number where a condition is needed"),
    ("share()", QuestionError, 6, 1, "unexpected ')'"),
    ("share(mean(a, 0, 1))", UnknownColumn, 6, 4, "unknown column 'mean'"),
    ("share(f", QuestionError, 7, 1, "expected ')', found 'the end'"),
    ("histogram(a)", QuestionError, 11, 1, "histogram needs a list of cells: histogram(a, (…))"),
    ("histogram(a, 5)", QuestionError, 13, 1, "histogram needs a list of cells: histogram(a, (…))"),
    ("histogram(a, ())", QuestionError, 14, 1, "unexpected ')'"),
    ("histogram(a, (1,))", QuestionError, 16, 1, "unexpected ')'"),
    ("histogram(a, (1 2))", QuestionError, 16, 1, "expected ')', found '2'"),
    ("histogram(a, (1, 0))", QuestionError, 17, 1,
     "edge 2 must be a finite number above the one before it, got 0"),
    ("histogram(a, (1, 2, 2))", QuestionError, 20, 1,
     "edge 3 must be a finite number above the one before it, got 2"),
    ("histogram(a, (1, 'x'))", TypeMismatch, 17, 3, "text where a number is needed"),
    ("histogram(a, (b))", TypeMismatch, 14, 1, "a column where a constant is needed"),
    ("histogram(s, ('x', 1))", TypeMismatch, 19, 1, "expected quoted text in the list"),
    ("histogram(s, (t))", TypeMismatch, 14, 1, "expected quoted text in the list"),
    ("histogram(s, ('x', 'y', 'x'))", QuestionError, 24, 3,
     "value 3 must be one that is not listed before it, got 'x'"),
    ("histogram(f, (true, 1))", TypeMismatch, 20, 1, "expected true or false in the list"),
    ("histogram(f, (true, true))", QuestionError, 20, 4,
     "value 2 must be one that is not listed before it, got true"),
    ("histogram('x', ('x'))", TypeMismatch, 10, 3, "text where a number is needed"),
    ("histogram(a > 1, (true))", TypeMismatch, 10, 1,
     "a true/false value where a number is needed"),
    ("histogram(s, ('x'), a)", TypeMismatch, 20, 1, "a number where a condition is needed"),
    ("histogram(s, ('x'), mean(a))", QuestionError, 26, 1, "mean needs bounds: mean(a, low, high)"),
    ("histogram(s, ('x'), mean(a, 1, 0))", QuestionError, 31, 1,
     "high must be above low = 1, got 0"),
    ("histogram(s, ('x'), mean(a, 0, 1) > 3)", QuestionError, 34, 1, "expected ')', found '>'"),
    ("histogram(s, ('x'), f, f)", QuestionError, 21, 1, "expected ')', found ','"),
    ("quantile(a)", QuestionError, 10, 1,
     "quantile needs a level and bounds: quantile(a, level, low, high)"),
    ("quantile(a, 0.5, 0)", QuestionError, 18, 1,
     "quantile needs a level and bounds: quantile(a, level, low, high)"),
    ("quantile(a, 0, 0, 1)", QuestionError, 12, 1, "level must be strictly between 0 and 1, got 0"),
    ("quantile(a, 50, 0, 1)", QuestionError, 12, 2,
     "level must be strictly between 0 and 1, got 50"),
    ("quantile(a, 0.5, 1, 0)", QuestionError, 20, 1, "high must be above low = 1, got 0"),
    ("quantile(a, 0.5, 0, 1, 1)", QuestionError, 23, 1,
     "steps must be a whole number from 2 to 65,536, got 1"),
    ("quantile(a, 0.5, 0, 1, 1e300)", QuestionError, 23, 5,
     "steps must be a whole number from 2 to 65,536, got 1e+300"),
    ("quantile(a, 0.5, 0, 1, 2.5)", QuestionError, 23, 3,
     "a number of steps that is not whole: 2.5"),
    ("quantile(a, 0.5, 1, 1.0000000000001)", QuestionError, 20, 15,
     "steps must be so few that doubles from 1 to 1.0000000000001 tell them apart, got 256"),
    ("quantile(s, 0.5, 0, 1)", TypeMismatch, 9, 1, "text where a number is needed"),
    ("", QuestionError, 0, 1, "the question is empty"),
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
        ("mean(a)", "they must not come from the data"),
        ("mean(a, 0, b)", "they must not come from the data"),
        ("mean(a, 1, 0)", "write the smaller bound first"),
        ("mean(a, 0, 1) > 3", "mean(…) is a question by itself"),
        ("histogram(a, (2, 1))", "list the edges in increasing order"),
        ("quantile(a, 50, 0, 1)", "0.5 asks for the median"),
    ],
)
def test_errors_say_what_to_do(text: str, hint: str) -> None:
    with pytest.raises(QuestionError) as caught:
        read(text, SCHEMA)
    assert hint in caught.value.hint


def test_a_long_operand_is_cut_in_a_message() -> None:
    with pytest.raises(QuestionError) as caught:
        read("mean(" + "a + " * 1000 + "a)", SCHEMA)
    assert len(caught.value.problem) < 100


@pytest.mark.parametrize("kind", ["edges", "values"])
def test_the_number_of_cells_is_limited(kind: str) -> None:
    def text(cells: int) -> str:
        if kind == "edges":
            return f"histogram(a, ({','.join(map(str, range(cells - 1)))}))"
        return f"histogram(s, ({','.join(repr(str(cell)) for cell in range(cells))}))"

    assert read(text(9_990), SCHEMA).dimension == 9_990
    with pytest.raises(QuestionError):  # the tokens run out, or the cells
        read(text(MOST_CELLS + 1), SCHEMA)


@pytest.mark.parametrize(
    "text",
    ["mean({}, 0, 1)", "quantile({}, 0.5, 0, 1)", "histogram({}, (1))", "share({} > 1)",
     "histogram(s, ('x'), {} > 1)", "histogram(s, ('x'), mean({}, 0, 1))"],
)  # fmt: skip
def test_deep_expressions_are_refused_everywhere(text: str) -> None:
    parse_question(text.format("a" + "/2" * (MOST_LEVELS - 2)), SCHEMA)
    with pytest.raises(QuestionError, match="more than 200 levels"):
        read(text.format("a" + "/2" * MOST_LEVELS), SCHEMA)
