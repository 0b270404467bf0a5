"""A mean is among the rows with a value, unless every row has one whatever the data are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.query import Kind, Schema, parse_question
from peekproof.query.canonical import canonical_form, numeric
from peekproof.query.form import Given, Grouped, Mean, Share
from peekproof.query.tree import IsNull, Numeric, columns
from query import naive
from query.naive import Row
from query.strategies import NUMBERS as NUMERIC
from query.strategies import numerics

LITERALS = st.floats(-1e308, 1e308) | st.sampled_from([0.0, 1.0, -1.0, 3.0, 1e308, -1e308, 5e-324])
TREES = numerics(LITERALS, st.sampled_from([3.0, 0.1, 5e-324, 1e308]))
ENDS = [0.0, -0.0, 1.0, -1.0, 5e-324, 1.7976931348623157e308, -1.7976931348623157e308]

NUMBERS = Schema(
    {**dict.fromkeys(("a", "b", "x"), Kind.NUMBER), "d": Kind.DATE, "f": Kind.FLAG, "s": Kind.TEXT},
    complete=frozenset({"a", "b", "d"}),
)


@given(TREES, st.data())
def test_what_is_said_to_have_a_value_in_every_row_has_one(
    operand: Numeric, data: st.DataObject
) -> None:
    """Of complete columns, which are finite; one column may have gaps, and infinities."""
    names = sorted(columns(operand))
    gappy = data.draw(st.sampled_from([None, *names]))
    try:
        form = canonical_form(Mean(operand, 0.0, 1.0, None), {*names} - {gappy})
    except OverflowError:
        return
    for _ in range(8 if isinstance(form, Mean) else 0):
        row: Row = {name: data.draw(_cell(name, gaps=name == gappy)) for name in names}
        assert naive.value(numeric(operand), row) is not None


def _cell(name: str, *, gaps: bool) -> st.SearchStrategy[float | str | bool | None]:
    if name in ("s", "t"):
        return st.sampled_from(["x", ""])
    if name in ("f", "g"):
        return st.booleans()
    if name not in NUMERIC:
        days = st.integers(-719_162, 719_162).map(float)
        return st.none() | days if gaps else days
    finite = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(ENDS)
    return finite | st.sampled_from([None, float("inf"), float("-inf")]) if gaps else finite


@pytest.mark.parametrize(
    "text",
    ["a", "a + b", "a - b", "2 * a", "-a", "a / 3", "a * b", "abs(a)", "clip(a, 0, 1) + 2 * 3",
     "if(f, a, 1)", "year(d)", "coalesce(x, 0)", "2 * coalesce(x, 0) + 1", "if(x > 1, a, b)",
     "clip(coalesce(x, 0), 0, 1) - a", "case when x > 1 then 1 else 0 end"],
)  # fmt: skip
def test_means_that_cost_one_question(text: str) -> None:
    assert isinstance(parse_question(f"mean({text}, 0, 1)", NUMBERS).form, Mean)


@pytest.mark.parametrize(
    "text",
    ["x", "x + a", "a / b", "a * b * a", "a * b + a", "1e308 * a - b", "if(f, a, null)",
     "if(f, x, a)", "coalesce(x, 0) - a * b", "0 * coalesce(x, 0)", "clip(x, 0, 1)",
     "case when f then 1 end"],
)  # fmt: skip
def test_means_among_the_rows_with_a_value(text: str) -> None:
    form = parse_question(f"mean({text}, 0, 1)", NUMBERS).form
    assert isinstance(form, Given)
    assert form.about_known


def test_the_parts_are_what_it_was_before_and_how_many_rows_have_a_value() -> None:
    form = parse_question("mean(x, 3, 9)", NUMBERS).form
    assert isinstance(form, Given)
    over, under = form.parts
    assert canonical_form(over) == parse_question("mean(x, 3, 9, 3)", NUMBERS).form
    assert canonical_form(under) == parse_question("x is not null", NUMBERS).form
    assert isinstance(under, Share)


def test_a_declaration_changes_nothing_but_means_without_a_word_for_gaps() -> None:
    undeclared = Schema(NUMBERS.columns)
    for text in (
        "a > 1",
        "mean(a, 0, 1, 0.5)",
        "quantile(a, 0.5, 0, 1)",
        "mean(x, 0, 1)",
        "mean(a, 0, 1, 0) given f",
        "a is null",
        "histogram(a, (0), mean(b, 0, 1, 1))",
    ):
        asked = [parse_question(text, schema).digest for schema in (NUMBERS, undeclared)]
        assert asked[0] == asked[1]
    whole = parse_question("mean(a, 0, 1)", NUMBERS)
    assert whole.digest == parse_question("mean(a, 0, 1, 0)", undeclared).digest
    assert whole.digest != parse_question("mean(a, 0, 1)", undeclared).digest


def test_within_cells_rows_without_a_value_have_no_part() -> None:
    for text, missing in (("x", None), ("a", 0.0), ("coalesce(x, 1)", 1.0)):
        form = parse_question(f"mean({text}, 0, 1) by f", NUMBERS).form
        assert isinstance(form, Grouped)
        assert isinstance(form.weight, Mean)
        assert form.weight.missing == missing


def test_a_mean_of_some_says_that_there_is_a_value() -> None:
    form = parse_question("mean(x, 0, 1) given f", NUMBERS).form
    assert isinstance(form, Given)
    assert not form.about_known
    assert IsNull(form.of.operand, negated=True) in form.condition.terms  # type: ignore[union-attr]


def test_deep_arithmetic_is_looked_at_once() -> None:
    """Twice at every level would take longer than anybody waits."""
    text = "a"
    for _ in range(40):
        text = f"(2 * {text} + 1)"
    assert isinstance(parse_question(f"mean({text}, 0, 1)", NUMBERS).form, Mean)
