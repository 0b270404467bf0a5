from __future__ import annotations

from fractions import Fraction

import pytest

from peekproof.core.errors import QuestionError, TypeMismatch, UnknownColumn
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
from peekproof.query.parser import MOST_LEVELS, read
from peekproof.query.question import parse_question
from peekproof.query.schema import Kind, Schema
from peekproof.query.tree import Column, Compare, Flag, Number, Or, Part, Product, Quotient
from query.strategies import SCHEMA

A, B, S, F = Column("a"), Column("b"), Column("s"), Column("f")
OVER = Compare(">", A, Number(1.0))
BOTH = Values(S, ("x", "y"))
MINUS = Product((Number(-1.0), A))
D, M, U, G = Column("d"), Column("m"), Column("u"), Column("g")
FLAGGED = Flag(F, False)
DECLARED = Schema({**SCHEMA.columns, "u": Kind.TEXT}, {"u": ("q", "p")})
MINUTES = Mean(Quotient(A, Number(60.0)), 0.0, 2.0, None)

FORMS: list[tuple[str, Form]] = [
    ("a > 1", Share(OVER)),
    ("share(a > 1)", Share(OVER)),
    ("Share (a > 1)", Share(OVER)),
    ("share(f)", Share(Flag(F, False))),
    ("mean(a, -20, 120)", Mean(A, -20.0, 120.0, None)),
    ("mean[a, -20, 120]", Mean(A, -20.0, 120.0, None)),
    ("MEAN(a / 60, 0, 2)", MINUTES),
    ("mean(a, 0, 1, 0.5)", Mean(A, 0.0, 1.0, 0.5)),
    ("mean(a, -(2 + 3), 2 * 60 / 4)", Mean(A, -5.0, 30.0, None)),
    ("mean((a), (0), (1))", Mean(A, 0.0, 1.0, None)),
    ("mean(a * b, -0.0, 1)", Mean(Product((A, B)), 0.0, 1.0, None)),
    ("histogram(a, (0, 15, 60))", Histogram(Edges(A, (0.0, 15.0, 60.0)))),
    ("histogram(a, [-1.5])", Histogram(Edges(A, (-1.5,)))),
    ("histogram(a, (-2 * 3, 1 + 1))", Histogram(Edges(A, (-6.0, 2.0)))),
    ("histogram(a / 60, (1, 2))", Histogram(Edges(Quotient(A, Number(60.0)), (1.0, 2.0)))),
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
    # cells
    ("histogram(f)", Histogram(Values(F, (True, False)))),
    ("histogram(u)", Histogram(Values(U, ("q", "p")))),
    ("histogram(a, bins(0, 1, 4))", Histogram(Edges(A, (0.0, 0.25, 0.5, 0.75, 1.0)))),
    ("histogram(a, bins(0.1, 0.7, 6))",
     Histogram(Edges(A, (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)))),
    ("histogram(a, Bins[-1, 2 - 1, 1], f)", Histogram(Edges(A, (-1.0, 1.0)), FLAGGED)),
    ("histogram(d, ('1970-01-02', date '1970-01-31'))", Histogram(Edges(D, (1.0, 30.0)))),
    ("histogram(d, (date '1970-01-02' + 1))", Histogram(Edges(D, (2.0,)))),
    ("histogram(d, bins('1970-01-01', '1970-01-11', 2))", Histogram(Edges(D, (0.0, 5.0, 10.0)))),
    ("histogram(m, ('1970-01-01', '1970-01-01 00:00:01'))", Histogram(Edges(M, (0.0, 1e6)))),
    ("histogram(year(d), (2013))", Histogram(Edges(Part("year", D, "day"), (2013.0,)))),
    # within cells
    ("a > 1 by f", Grouped(Values(F, (True, False)), OVER)),
    ("share(a > 1) by s ('x', 'y')", Grouped(BOTH, OVER)),
    ("a > 1 BY u", Grouped(Values(U, ("q", "p")), OVER)),
    ("mean(a / 60, 0, 2) by s ('x', 'y')", Grouped(BOTH, MINUTES)),
    ("mean(a / 60, 0, 2) by b (0, 1)", Grouped(Edges(B, (0.0, 1.0)), MINUTES)),
    ("a > 1 or f by b bins(0, 2, 2)",
     Grouped(Edges(B, (0.0, 1.0, 2.0)), Or((OVER, FLAGGED)))),
    ("f by (a * b) (1)", Grouped(Edges(Product((A, B)), (1.0,)), FLAGGED)),
    ("f by year(d) (2013)", Grouped(Edges(Part("year", D, "day"), (2013.0,)), FLAGGED)),
    ("f by d ('1970-01-02')", Grouped(Edges(D, (1.0,)), FLAGGED)),
    ("f by `s` ('x', 'y')", Grouped(BOTH, FLAGGED)),
    # among some rows
    ("a > 1 given f", Given(Share(OVER), FLAGGED)),
    ("share(a > 1) WHERE f or g", Given(Share(OVER), Or((FLAGGED, Flag(G, False))))),
    ("mean(a / 60, 0, 2) given a > 1", Given(MINUTES, OVER)),
]  # fmt: skip


