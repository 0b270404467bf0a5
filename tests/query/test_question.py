from __future__ import annotations

import hashlib
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.errors import InvalidInput, QuestionError
from peekproof.query.question import parse_question
from peekproof.query.tree import Column, Flag, Numeric, Predicate
from query.naive import Cell, truth
from query.strategies import (
    DYADIC,
    DYADIC_DIVISORS,
    SCHEMA,
    numerics,
    predicates,
    rows,
    spelled,
)


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
    "share": ["a > 1", "share(a > 1)", "SHARE(1 < a)", "share[not a <= 1]"],
    "mean": ["mean(a + b, -1, 2)", "MEAN (b+a, -1.0, 4 / 2)", "mean[0 + `b` + a, -(1), 2]",
             "mean(a + b, -1, 2) given a + b is not null",
             "mean(a + b, -1, 2, 1) where b + a < 3 or b + a >= 3"],
    "mean with a word for gaps": ["mean(a, -1, 2, -1)", "mean(coalesce(a, -1), -1, 2)",
             "mean(if(a is not null, a, -1), -1, 2)",
             "mean(coalesce(coalesce(a, -1), 7), -1, 2, 2)"],
    "mean of some": ["mean(a, 0, 1) given b > 0", "mean(a, 0, 1) given a is not null and b > 0",
             "mean(a, 0, 1, 1) given b > 0 and a is not null"],
    "clipped mean": ["mean(clip(a, 0, 9), 0, 1)", "mean(clip(a, 0, 9), 0, 1) given a is not null"],
    "mean at zero": ["mean(a, 0, 1, 0)", "mean(a, -0.0, 1, 0)", "mean(1 * a, 0 * 5, 1, -0.0)"],
    "edges": ["histogram(a * 2, (0, 1))", "histogram(2 * a, [-0.0, 2 / 2])"],
    "values": ["histogram(s, ('x', 'y'))", 'histogram(`s`, ["x", "y"])'],
    "flags": ["histogram(f, (true, false))", "histogram((f), (True, False))"],
    "weight": ["histogram(s, ('x'), a > 1)", "histogram(s, ('x'), not 1 >= a)"],
    "mean weight": ["histogram(s, ('x'), mean(a, 0, 1, 0))",
                    "histogram(s, ('x'), Mean(coalesce(a, 0), 0, 1))"],
    "quantile": ["quantile(a, 0.5, 0, 1)", "quantile(0 + a, 1/2, -0.0, 1, 256)"],
    "like": ["s like 'x%'", "startswith(s, 'x')", "not s not like 'x%'", "STARTSWITH(`s`, 'x')"],
    "like all": ["s like '%'", "s is not null", "contains(s, '')", "s like '%%'"],
    "like text": ["s like 'x'", "s = 'x'", "s like 'x' and startswith(s, 'x')"],
    "case": ["case when f then a else b end > 1", "if(f, a, b) > 1", "1 < if(f = true, a, b)"],
    "case null": ["case when f then a end > 1", "if(f, a, null) > 1"],
    "equal branches": ["a > 1", "if(f, a, a) > 1",
                       "case when b > 1 then a when f then a else a end > 1"],
    "constant case": ["a > 1", "if(1 < 2, a, b) > 1", "if(1 > 2, b, a) > 1"],
    "clip": ["clip(a, 0, 5) > 1", "clip(clip(a, 0, 10), -1, 5) > 1", "clip(a, 0, 10 / 2) > 1"],
    "clipped null": ["clip(a, 0, 5) is null", "a is null", "not clip(a, 1, 2) is not null"],
    "abs": ["abs(a) > 1", "if(a < 0, -a, a) > 1", "case when 0 > a then -1 * a else a end > 1"],
    "date": ["d > '2013-01-01'", "date '2013-01-01' < d", "not d <= '2013-01-01'"],
    "moment": ["m > '2013-01-01'", "m > '2013-01-01 00:00'",
               "m > timestamp '2013-01-01T02:00+02:00'",               "m > date '2013-01-01'"],
    "days": ["d - e > 5", "-1 * 0 + d - e > 5"],
    "histogram of flags": ["histogram(f)", "histogram(f, (true, false))"],
    "bins": ["histogram(a, bins(0, 1, 2))", "histogram(a, (0, 0.5, 1))"],
    "by": ["a > 1 by f", "share(1 < a) by f (true, false)", "not a <= 1 by `f`"],
    "given": ["a > 1 given b > 1", "share(a > 1) where 1 < b"],
    "implied": ["a > 5", "a > 3 and a > 5", "a > 5 and a >= 5", "a > 5 and a is not null",
                "a > 5 and (a > 3 or f)", "a > 5 or (a > 6 and f)", "a > 5 and a != 2"],
    "implied or": ["a < 5", "a < 3 or a < 5", "a < 5 or a in (1, 2)", "a < 5 or (f and a = 2)"],
    "members": ["a in (1, 2)", "a in (1, 2, 9) and a < 5", "a in (1, 2, 3) and a in (0, 1, 2)",
                "a in (1, 2, 3) and a != 3", "a in (1, 2) and (a < 5 or g)"],
    "a point": ["a = 3", "a >= 3 and a <= 3", "a between 3 and 3", "3 <= a <= 3 and a < 4"],
    "open end": ["a > 3", "a >= 3 and a != 3"],
    "closed end": ["a >= 3", "a > 3 or a = 3"],
    "everything": ["a is not null", "a < 3 or a >= 3", "a = 3 or a != 3",
                   "a <= 3 or a > 3 or a = 1"],
    "but one": ["a != 3", "a < 3 or a > 3"],
    "flag twice": ["f", "f and f is not null", "f and (f or g)", "f or (f and g)"],
    "absorbed": ["(f or g) and a > 1", "(f or g) and a > 1 and (g or f or b > 1)"],
    "text values": ["s = 'ax'", "s in ('ax', 'b') and startswith(s, 'a')"],
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
    "a between 1 and 5", "a > 1 and a < 5", "a <= 1 or a >= 5",
    "s = 'x'", "s = 'X'", "s = ' x'", "s = ''", "s = 'a b'", "s = 'a  b'", "s != 'x'", "t = 'x'",
    "s = t", "s != t", "s = 'null'", "s is null", "s = '1'",
    "f", "not f", "g", "f = g", "f != g", "f is null", "f and g", "f or g",
    "a + b > 1", "a - b > 1", "a * b > 1", "a / 2 > 1", "a * 2 > 1", "2 / 2 + a > 1", "b - a > 1",
    "a + b = 1", "a * a > 1", "a + a > 1", "(a + b) * c > 1", "a + b * c > 1", "a / 4 > 1",
    "-a > 1", "a / 2 / 2 > 1",
    "mean(a, 0, 1)", "mean(b, 0, 1)", "mean(a, 0, 2)", "mean(a, -1, 1)", "mean(a, 0, 1, 1)",
    "mean(a, 0, 1, 0)", "mean(a, 0, 1, 0) given b > 0", "mean(a, 0, 1) given b > 0",
    "histogram(a, (0), mean(b, 0, 1))", "histogram(a, (0), mean(b, 0, 1, 0))",
    "mean(a, 0, 1, 0.5)", "mean(a + b, 0, 1)", "mean(a, 0, 1e-300)", "histogram(a, (0))",
    "histogram(a, (0, 1))", "histogram(b, (0, 1))", "histogram(a, (0, 1, 2))",
    "histogram(a, (0), a > 1)", "histogram(a, (0), b > 1)", "histogram(a, (0), mean(a, 0, 1))",
    "histogram(a, (0), mean(a, 0, 1, 1))", "histogram(s, ('x'))", "histogram(s, ('0'))",
    "histogram(s, ('x', 'y'))", "histogram(s, ('y', 'x'))", "histogram(t, ('x', 'y'))",
    "histogram(s, ('xy'))", "histogram(f, (true))", "histogram(f, (false))",
    "histogram(f, (true, false))", "histogram(s, ('true'))", "histogram(s, ('x'), f)",
    "quantile(a, 0.5, 0, 1)", "quantile(a, 0.25, 0, 1)", "quantile(a, 0.5, 0, 1, 255)",
    "quantile(a, 0.5, 0, 2)", "quantile(a, 0.5, -1, 1)", "quantile(b, 0.5, 0, 1)",
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


