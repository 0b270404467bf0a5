from __future__ import annotations

import random
import traceback
from dataclasses import replace
from fractions import Fraction
from math import inf, isnan, nan, nextafter, ulp

import numpy as np
import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from data.naive_totals import exact_place, total
from data.tables import CELLS, TABLES, TEXT, Rows, frame
from peekproof.core.errors import EvaluationFailed
from peekproof.core.secret import Exact
from peekproof.data import totals as plan_module
from peekproof.data import totals as totals_module
from peekproof.data.fingerprint import keyed_order
from peekproof.data.load import in_memory
from peekproof.data.table import Table
from peekproof.data.totals import contributions
from peekproof.query.canonical import canonical_form, form_text
from peekproof.query.form import (
    FINE,
    Edges,
    Form,
    Grouped,
    Histogram,
    Mean,
    Quantile,
    Share,
    Values,
)
from peekproof.query.question import Question, parse_question
from peekproof.query.tree import Column, Constant, Number
from query.naive import Row
from query.strategies import FLAGS, TEXTS, WORDS, numerics, predicates
from sizes import sized

KEY = "00112233445566778899aabbccddeeff"

LITERALS = st.floats(-1e30, 1e30) | st.sampled_from([0.0, 0.1, 3.0, 49.0, 5e-324])
NUMERICS = numerics(LITERALS, st.sampled_from([3.0, 10.0, -7.0, 0.1]))
FINITE = st.floats(allow_nan=False, allow_infinity=False) | st.sampled_from(
    [0.0, 1.0, 0.1, 0.2, 3.0, 5e-324, -5e-324, 2.2e-308, 1e308, -1e308, 1.7976931348623157e308]
)


@st.composite
def ranges(draw: st.DrawFn) -> tuple[float, float]:
    low, high = sorted([draw(FINITE), draw(FINITE)])
    assume(low < high and high - low < inf)
    return low, high


@st.composite
def means(draw: st.DrawFn) -> Mean:
    low, high = draw(ranges())
    missing = draw(st.floats(low, high) | st.sampled_from([low, high]))
    return Mean(draw(NUMERICS), low, high, missing)


def weighing() -> st.SearchStrategy[Mean]:
    """Means as weights of cells: rows without a value count as something, or have no part."""
    return st.builds(
        lambda mean, out: replace(mean, missing=None) if out else mean, means(), st.booleans()
    )


@st.composite
def quantiles(draw: st.DrawFn) -> Quantile:
    low, high = draw(ranges())
    steps = draw(st.integers(2, 9))
    # The literals are frequent cells; the finest ranges have no grid.
    assume((high - low) / steps >= 16 * ulp(max(abs(low), abs(high))))
    return Quantile(draw(NUMERICS), Fraction(1, 2), low, high, steps)


def values(
    kinds: tuple[str, ...], cells: st.SearchStrategy[str | bool]
) -> st.SearchStrategy[Values]:
    listed = st.lists(cells, min_size=1, max_size=4, unique=True).map(tuple)
    return st.builds(Values, st.builds(Column, st.sampled_from(kinds)), listed)


EDGES = st.lists(FINITE.map(lambda edge: edge + 0.0), min_size=1, max_size=5, unique=True)
PARTITIONS = st.one_of(
    st.builds(Edges, NUMERICS, EDGES.map(lambda edges: tuple(sorted(edges)))),
    values(TEXTS, TEXT | WORDS),
    values(FLAGS, st.booleans()),
)
WEIGHTS = st.none() | predicates(LITERALS) | weighing()
FORMS: st.SearchStrategy[Form] = st.one_of(
    st.builds(Share, predicates(LITERALS)),
    means(),
    quantiles(),
    st.builds(Histogram, PARTITIONS, WEIGHTS),
    st.builds(Grouped, PARTITIONS, predicates(LITERALS) | weighing()),
)


def asked(*forms: Form) -> list[Question]:
    """The forms as questions, without those that mention no column or overflow."""
    found = []
    for each in forms:
        try:
            form = canonical_form(each)
        except OverflowError:  # refused where questions are read
            continue
        match form:
            case Share(Constant()) | Mean(Number()) | Quantile(Number()):
                continue
            case Histogram(Edges(Number())) | Histogram(_, Constant() | Mean(Number())):
                continue
        found.append(Question(text="", form=form, digest=form_text(form)))
    return found


def opened(table: Table, *questions: Question) -> list[object]:
    return [exact.reveal() for exact in table.totals(questions)]


def totals(table: Table, *texts: str) -> list[object]:
    return opened(table, *(parse_question(text, table.schema) for text in texts))


