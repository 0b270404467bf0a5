from __future__ import annotations

import traceback
from collections.abc import Sequence

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from data.tables import TABLES, Rows, frame
from peekproof.core.errors import EvaluationFailed, QuestionError
from peekproof.core.secret import Exact
from peekproof.data import totals as engine_module
from peekproof.data.load import in_memory
from peekproof.data.table import Table
from peekproof.query.question import Question, parse_question
from peekproof.query.tree import Predicate
from query import naive
from query.strategies import DYADIC_DIVISORS, predicates, spelled

LITERALS = st.floats(-1e50, 1e50) | st.sampled_from([0.0, -0.0, 0.1, 3.0, 49.0, 5e-324])


def counts(table: Table, *texts: str) -> list[int]:
    questions = [parse_question(text, table.schema) for text in texts]
    return [exact.reveal() for exact in table.count(questions)]


def questions(trees: Sequence[Predicate], table: Table) -> list[Question]:
    """The trees as questions, without those that are always true or false, each once."""
    found: dict[str, Question] = {}
    for tree in trees:
        try:
            question = parse_question(spelled(tree, lambda options: options[0]), table.schema)
        except QuestionError:
            continue
        found[question.digest] = question
    return list(found.values())


@given(st.lists(predicates(LITERALS, DYADIC_DIVISORS), min_size=2, max_size=4), TABLES)
def test_counts_agree_with_a_loop_over_rows_alone_and_in_a_batch(
    trees: list[Predicate], rows: Rows
) -> None:
    table = in_memory(frame(rows))
    asked = questions(trees, table)
    expected = [naive.count(question.predicate, list(rows)) for question in asked]
    # Cold and with bits at hand, alone and in a batch: nothing may change.
    assert [exact.reveal() for exact in table.count(asked)] == expected
    for _ in range(2):
        assert [table.count([question])[0].reveal() for question in asked] == expected
    assert [exact.reveal() for exact in table.count(asked)] == expected
    forgetful = Table(table._frame, table.schema, room=0)
    assert [forgetful.count([question])[0].reveal() for question in asked] == expected


@given(TABLES)
def test_one_row_or_many_every_part_of_a_partition_is_counted_once(rows: Rows) -> None:
    table = in_memory(frame(rows))
    for texts in (
        ("a > 1", "a <= 1", "a is null"),
        ("s = 'x'", "s != 'x'", "s is null"),
        ("f", "not f", "f is null"),
    ):
        assert sum(counts(table, *texts)) == len(rows)


def test_the_counts_of_a_table_small_enough_to_do_by_hand() -> None:
    table = in_memory(
        {
            "age": [20.0, 50.0, 51.0, None],
            "name": ["", "O'Neil", None, "é"],
            "well": [True, False, None, True],
        }
    )
    by_hand = {
        "age > 50": 1,
        "age >= 50": 2,
        "not age > 50": 2,
        "age is null": 1,
        "age between 20 and 50": 2,
        "age not between 20 and 50": 1,
        "age in (20, 51)": 2,
        "age not in (20, 51)": 1,
        "age != 20": 2,
        "name = ''": 1,
        "name = 'O''Neil'": 1,
        "name != ''": 2,
        "name in ('é', 'O''Neil')": 2,
        "name not in ('é')": 2,
        "well": 2,
        "not well": 1,
        "well or age > 50": 3,
        "well and age > 10": 1,
        "age + age > 100": 1,
        "age - 20 = 0": 1,
    }
    assert counts(table, *by_hand) == list(by_hand.values())
    assert [counts(table, text)[0] for text in by_hand] == list(by_hand.values())


def test_no_questions_need_no_engine() -> None:
    assert in_memory({"a": [1.0]}).count([]) == []


@pytest.mark.parametrize("width", [30, 400])
def test_long_sums_agree_alone_and_in_a_batch(width: int) -> None:
    names = [f"x{i}" for i in range(width)]
    rows: list[naive.Row] = [
        {name: float((i * j) % 7 - 3) for j, name in enumerate(names)} for i in range(20)
    ]
    table = in_memory({name: [row[name] for row in rows] for name in names})
    votes = " + ".join(f"{0.1 * (i % 5 - 2):.1f}*{name}" for i, name in enumerate(names))
    texts = [f"{votes} > 0", f"{votes} > 1", "x1 > 0"]
    asked = [parse_question(text, table.schema) for text in texts]
    expected = [naive.count(question.predicate, rows) for question in asked]
    assert 0 < expected[0] < 20
    assert counts(table, *texts) == expected
    assert [counts(table, text)[0] for text in texts] == expected


def test_the_fingerprint_is_computed_once_and_names_the_content() -> None:
    table = in_memory({"a": [1.0, 2.0]})
    assert table.fingerprint is table.fingerprint
    assert table.fingerprint == in_memory({"a": [2.0, 1.0]}).fingerprint


@pytest.mark.parametrize(
    "fault",
    [
        ValueError("row 17 holds s3cr3t"),
        pl.exceptions.ComputeError("s3cr3t"),
        pl.exceptions.PanicException("s3cr3t"),
        MemoryError("s3cr3t"),
    ],
    ids=lambda fault: type(fault).__name__,
)
@pytest.mark.parametrize("texts", [["a > 1"], ["a > 1", "a > 2"]], ids=["alone", "batch"])
def test_a_failing_engine_says_nothing(
    fault: BaseException, texts: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    table = in_memory({"a": [1.0, 2.0]})

    def broken(*_: object, **__: object) -> object:
        raise fault

    monkeypatch.setattr(engine_module, "Plan", broken)
    with pytest.raises(EvaluationFailed) as caught:
        counts(table, *texts)
    assert caught.value.fields() == {}
    assert "withheld" in str(caught.value)
    printed = "".join(traceback.format_exception(caught.value))
    assert "s3cr3t" not in printed
    assert type(fault).__name__ not in printed


def test_an_interrupt_is_not_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> object:
        raise KeyboardInterrupt

    table = in_memory({"a": [1.0]})
    monkeypatch.setattr(engine_module, "Plan", interrupted)
    with pytest.raises(KeyboardInterrupt):
        counts(table, "a > 1")


def test_counts_are_withheld_from_everything_but_mechanisms() -> None:
    table = in_memory({"a": [123.0] * 31})
    (exact,) = table.count([parse_question("a > 1", table.schema)])
    assert isinstance(exact, Exact)
    assert "31" not in f"{exact!r} {exact}"
    assert "123" not in f"{table!r} {table}"


def test_a_question_may_stand_twice_in_a_batch() -> None:
    assert counts(in_memory({"a": [1.0, 2.0]}), "a > 1", "1 < a") == [1, 1]


@pytest.mark.parametrize(
    ("test", "expected"), [("in (1, 3)", 2), ("not in (1, 5)", 1), ("is null", 1)]
)
def test_a_name_that_looks_like_a_pattern_is_counted_alone(test: str, expected: int) -> None:
    table = in_memory({"^a$": [1.0, None, 3.0], "a": [7.0, 8.0, 9.0]})
    assert counts(table, f"`^a$` {test}", "a > 1") == [expected, 3]
    assert counts(table, f"`^a$` {test}") == [expected]
