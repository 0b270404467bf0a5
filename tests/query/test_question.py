from __future__ import annotations

import hashlib
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from holdfast.core.errors import InvalidInput, QuestionError
from holdfast.query.question import parse_question
from holdfast.query.tree import Predicate
from query.naive import Cell, truth
from query.strategies import SCHEMA, predicates, rows, spelled


def digest(text: str) -> str:
    return parse_question(text, SCHEMA).digest


SAME = {
    "spelling": ["a > 1", "a>1.0", " a  >\n1 ", "(a > 1)", "((a) > (1))", "`a` > +1", "a > 1_0e-1"],
    "sides": ["a > 1", "1 < a"],
    "order": ["a > 1 and b < 2", "b < 2 AND a > 1", "b<2 & a>1", "(b < 2) && (a > 1)"],
    "grouping": ["a > 1 or b > 1 or c > 1", "a > 1 or (b > 1 or c > 1)", "(c > 1 | a > 1)||b > 1"],
    "repetition": ["a > 1", "a > 1 and a > 1", "a > 1 or 1 < a", "a > 1 & true", "a > 1 or !true"],
    "double negation": ["a > 1", "not not a > 1", "not (not (a > 1))", "!(~(a > 1))", "not a <= 1"],
    "De Morgan": ["not (a > 1 and b > 2)", "not a > 1 or not b > 2", "a <= 1 or b <= 2"],
    "range": [
        "a between 1 and 5",
        "a >= 1 and a <= 5",
        "1 <= a <= 5",
        "5 >= a >= 1",
        "not (a < 1 or a > 5)",
        "not a not between 1 and 5",
    ],
    "outside": ["a not between 1 and 5", "a < 1 or a > 5", "not (1 <= a <= 5)"],
    "equality": ["a = 1", "a == 1", "a in (1)", "1 = a", "a in [1, 1]", "not a != 1", "a IN (1.0)"],
    "inequality": ["a != 1", "a <> 1", "a not in (1)", "not a = 1", "not a in (1)"],
    "membership": ["a in (1, 2)", "a in [2, 1]", "a = 1 or a = 2", "2 = a or a in (1, 2)"],
    "no membership": ["a not in (1, 2)", "a != 1 and a != 2", "not (a = 1 or a = 2)"],
    "text": ["s = 'x'", 's == "x"', "'x' = s", "s in ('x')", "not s <> 'x'"],
    "two texts": ["s = t", "t = s", "not s != t"],
    "flag": ["f", "f = true", "f == TRUE", "true = f", "f != false", "not f = false", "not not f"],
    "no flag": ["not f", "f = false", "!f", "f != true"],
    "two flags": ["f = g", "g = f", "not f != g"],
    "null": ["a is null", "not a is not null"],
    "zero": ["a = 0", "a = -0.0", "a in (-0.0, 0)"],
    "constants": ["a > 6", "a > 2 * 3", "a > 1 + 2 + 3", "a > 12 / 2", "a > -(-6)", "a > - - 6"],
    "sums": ["a + b > 1", "b + a > 1", "1 < b + a", "0 + a + b > 1", "a - -b > 1", "(a) + (b) > 1"],
    "products": ["2 * a * b > 1", "a * 2 * b > 1", "b * (a * 2) > 1", "1 * (b * 2 * a) > 1"],
    "difference": ["a - b > 1", "a + -b > 1", "-b + a > 1", "a + (-1 * b) > 1", "a + b * -1 > 1"],
}  # fmt: skip


@pytest.mark.parametrize("texts", SAME.values(), ids=SAME.keys())
def test_spellings_of_one_question_share_a_digest(texts: list[str]) -> None:
    assert len({digest(text) for text in texts}) == 1


