"""Questions read again by their words and digests alone."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.errors import QuestionError
from peekproof.query.candidates import listed_in_text, parse_candidates
from peekproof.query.canonical import form_text
from peekproof.query.inference import Inference
from peekproof.query.question import parse_question
from peekproof.query.schema import Kind, Schema
from query.strategies import SCHEMA, predicates, spelled

DECLARED = Schema(
    {name: kind for name, kind in SCHEMA.columns.items() if kind is not Kind.OTHER},
    {"s": ("x", "y", "z")},
    frozenset({"a", "m"}),
)
NONE = "0" * 64


@given(predicates(), st.randoms(use_true_random=False))
def test_any_condition_is_read_as_it_was(predicate: object, random: object) -> None:
    text = spelled(predicate, random.choice)  # type: ignore[arg-type, attr-defined]
    try:
        asked = parse_question(text, SCHEMA)
    except QuestionError:
        return
    found = Inference().question(text, asked.digest, cells=1)
    assert found is not None
    assert found.digest == asked.digest
    again = form_text(asked.form)  # as parts of quotients are recorded
    assert Inference().question(again, asked.digest, cells=1) is not None


FORMS = (
    "a > 3",
    "a = b",
    "s = t",
    "d = e and m > d",
    "d > '2020-01-01' and e <= '2021-01-01' or m = '2020-05-05 10:00'",
    "s in ('2020-01-01', '2021-01-01')",
    "s like '2020%' and f",
    "m - d > 3 and e - d > 3",
    "hour(m) = 3 and day(d) = 3",
    "mean(a, 0, 1)",
    "mean(b, 0, 1, 0)",
    "mean(hour(m), 0, 23)",
    "histogram(a, (1, 2, 3))",
    "histogram(m, ('2020-01-01', '2021-01-01'))",
    "histogram(f)",
    "histogram(f, (true, false))",
    "histogram(s, ('x', 'y'), mean(b, 0, 1))",
    "histogram(s, ('x', 'y'), mean(a, 0, 1))",
    "mean(a, 0, 1) by f",
    "mean(b, 0, 1) by f",
    "mean(a + b, 0, 1) by d ('2020-01-01')",
    "f by a (0, 50)",
    "f by day(d) (10, 20)",
    "quantile(a, 0.25, 0, 1, 12)",
    "quantile(minute(m), 0.25, 0, 60)",
)


def test_all_forms_are_read_as_they_were_one_after_the_other() -> None:
    for order in (FORMS, FORMS[::-1]):
        inference = Inference()
        for text in order:
            asked = parse_question(text, DECLARED)
            found = inference.question(text, asked.digest, cells=asked.form.dimension)
            assert found is not None
            assert form_text(found.form) == form_text(asked.form)
            if not text.endswith(("by f", "histogram(f)")):  # f may be of declared texts
                assert inference.question(text, NONE, cells=asked.form.dimension) is None


@pytest.mark.parametrize("text", ["histogram(s)", "f by s", "mean(a, 0, 1) by s"])
def test_of_declared_categories_only_their_number_is_known(text: str) -> None:
    asked = parse_question(text, DECLARED)
    cells = asked.form.dimension
    found = Inference().question(text, asked.digest, cells=cells)
    assert found is not None
    assert (found.digest, found.form.dimension) == ("", cells)
    assert type(found.form) is type(asked.form)


def test_words_that_ask_for_nothing_are_no_question() -> None:
    for text in ("", "a >", "whatever they say", "statistic m", "pairs: p", "[]", '["share"]'):
        assert Inference().question(text, NONE, cells=1) is None


def test_many_columns_are_read_in_few_tries() -> None:
    columns = [f"c{number}" for number in range(400)]
    schema = Schema(dict.fromkeys(columns, Kind.TEXT))
    text = " or ".join(f"{each} = 'x'" for each in columns)
    asked = parse_question(text, schema)
    assert Inference().question(text, asked.digest, cells=1) == asked


def test_where_there_are_too_many_readings_the_digest_is_left_open() -> None:
    columns = [f"c{number}" for number in range(9)]
    text = " or ".join(f"{each} = '2020-01-01'" for each in columns)
    asked = parse_question(text, Schema(dict.fromkeys(columns, Kind.TEXT)))
    inference = Inference()
    assert inference.question(text, asked.digest, cells=1) == asked
    found = inference.question(text, NONE, cells=1)
    assert found is not None
    assert found.digest == ""


def test_candidates_are_read_together() -> None:
    texts = ["mean(a, 0, 1)", "mean(m - d, 0, 1, 0)", "mean(if(s = 'x; y', a, 0), 0, 1)"]
    schema = replace(SCHEMA, complete=frozenset(SCHEMA.columns))
    asked = parse_candidates(texts, schema)
    assert Inference().candidates(asked.text, asked.digest) == asked
    assert Inference().candidates(asked.text, NONE) is None
    dated = parse_candidates(["d > '2020-01-01'", "e > '2020-01-01'", "d > '2020-01-02'"], SCHEMA)
    assert Inference().candidates(dated.text, dated.digest) == dated


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        ("the largest of 2: a; b", ["a", "b"]),
        ("the largest of 2: s = 'a; b'; s = \"it's; so\"", ["s = 'a; b'", 's = "it\'s; so"']),
        ("the largest of 3: a; b", []),
        ("the largest of 02: a; b", []),
        ("the largest of ,: a; b", []),
        ("a; b", []),
    ],
)
def test_candidates_are_told_apart(text: str, listed: list[str]) -> None:
    assert listed_in_text(text) == listed