@pytest.mark.parametrize(("text", "form"), FORMS, ids=[text for text, _ in FORMS])
def test_every_form_is_read(text: str, form: Form) -> None:
    assert read(text, DECLARED) == form


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
    assert read(f"mean({name}, 0, 1)", COLUMNS) == Mean(column, 0.0, 1.0, None)
    assert read(f"histogram(s, ('x'), {name} > 3)", COLUMNS) == Histogram(Values(S, ("x",)), over)


ERRORS: list[tuple[str, type[QuestionError], int, int, str]] = [
    ("mean(a)", QuestionError, 6, 1, "mean needs bounds: mean(a, low, high)"),
    ("mean(a, 0)", QuestionError, 9, 1, "mean needs bounds: mean(a, low, high)"),
    ("mean(a  /  60)", QuestionError, 13, 1, "mean needs bounds: mean(a / 60, low, high)"),
    ("mean()", QuestionError, 5, 1, "unexpected ')'"),
    ("mean(", QuestionError, 5, 1, "the question ends after 'mean('"),
    ("mean(a, 0, 1", QuestionError, 12, 1, "expected ')', found the end"),
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
    ("f and mean(a, 0, 1) > 3", QuestionError, 6, 4, "mean(…) is a question by itself"),
    ("(mean(a, 0, 1))", QuestionError, 1, 4, "mean(…) is a question by itself"),
    ("`mean`(a, 0, 1)", UnknownColumn, 0, 6, "unknown column 'mean'"),
    ("share(a)", TypeMismatch, 6, 1, "a number where a condition is needed"),
    ("share()", QuestionError, 6, 1, "unexpected ')'"),
    ("share(mean(a, 0, 1))", QuestionError, 6, 4, "mean(…) is a question by itself"),
    ("share(f", QuestionError, 7, 1, "expected ')', found the end"),
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
    ("quantile(d, 0.5, 0, 1)", TypeMismatch, 9, 1, "a date where a number is needed"),
    ("mean(d, 0, 1)", TypeMismatch, 5, 1, "a date where a number is needed"),
    ("mean(a, 0, '2013-01-01')", TypeMismatch, 11, 12, "text where a number is needed"),
    ("histogram(s)", QuestionError, 10, 1, "column 's' has no declared categories; "
     "histogram needs a list of cells: histogram(s, (…))"),
    ("f by s", QuestionError, 5, 1,
     "column 's' has no declared categories; by s needs cells: by s (…)"),
    ("f by a", QuestionError, 6, 1, "by a needs cells: by a (…)"),
    ("f by d", QuestionError, 6, 1, "by d needs cells: by d (…)"),
    ("f by", QuestionError, 4, 1, "the question ends after 'by'"),
    ("f by a (1, 0)", QuestionError, 11, 1,
     "edge 2 must be a finite number above the one before it, got 0"),
    ("f by a > 1", QuestionError, 7, 1, "by a needs cells: by a (…)"),
    ("f by a (1) and g", QuestionError, 11, 3, "unexpected 'and'"),
    ("f by zz (1)", QuestionError, 5, 2, "unknown function 'zz'"),
    ("f by zz", UnknownColumn, 5, 2, "unknown column 'zz'"),
    ("f given", QuestionError, 7, 1, "the question ends after 'given'"),
    ("f given a", TypeMismatch, 8, 1, "a number where a condition is needed"),
    ("f given g by s", QuestionError, 10, 2, "unexpected 'by'"),
    ("f where g given g", QuestionError, 10, 5, "unexpected 'given'"),
    ("f by a (1) given g", QuestionError, 11, 5, "unexpected 'given'"),
    ("(f given g)", QuestionError, 3, 5, "expected ')', found 'given'"),
    ("histogram(a, (1)) by f", QuestionError, 18, 2, "unexpected 'by'"),
    ("quantile(a, 0.5, 0, 1) given f", QuestionError, 23, 5, "unexpected 'given'"),
    ("histogram(d, (5))", TypeMismatch, 14, 1, "a number where a date is needed"),
    ("histogram(d, (e))", TypeMismatch, 14, 1, "a column where a constant is needed"),
    ("histogram(d, ('x'))", QuestionError, 14, 3, "'x' is not a date"),
    ("histogram(d, ('2013-01-01 12:00'))", TypeMismatch, 14, 18,
     "a date and time where a date is needed"),
    ("histogram(a, bins(0, 1))", QuestionError, 21, 1,
     "bins needs bounds and a number: bins(low, high, count)"),
    ("histogram(a, bins(0, 1, 2.5))", QuestionError, 24, 3,
     "count must be a whole number from 1 to 9,998, got 2.5"),
    ("histogram(a, bins(0, 1, 0))", QuestionError, 24, 1,
     "count must be a whole number from 1 to 9,998, got 0"),
    ("histogram(a, bins(0, 1, 9999))", QuestionError, 24, 4,
     "count must be a whole number from 1 to 9,998, got 9999"),
    ("histogram(a, bins(1, 0, 2))", QuestionError, 21, 1,
     "edge 2 must be a finite number above the one before it, got 0"),
    ("histogram(a, bins(1, 1.0000000000000002, 5))", QuestionError, 41, 1,
     "edge 2 must be a finite number above the one before it, got 1"),
    ("histogram(s, bins(0, 1, 2))", TypeMismatch, 13, 4, "bins of something that is not a number"),
    ("histogram(f, bins(0, 1, 2))", TypeMismatch, 13, 4, "bins of something that is not a number"),
    ("histogram(a > 1)", QuestionError, 15, 1,
     "histogram needs a list of cells: histogram(a > 1, (…))"),
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
        ("f given g by s", "histogram(column, cells, condition)"),
        ("f by a (1) given g", "histogram(column, cells, condition)"),
        ("f by s", "list them as in ('AA', 'UA'), or declare them when opening the data"),
        ("histogram(a, (1)) by f", "histogram(…) is a question by itself"),
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
     "histogram(s, ('x'), {} > 1)", "histogram(s, ('x'), mean({}, 0, 1))", "f by ({}) (1)",
     "f given {} > 1"],
)  # fmt: skip
def test_deep_expressions_are_refused_everywhere(text: str) -> None:
    parse_question(text.format("a" + "/2" * (MOST_LEVELS - 2)), SCHEMA)
    with pytest.raises(QuestionError, match="more than 200 levels"):
        read(text.format("a" + "/2" * MOST_LEVELS), SCHEMA)