RECORDED = {
    "a > 1": "4024dc6854a0e48c655634f91a7772fa24f33b484cd4418db981e5b3f84b4bb2",
    "a in (1, 2) and s != 'x'": "f3d6bc0436b4cd64241de9f80767cf19d5e5eea9cdcdf501465b3912b9378632",
    "not f or a / 3 + b * -2 >= 0.5": (
        "6e2927bcfb5f01a88eabd0434dcb28e994f8f82e843f5280c3ec43b4b01ea8b5"
    ),
    "s = t or a is null and f = g": (
        "6818d50d337bcff7fbeb0be3901aaac3d65ed60176827a04ec152a293c0c6ee7"
    ),
}


def test_digests_are_those_of_ledgers_that_exist() -> None:
    assert {text: digest(text) for text in RECORDED} == RECORDED


@given(numerics(DYADIC, DYADIC_DIVISORS), st.data())
def test_spellings_of_an_operand_share_a_digest(operand: Numeric, data: st.DataObject) -> None:
    def spelling() -> str:
        return spelled(operand, lambda options: data.draw(st.sampled_from(options)))

    for form in ("mean({}, 0, 1)", "quantile({}, 0.5, 0, 1)", "histogram({}, (0, 1))"):
        try:
            one = digest(form.format(spelling()))
        except QuestionError:  # a number that is always the same
            return
        assert one == digest(form.format(spelling()))


