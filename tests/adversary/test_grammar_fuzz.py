"""Texts made of the grammar's own words, whole and damaged: none gets further than it should."""

from __future__ import annotations

import random
import re
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adversary import hostile
from data.naive_totals import total
from peekproof.core.errors import InvalidInput, QuestionError
from peekproof.data.load import in_memory
from peekproof.query.canonical import to_json
from peekproof.query.question import Question, from_json, parse_question
from peekproof.session.queries import drawn_for
from sizes import sized

LONGEST_MESSAGE = 800
ROWS = hostile.rows()[:46]
TABLE = in_memory(hostile.table_frame().head(46))
SCHEMA = TABLE.schema

NUMBERS = ["0", "1", "-1", "2.5", "12", "1e308", "5e-324", "0.1", "1_000", "-0.0", ".5", "1e-320"]
WORDS = ["'x'", "''", "'é'", "'\0'", '"x\' or 1=1"', "'%'", "'\\'", "'''x'", "'--'", "'X'"]
DAYS = ["'2013-06-01'", "'1970-01-01'", "date '0001-01-01'", "'9999-12-31'", "'1969-12-31'"]
MOMENTS = ["'2013-06-01 12:30:05.25'", "timestamp '1970-01-01'", "'1969-12-31T23:59:59.999999Z'"]
COMPARATORS = ["<", "<=", ">", ">=", "=", "!=", "<>", "=="]
SPARE = [
    *NUMBERS, *WORDS, *DAYS, *MOMENTS, *COMPARATORS, "+", "-", "*", "/", "(", ")", "[", "]", ",",
    "a", "b", "s", "f", "d", "m", "`*`", "`^.*$`", "and", "or", "not", "in", "between", "is",
    "null",
    "true", "false", "like", "case", "when", "then", "else", "end", "if", "clip", "abs", "year",
    "hour", "weekday", "contains", "startswith", "endswith", "share", "mean", "histogram",
    "quantile", "given", "where", "by", "bins", "~", "!", "&", "|", "'", '"', "`", "\0", "²", "١",
]  # fmt: skip
_PIECES = re.compile(r"'[^']*'|\"[^\"]*\"|`[^`]*`|\w+|\s+|[<>=!]=|<>|.", re.DOTALL)


class Babble:
    """Questions, or nearly so; `most` is how deep they nest."""

    def __init__(self, seed: int, most: int = 3) -> None:
        self._random = random.Random(seed)
        self._most = most

    def text(self) -> str:
        written = self._question()
        for _ in range(self._random.choice([0, 0, 0, 1, 1, 2, 4])):
            written = self._damaged(written)
        return written

    def _pick(self, *ways: Callable[[], str]) -> str:
        return self._random.choice(ways)()

    def _one(self, among: list[str]) -> str:
        return self._random.choice(among)

    def _question(self) -> str:
        most = self._most
        return self._pick(
            lambda: self._condition(most),
            lambda: self._condition(most),
            lambda: self._asked(most),
            lambda: f"{self._asked(most)} {self._one(['given', 'where'])} {self._condition(1)}",
            lambda: f"{self._asked(most)} by {self._cells(' ')}",
            lambda: f"histogram({self._cells(', ')})",
            lambda: f"histogram({self._cells(', ')}, {self._asked(1)})",
            lambda: f"quantile({self._number(most)}, {self._one(['0.5', '0.01', '1/3'])}, 0, 3, 5)",
        )

    def _asked(self, depth: int) -> str:
        return self._pick(
            lambda: self._condition(depth),
            lambda: f"share({self._condition(depth)})",
            lambda: f"mean({self._number(depth)}, -1, {self._one(['1', '2.5', '1e300'])})",
            lambda: f"mean({self._number(depth)}, 0, 12, 3)",
        )

    def _cells(self, between: str) -> str:
        return self._pick(
            lambda: f"a{between}(0, 1, 2.5)",
            lambda: f"(a + b){between}(0)",
            lambda: f"b{between}bins(-1, 13, 7)",
            lambda: f"s{between}({', '.join(self._random.sample(WORDS, 3))})",
            lambda: f"f{between}(false, true)",
            lambda: f"d{between}('1970-01-01', '2013-06-01')",
            lambda: f"m{between}('1970-01-01', '2013-06-01 12:30:05.25')",
            lambda: f"weekday(d){between}(3, 6)",
        )

    def _condition(self, depth: int) -> str:
        if depth <= 0:
            return self._pick(lambda: "f", lambda: "not f", self._test, self._test, self._test)
        return self._pick(
            self._test,
            lambda: f"{self._condition(depth - 1)} and {self._condition(depth - 1)}",
            lambda: f"{self._condition(depth - 1)} or {self._condition(depth - 1)}",
            lambda: f"not ({self._condition(depth - 1)})",
            lambda: f"({self._condition(depth - 1)})",
        )

    def _test(self) -> str:
        sign, negated = self._one(COMPARATORS), self._one(["", "not "])
        return self._pick(
            lambda: f"{self._number(1)} {sign} {self._number(1)}",
            lambda: f"{self._number(1)} {sign} {self._one(NUMBERS)}",
            lambda: f"{self._one(NUMBERS)} < {self._number(0)} <= {self._one(NUMBERS)}",
            lambda: f"{self._number(1)} {negated}between 0 and {self._one(['1', '2.5', 'b'])}",
            lambda: f"{self._number(1)} {negated}in ({self._one(NUMBERS)}, {self._one(NUMBERS)})",
            lambda: f"s {negated}in ({self._one(WORDS)}, {self._one(WORDS)})",
            lambda: f"s {self._one(['=', '!='])} {self._one(WORDS)}",
            lambda: f"s {negated}like {self._one(WORDS)}",
            lambda: f"{negated}{self._one(['contains', 'startswith', 'endswith'])}(s, 'x')",
            lambda: f"{self._one(['a', 's', 'f', 'd', 'm', 'a / b'])} is {negated}null",
            lambda: f"f = {self._one(['true', 'false', 'f'])}",
            lambda: f"d {sign} {self._one(DAYS)}",
            lambda: f"m {sign} {self._one(MOMENTS + DAYS)}",
            lambda: f"d + {self._one(NUMBERS)} {sign} m",
            lambda: f"m - {self._one(MOMENTS)} {sign} {self._one(NUMBERS)}",
        )

    def _number(self, depth: int) -> str:
        if depth <= 0:
            return self._pick(lambda: "a", lambda: "b", lambda: "`*`", lambda: self._one(NUMBERS))
        return self._pick(
            lambda: self._number(0),
            lambda: (
                f"{self._number(depth - 1)} {self._one(list('+-*/'))} {self._number(depth - 1)}"
            ),
            lambda: f"-({self._number(depth - 1)})",
            lambda: f"abs({self._number(depth - 1)})",
            lambda: f"clip({self._number(depth - 1)}, {self._one(['-1', '0'])}, 2.5)",
            lambda: f"if({self._condition(0)}, {self._number(0)}, {self._one(['null', 'b'])})",
            lambda: f"case when {self._condition(0)} then {self._number(0)} else a end",
            lambda: self._one(
                ["year(d)", "weekday(d)", "hour(m)", "second(m)", "d - '2013-06-01'"]
            ),
        )

    def _damaged(self, text: str) -> str:
        pieces = _PIECES.findall(text) or [""]
        place, other = (self._random.randrange(len(pieces)) for _ in range(2))
        match self._random.randrange(7):
            case 0:
                del pieces[place]
            case 1:
                pieces.insert(place, pieces[other])
            case 2:
                pieces[place], pieces[other] = pieces[other], pieces[place]
            case 3:
                pieces[place] = self._one(SPARE)
            case 4:
                pieces.insert(place, self._one(SPARE))
            case 5:
                letters = list(text) or [" "]
                at = self._random.randrange(len(letters))
                letters[at] = chr(ord(letters[at]) ^ 1 << self._random.randrange(7))
                return "".join(letters)
            case _:
                return text[: self._random.randrange(len(text) + 1)]
        return "".join(pieces)