def test_a_column_behind_by_is_never_a_call() -> None:
    schema = Schema({"year": Kind.NUMBER, "d": Kind.DATE, "f": Kind.FLAG, "by": Kind.FLAG})
    years = Grouped(Edges(Column("year"), (2012.0,)), Flag(Column("by"), False))
    assert read("by by year (2012)", schema) == years
    with pytest.raises(TypeMismatch):
        read("f by year(d) (2012)", schema)
    part = Edges(Part("year", Column("d"), "day"), (2012.0,))
    assert read("f by (year(d)) (2012)", schema) == Grouped(part, FLAGGED)


def test_declared_categories_are_checked_like_listed_ones() -> None:
    schema = Schema({"s": Kind.TEXT, "f": Kind.FLAG}, {"s": ("x", "x")})
    with pytest.raises(QuestionError, match="value 2 must be one that is not listed before it"):
        read("f by s", schema)


def test_bins_are_the_doubles_nearest_to_even_decimals() -> None:
    form = read("histogram(a, bins(-3, 3, 9998))", SCHEMA)
    assert isinstance(form, Histogram)
    assert isinstance(form.by, Edges)
    exact = [Fraction(-3) + Fraction(6 * index, 9998) for index in range(9999)]
    assert form.by.edges == tuple(map(float, exact))


def test_the_labels_of_dates_show_dates() -> None:
    form = parse_question("f by d bins('2013-01-01', '2013-01-03', 2)", SCHEMA).form
    assert isinstance(form, Grouped)
    assert form.labels == (
        "d < '2013-01-01'",
        "'2013-01-01' <= d < '2013-01-02'",
        "'2013-01-02' <= d < '2013-01-03'",
        "d >= '2013-01-03'",
    )