def test_only_a_share_has_one_predicate() -> None:
    assert parse_question("share(f)", SCHEMA).predicate == Flag(Column("f"), False)
    with pytest.raises(TypeError, match="a Mean is not a share"):
        parse_question("mean(a, 0, 1, 0)", SCHEMA).predicate  # noqa: B018


def test_the_text_is_kept_as_it_was_asked_without_outer_space() -> None:
    assert parse_question("\n a  > 1 ", SCHEMA).text == "a  > 1"


def test_the_text_still_asks_the_same_question() -> None:
    question = parse_question("s = 'a  b'", SCHEMA)
    assert digest(question.text) == question.digest


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("true", "true"),
        ("1 > 2", "false"),
        ("a > 1 or 1 = 1", "true"),
        ("3 in (1, 2)", "false"),
        ("a > 5 and a < 3", "false"),
        ("a > 5 and a <= 5", "false"),
        ("f and not f", "false"),
        ("a = 1 and a = 2", "false"),
        ("a is null and a > 1", "false"),
        ("s not like '%'", "false"),
        ("s = 'x' and s = 'y'", "false"),
        ("s = 'x' and s like 'y%'", "false"),
        ("a is null or a is not null", "true"),
        ("a is null or a < 3 or a >= 3", "true"),
        ("f or not f or f is null", "true"),
        ("5 is null", "false"),
        ("if(f, null, null) > 1", "false"),
        ("date '2013-01-01' < '2014-01-01'", "true"),
    ],
)
def test_questions_that_say_nothing_about_the_data_are_refused(text: str, value: str) -> None:
    with pytest.raises(QuestionError, match=f"always {value}") as caught:
        parse_question(text, SCHEMA)
    assert (caught.value.position, caught.value.length) == (0, len(text))
    assert "mention a column" in str(caught.value)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("share(1 = 1)", "the question is always true"),
        ("mean(3, 0, 1)", "the number is always 3"),
        ("mean(2 * 3 + 1, 0, 1)", "the number is always 7"),
        ("quantile(3, 0.5, 0, 1)", "the number is always 3"),
        ("histogram(3, (0, 1))", "the number is always 3"),
        ("histogram(s, ('x'), true)", "the condition is always true"),
        ("histogram(s, ('x'), a > 1 and 1 > 2)", "the condition is always false"),
        ("histogram(s, ('x'), mean(3, 0, 1))", "the mean is of a number that is always 3"),
        ("mean(if(f, null, null), 0, 1)", "the number is always null"),
        ("a > 1 and a < 0 by f", "the condition is always false"),
        ("f by (2 * 3) (1)", "the number is always 6"),
        ("mean(3, 0, 1) by f", "the mean is of a number that is always 3"),
        ("mean(3, 0, 1) given f", "the number is always 3"),
        ("1 = 1 given f", "the question is always true"),
        ("f given a > 1 and a < 0", "the condition is always false"),
        ("a > 5 given a < 3", "the question is never true where its condition is"),
        ("a > 5 given a > 6", "the question is always true where its condition is"),
    ],
)
def test_forms_that_say_nothing_about_the_data_are_refused(text: str, problem: str) -> None:
    with pytest.raises(QuestionError) as caught:
        parse_question(text, SCHEMA)
    assert caught.value.problem == problem
    assert (caught.value.position, caught.value.length) == (0, len(text))


