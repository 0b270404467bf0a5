"""The reference of questions says what is true."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from peekproof.query import Kind, Schema, from_json, parse_question
from peekproof.query.parser import NAMES
from peekproof.query.tokens import KEYWORDS

PAGE = (Path(__file__).parents[2] / "docs/reference/questions.md").read_text()
FLIGHTS = Schema(
    {
        **dict.fromkeys(("age", "delay", "distance", "air_time"), Kind.NUMBER),
        **dict.fromkeys(("carrier", "origin"), Kind.TEXT),
        "cancelled": Kind.FLAG,
        "departure": Kind.MOMENT,
    }
)
LETTERS = Schema(dict.fromkeys("abx", Kind.NUMBER))


def block(language: str, beginning: str) -> str:
    (found,) = re.findall(rf"^```{language}\n({re.escape(beginning)}.*?)^```", PAGE, re.M | re.S)
    return str(found)


@pytest.mark.parametrize("text", block("text", "age > 50").splitlines())
def test_the_examples_are_questions(text: str) -> None:
    assert parse_question(text, FLIGHTS).text == text


def test_the_json_example_is_the_question_it_says() -> None:
    asked = from_json(json.loads(block("json", "[")), FLIGHTS)
    (words,) = re.findall(r"^is `(.*? by .*?)`", PAGE, re.M)
    assert parse_question(words, FLIGHTS).digest == asked.digest


@pytest.mark.parametrize(
    ("one", "other"),
    re.findall(r"^\| [^|]* \| `([^`|]*)` is `([^`|]*)` \|$", PAGE.split("## The same")[1], re.M),
)
def test_what_is_called_the_same_question_is_one(one: str, other: str) -> None:
    if "clip" in one:
        one, other = f"{one} > 2", f"{other} > 2"
    assert parse_question(one, LETTERS).digest == parse_question(other, LETTERS).digest


def test_all_functions_and_reserved_words_are_listed() -> None:
    functions = PAGE.split("## Functions")[1].split("## Dates")[0]
    assert [name for name in NAMES if f"{name}(" not in functions] == []
    reserved = PAGE.split("### Names of columns")[1].split("are reserved")[0]
    assert set(re.findall(r"`(\w+)`", reserved)) == KEYWORDS