NEAR_MISSES = [
    "a > 1", "a >= 1", "a < 1", "a = 1", "a != 1", "b > 1", "a > 2", "a > -1", "a > 1e-300",
    "a is null", "a is not null", "b is null", "a > b", "a >= b", "a < b",
    "a > 1 and b > 1", "a > 1 or b > 1", "a > 1 and b > 1 and c > 1", "a > 1 and (b > 1 or c > 1)",
    "(a > 1 and b > 1) or c > 1", "a in (1, 2)", "a in (1, 2, 3)", "a not in (1, 2)", "a in (12)",
    "a between 1 and 5", "a > 1 and a < 5", "a >= 1 or a <= 5",
    "s = 'x'", "s = 'X'", "s = ' x'", "s = ''", "s = 'a b'", "s = 'a  b'", "s != 'x'", "t = 'x'",
    "s = t", "s != t", "s = 'null'", "s is null", "s = '1'",
    "f", "not f", "g", "f = g", "f != g", "f is null", "f and g", "f or g",
    "a + b > 1", "a - b > 1", "a * b > 1", "a / 2 > 1", "a * 2 > 1", "2 / 2 + a > 1", "b - a > 1",
    "a + b = 1", "a * a > 1", "a + a > 1", "(a + b) * c > 1", "a + b * c > 1", "a / 4 > 1",
    "-a > 1", "a / 2 / 2 > 1",
]  # fmt: skip


def test_different_questions_have_different_digests() -> None:
    digests = {text: digest(text) for text in NEAR_MISSES}
    collisions = [(x, y) for x, y in combinations(NEAR_MISSES, 2) if digests[x] == digests[y]]
    assert collisions == []


@given(predicates(), predicates(), st.lists(rows(), min_size=1, max_size=8))
def test_questions_that_differ_on_a_row_never_share_a_digest(
    one: Predicate, other: Predicate, some: list[dict[str, Cell]]
) -> None:
    try:
        texts = [spelled(each, lambda options: options[0]) for each in (one, other)]
        first, second = (parse_question(text, SCHEMA) for text in texts)
    except QuestionError:  # a question that is always true or false
        return
    if any((truth(one, row) is True) != (truth(other, row) is True) for row in some):
        assert first.digest != second.digest


def test_the_digest_is_of_the_wire_form() -> None:
    form = b'["share",[">",["column","a"],1.0]]'
    assert digest("1 < a") == hashlib.sha256(form).hexdigest()


def test_the_text_is_kept_as_it_was_asked_without_outer_space() -> None:
    assert parse_question("\n a  > 1 ", SCHEMA).text == "a  > 1"


def test_the_text_still_asks_the_same_question() -> None:
    question = parse_question("s = 'a  b'", SCHEMA)
    assert digest(question.text) == question.digest


@pytest.mark.parametrize(
    ("text", "value"),
    [("true", "true"), ("1 > 2", "false"), ("a > 1 or 1 = 1", "true"), ("3 in (1, 2)", "false")],
)
def test_questions_that_say_nothing_about_the_data_are_refused(text: str, value: str) -> None:
    with pytest.raises(QuestionError, match=f"always {value}") as caught:
        parse_question(text, SCHEMA)
    assert (caught.value.position, caught.value.length) == (0, len(text))
    assert "mention a column" in str(caught.value)


@pytest.mark.parametrize("given", [None, 5, b"a > 1", ["a > 1"], object()])
def test_what_is_not_text_is_refused_by_name(given: object) -> None:
    with pytest.raises(InvalidInput, match=r"question must be text such as 'age > 50', got"):
        parse_question(given, SCHEMA)  # type: ignore[arg-type]


def test_a_huge_object_is_not_repeated_in_full() -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_question(["x" * 10_000], SCHEMA)  # type: ignore[arg-type]
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "text", ["1e308 + 1e308 > 5", "a < 1e308 * 10", "1e308 / 1e-10 > a", "1e200 * 1e200 in (1)"]
)
def test_constants_that_overflow_are_refused_before_they_are_charged(text: str) -> None:
    with pytest.raises(QuestionError):
        parse_question(text, SCHEMA)


def test_text_that_no_engine_can_hold_is_refused_before_it_is_charged() -> None:
    with pytest.raises(QuestionError):
        parse_question("s = '\ud800'", SCHEMA)
