from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.errors import QuestionError
from peekproof.query.tokens import KEYWORDS, MOST_CHARACTERS, MOST_TOKENS, TokenKind, tokenize


def kinds_and_values(text: str) -> list[tuple[TokenKind, str]]:
    return [(token.kind, token.value) for token in tokenize(text)][:-1]


def test_every_question_ends_with_an_end_token_behind_the_last_character() -> None:
    (end,) = tokenize("")
    assert (end.kind, end.position) == (TokenKind.END, 0)
    assert tokenize(" a ")[-1].position == 3


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("7", "7"),
        ("7.", "7."),
        (".5", ".5"),
        ("1_000_000.25", "1000000.25"),
        ("1e3", "1e3"),
        ("2.5E-7", "2.5E-7"),
        ("٣", "٣"),
    ],
)
def test_numbers(text: str, value: str) -> None:
    assert kinds_and_values(text) == [(TokenKind.NUMBER, value)]
    float(value)


@pytest.mark.parametrize("text", ["7age", "1__0", "5e", "1_", "1.5_0"])
def test_a_number_stops_where_it_stops_being_one(text: str) -> None:
    first, second = kinds_and_values(text)
    assert (first[0], second[0]) == (TokenKind.NUMBER, TokenKind.NAME)


@pytest.mark.parametrize("name", ["age", "_x", "größe", "x1", "andy", "nan", "isnull"])
def test_names_keep_their_case(name: str) -> None:
    assert kinds_and_values(name) == [(TokenKind.NAME, name)]
    assert kinds_and_values(name.upper()) == [(TokenKind.NAME, name.upper())]


@pytest.mark.parametrize("word", sorted(KEYWORDS))
def test_keywords_have_one_spelling_and_give_way_to_backticks(word: str) -> None:
    assert kinds_and_values(word.upper()) == [(TokenKind.WORD, word)]
    assert kinds_and_values(f"`{word}`") == [(TokenKind.NAME, word)]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("''", ""),
        ("'O''Neil'", "O'Neil"),
        ('"O\'Neil"', "O'Neil"),
        ('"say ""so"""', 'say "so"'),
        ("'two\nlines'", "two\nlines"),
        (r"'back\'", "back\\"),
        ("'--; DROP'", "--; DROP"),
    ],
)
def test_texts_double_their_own_quotation_mark_and_know_no_escapes(text: str, value: str) -> None:
    assert kinds_and_values(text) == [(TokenKind.TEXT, value)]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("== <> != <= >= < > =", ["=", "!=", "!=", "<=", ">=", "<", ">", "="]),
        ("&& || & | ~ !", ["and", "or", "and", "or", "not", "not"]),
        ("+-*/()[],", ["+", "-", "*", "/", "(", ")", "(", ")", ","]),
        ("<=>", ["<=", ">"]),
        ("!==", ["!=", "="]),
    ],
)
def test_signs_have_one_spelling_and_the_longest_wins(text: str, words: list[str]) -> None:
    assert kinds_and_values(text) == [(TokenKind.WORD, word) for word in words]


@pytest.mark.parametrize(
    ("text", "position", "problem"),
    [
        ("a > $", 4, "unexpected character '$'"),
        ("a;b", 1, "unexpected character ';'"),
        ("s = 'open", 4, "a quotation that never ends"),
        ('s = "open', 4, "a quotation that never ends"),
        ("`open > 1", 0, "a quotation that never ends"),
        ("s = '''", 6, "a quotation that never ends"),
    ],
)
def test_faults_are_pointed_at(text: str, position: int, problem: str) -> None:
    with pytest.raises(QuestionError) as caught:
        tokenize(text)
    assert (caught.value.position, caught.value.problem) == (position, problem)


def test_length_is_limited_before_anything_is_read() -> None:
    assert len(tokenize(" " * MOST_CHARACTERS)) == 1
    with pytest.raises(QuestionError, match="more than 100,000 characters") as caught:
        tokenize("$" * (MOST_CHARACTERS + 1))
    assert caught.value.position == MOST_CHARACTERS


def test_the_number_of_tokens_is_limited() -> None:
    assert len(tokenize("+" * MOST_TOKENS)) == MOST_TOKENS + 1
    with pytest.raises(QuestionError, match="more than 25,000 words") as caught:
        tokenize("+" * (MOST_TOKENS + 1))
    assert caught.value.position == MOST_TOKENS


@given(st.text(alphabet=st.characters(categories=None), max_size=60))
def test_tokens_cover_every_character_but_white_space(text: str) -> None:
    try:
        tokens = tokenize(text)
    except QuestionError as error:
        fault = error.position
        tokens = tokenize(text[:fault])
        text = text[:fault]
    position = 0
    for token in tokens:
        assert text[position : token.position].strip() == ""
        position = token.position + token.length
    assert tokens[-1].position == len(text)