@settings(max_examples=sized(75, full=150))
@given(st.lists(FORMS, min_size=1, max_size=4), TABLES)
def test_totals_agree_with_a_loop_over_rows_alone_and_in_a_batch(
    forms: list[Form], rows: Rows
) -> None:
    table, questions = in_memory(frame(rows)), asked(*forms)
    expected = [total(question.form, list[Row](rows)) for question in questions]
    assert [opened(table, question)[0] for question in questions] == expected
    assert opened(table, *questions, *questions) == expected + expected


@settings(max_examples=sized(75, full=150))
@given(st.lists(CELLS, min_size=1, max_size=30), ranges())
def test_contributions_are_integers_near_the_place_between_the_bounds(
    cells: list[float], bounds: tuple[float, float]
) -> None:
    low, high = bounds
    inside = [min(max(cell, low), high) for cell in cells if not isnan(cell)]
    inside += [low, high, nextafter(low, inf), nextafter(high, -inf), low / 2 + high / 2]
    found = contributions(np.array(inside), low=low, high=high)
    for value, contribution in zip(inside, found.tolist(), strict=True):
        assert contribution.is_integer()
        assert 0 <= contribution <= FINE
        error = abs(Fraction(contribution) - FINE * exact_place(value, low, high))
        assert error <= Fraction(1, 2) + Fraction(1, 2**26)
    assert (found[-5], found[-4]) == (0, FINE)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mean(x, 0, 10, 0)", FINE * (0 + 5 + 10 + 10 + 0 + 0) // 10),
        ("mean(coalesce(x, 5), 0, 10)", FINE * (0 + 5 + 10 + 10 + 5 + 0) // 10),
        ("mean(x, 0, 10, 5)", FINE * (0 + 5 + 10 + 10 + 5 + 0) // 10),
        ("mean(x / 10, 0, 1, 1)", FINE * (0 + 5 + 10 + 10 + 10 + 0) // 10),
        ("histogram(x, (0, 5))", (2, 0, 3)),
        ("histogram(x, (-20, 5, 20))", (1, 1, 2, 1)),
        ("histogram(c, ('AA', ''))", (3, 1)),
        ("histogram(c, ('', 'AA', 'nowhere'))", (1, 3, 0)),
        ("histogram(c, ('AA', ''), x > 0)", (2, 0)),
        ("histogram(f, (true, false))", (2, 1)),
        ("histogram(f, (false))", (1,)),
        # Five rows are outside of the cell of '', and 0 is in the middle of [−8, 8].
        (
            "histogram(c, ('', 'AA'), mean(x, -8, 8, -8))",
            (FINE // 2 * 5, (0 + 13 + 16) * FINE // 16 + FINE // 2 * 3),
        ),
        ("histogram(c, ('AA'), mean(x, 8, 16, 8))", ((8 + 8 + 16) * FINE // 16,)),
        ("quantile(x, 0.5, 0, 10, 2)", (3, 3)),
        ("quantile(x, 0.5, -10, 10, 4)", (2, 0, 1, 3)),
        ("quantile(x, 0.25, 4, 6, 2)", (3, 3)),
        ("x > 0", 3),
        ("share(x is null)", 1),
    ],
)
def test_totals_of_a_table_small_enough_to_do_by_hand(text: str, expected: object) -> None:
    table = in_memory(
        {
            "x": [-10.0, 5.0, 10.0, inf, nan, -inf],
            "c": ["AA", "AA", None, "AA", "UA", ""],
            "f": [True, False, None, True, None, None],
        }
    )
    assert totals(table, text) == [expected]


def test_a_value_at_the_end_of_a_cell_of_a_quantile_belongs_to_it() -> None:
    ends = [0.25, 0.5, 0.75, 1.0]
    cells = [each for end in ends for each in (end, nextafter(end, inf))]
    table = in_memory({"x": [-0.0, *cells]})
    assert totals(table, "quantile(x, 0.5, 0, 1, 4)") == [(2, 2, 2, 3)]


def test_a_value_at_an_edge_of_a_histogram_begins_a_cell() -> None:
    table = in_memory({"x": [nextafter(0.25, 0), 0.25, nextafter(0.5, 0), 0.5]})
    assert totals(table, "histogram(x, (0.25, 0.5))") == [(1, 2, 1)]


def large(rows: int) -> tuple[Table, list[Row]]:
    chance = random.Random(7)
    content: list[Row] = [
        {
            "a": chance.choice([None, inf, chance.gauss(0, 10)]),
            "s": chance.choice([None, "x", "y", ""]),
            "f": chance.choice([None, True, False]),
        }
        for _ in range(rows)
    ]
    return in_memory({name: [row[name] for row in content] for name in ("a", "s", "f")}), content


TEXTS_OF_EVERY_FORM = [
    "mean(a, -7, 12.5, 1)",
    "histogram(a, (-3, 0, 1))",
    "histogram(s, ('y', 'x'), f)",
    "histogram(s, ('y', 'x'), mean(a, -7, 12.5, 1))",
    "histogram(a, (-3, 0, 1), mean(a, -7, 12.5, 1))",
    "quantile(a, 0.5, -7, 12.5, 11)",
    "a > 0",
]


@pytest.mark.parametrize("chunk", [8, 64, 304, 1000])
def test_chunks_do_not_matter(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_module, "CHUNK", chunk)
    table, rows = large(300)
    questions = [parse_question(text, table.schema) for text in TEXTS_OF_EVERY_FORM]
    assert opened(table, *questions) == [total(question.form, rows) for question in questions]


def test_sums_are_exact_however_many_rows() -> None:
    rows = 300_001
    table = in_memory({"x": np.full(rows, 1.0), "y": np.full(rows, 1 / 3)})
    third = round(Fraction(FINE, 3))
    assert totals(table, "mean(x, 0, 1, 0)", "mean(y, 0, 1, 0)") == [FINE * rows, third * rows]
    assert totals(table, "histogram(x, (1), mean(y, 0, 1, 0))") == [(0, third * rows)]
    assert FINE * totals_module.CHUNK < 2**53


def test_every_question_may_have_a_part_of_its_own() -> None:
    table, rows = large(103)
    questions = [parse_question(text, table.schema) for text in TEXTS_OF_EVERY_FORM]
    order = keyed_order(table._frame, KEY)
    parts = [[rows[i] for i in order[10 * k : 10 * k + 10]] for k in range(10)]
    found = table.totals_part(questions, first=2, parts=10, key=KEY)
    expected = [total(each.form, part) for each, part in zip(questions, parts[2:], strict=False)]
    assert [exact.reveal() for exact in found] == expected
    with pytest.raises(EvaluationFailed):
        table.totals_part(questions, first=4, parts=10, key=KEY)


def test_shares_have_the_same_total_as_count() -> None:
    table, _ = large(50)
    questions = [parse_question(text, table.schema) for text in ("a > 0", "s = 'x'", "f or a > 1")]
    assert opened(table, *questions) == [exact.reveal() for exact in table.count(questions)]
    assert table.totals([]) == []


def test_only_shares_are_counted() -> None:
    table, _ = large(5)
    with pytest.raises(EvaluationFailed):
        table.count([parse_question("mean(a, 0, 1, 0)", table.schema)])


def test_a_name_that_looks_like_a_pattern_is_a_name() -> None:
    table = in_memory({"^a$": [1.0, None, 3.0], "a": [7.0, 8.0, 9.0]})
    assert totals(table, "mean(`^a$` / 2, 0, 2, 0)") == [FINE * (1 + 0 + 3) // 4]
    assert totals(table, "histogram(`^a$`, (2))") == [(1, 1)]


def test_text_is_compared_code_point_by_code_point() -> None:
    table = in_memory({"s": ["é", "e\u0301", "É", "\0", " ", "", None, "null"]})
    cells = "('é', 'e\u0301', '\0', '', ' ', 'null', 'NULL')"
    assert totals(table, f"histogram(s, {cells})") == [(1, 1, 1, 1, 1, 1, 0)]


@pytest.mark.parametrize("text", TEXTS_OF_EVERY_FORM[:-1])
@pytest.mark.parametrize(
    "fault",
    [ValueError("s3cr3t"), pl.exceptions.PanicException("s3cr3t"), MemoryError("s3cr3t")],
    ids=lambda fault: type(fault).__name__,
)
def test_a_failing_engine_says_nothing(
    fault: BaseException, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    table, _ = large(5)

    def broken(*_: object, **__: object) -> object:
        raise fault

    for name in ("_counted", "_placed", "_numbered"):
        monkeypatch.setattr(totals_module, name, broken)
    with pytest.raises(EvaluationFailed) as caught:
        totals(table, text)
    printed = "".join(traceback.format_exception(caught.value))
    assert "s3cr3t" not in printed
    assert type(fault).__name__ not in printed


def test_totals_are_withheld_from_everything_but_mechanisms() -> None:
    table = in_memory({"a": [123.0] * 31})
    for text in ("mean(a, 0, 246, 0)", "histogram(a, (1, 200))", "quantile(a, 0.5, 0, 1)", "a > 1"):
        (exact,) = table.totals([parse_question(text, table.schema)])
        assert isinstance(exact, Exact)
        assert "31" not in f"{exact!r} {exact}"


@pytest.mark.parametrize("high", [5e-324, 1e-310, 1.0, 8.9e307])
def test_no_width_is_too_small_or_too_large(high: float) -> None:
    found = contributions(np.array([0.0, high]), low=0.0, high=high)
    assert found.tolist() == [0, FINE]
    found = contributions(np.array([-high, 0.0, high]), low=-high, high=high)
    assert found.tolist() == [0, FINE // 2, FINE]