@pytest.mark.parametrize("given", [None, 5, b"a > 1", ("a > 1",), {"share": 1}, object()])
def test_what_is_not_text_is_refused_by_name(given: object) -> None:
    with pytest.raises(InvalidInput, match=r"question must be text such as 'age > 50', got"):
        parse_question(given, SCHEMA)  # type: ignore[arg-type]


def test_a_huge_object_is_not_repeated_in_full() -> None:
    with pytest.raises(InvalidInput) as caught:
        parse_question(("x" * 10_000,), SCHEMA)  # type: ignore[arg-type]
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    "text", ["1e308 + 1e308 > 5", "a < 1e308 * 10", "1e308 / 1e-10 > a", "1e200 * 1e200 in (1)",
     "clip(a, 0, 1e308 * 10) > 1", "a / (1e308 * 10) > 1", "histogram(a, bins(0, 1e308 * 10, 2))",
     "mean(a, 0, 1e308 * 10)", "mean(a + 1e308 + 1e308, 0, 1)", "histogram(a, (0, 1e308 + 1e308))",
     "quantile(a, 0.5, 0, 1e308 / 1e-10)", "histogram(s, ('x'), a > 1e308 * 10)"]
)  # fmt: skip
def test_constants_that_overflow_are_refused_before_they_are_charged(text: str) -> None:
    with pytest.raises(QuestionError):
        parse_question(text, SCHEMA)


def test_text_that_no_engine_can_hold_is_refused_before_it_is_charged() -> None:
    with pytest.raises(QuestionError):
        parse_question("s = '\ud800'", SCHEMA)


@pytest.mark.parametrize(
    "question",
    [
        "mean(a, -1, 2, 5)",
        "mean(coalesce(a, 5), -1, 2)",
        "mean(if(a is null, 5, a), -1, 2)",
        "mean(coalesce(a, 5), -1, 2) given b > 0",
        "mean(coalesce(a, 5), -1, 2) by s ('x')",
        ["mean", ["if", ["is null", ["column", "a"]], 5.0, ["column", "a"]], -1.0, 2.0, None],
    ],
)
def test_missing_values_count_as_nothing_outside_the_bounds(question: str | list[object]) -> None:
    with pytest.raises(QuestionError, match="missing must be from -1 to 2, got 5"):
        parse_question(question, SCHEMA)