TEXTS = st.integers(0, 2**64 - 1).map(lambda seed: Babble(seed).text())


def taken(text: str) -> Question | None:
    """The question, or nothing if it is refused as it should be."""
    try:
        return parse_question(text, SCHEMA)
    except (QuestionError, InvalidInput) as error:
        message = str(error)
        assert len(message) <= LONGEST_MESSAGE
        assert all(each.isprintable() or each == "\n" for each in message)
        return None


def check(text: str) -> None:
    """All that must hold of a text."""
    question = taken(text)
    if question is None:
        return
    assert from_json(to_json(question.form), SCHEMA).digest == question.digest
    drawn = drawn_for([question])
    found = [each.reveal() for each in TABLE.totals(drawn)]
    assert found == [total(each.form, ROWS) for each in drawn]


@given(TEXTS)
@settings(max_examples=sized(400, full=1_000))
def test_a_text_is_refused_or_counted_as_row_by_row_and_the_same_as_json(text: str) -> None:
    check(text)


def test_the_texts_are_whole_and_damaged() -> None:
    """So that the test above is about both."""
    read = [taken(Babble(seed).text()) is not None for seed in range(400)]
    assert 100 < sum(read) < 300


@given(st.text(max_size=40) | st.lists(st.sampled_from(SPARE), max_size=30).map(" ".join))
@settings(max_examples=sized(150, full=300))
def test_words_and_letters_at_random_are_refused_or_counted(text: str) -> None:
    check(text)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("clip(a, 0, 1) >= 0.5 or clip(a, 0, 1) < 0.5", "a is not null"),
        ("(clip(a, 0, 1) >= 0.5 or clip(a, 0, 1) < 0.5) and a > 1", "a > 1"),
        ("clip(a, 0, 1) >= 0 or clip(a, 0, 1) < 0 or a is not null or f", "f or a is not null"),
        ("not (clip(a, 0, 1) in (0) and clip(a, 0, 1) in (1)) or f", "a is not null or f"),
        ('["mean",["column","a"],-0.0,1,-0.0]', "mean(a, 0, 1, 0)"),
        ('["histogram",["edges",["column","a"],[-0.0]],null]', "histogram(a, (0))"),
    ],
)
def test_two_ways_to_say_the_same_are_one_question(text: str, same: str) -> None:
    """A question that is not known again is paid for twice."""
    assert parse_question(text, SCHEMA).digest == parse_question(same, SCHEMA).digest


def test_a_wrong_count_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(check.__globals__, "ROWS", ROWS[1:])
    with pytest.raises(AssertionError):
        check("a is null or a is not null and f or not f or s = 'x'")
