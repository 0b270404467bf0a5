"""Cutting a question into tokens."""

import re
from enum import Enum, auto
from typing import NamedTuple, final

from peekproof.core.errors import QuestionError

MOST_CHARACTERS = 100_000
MOST_TOKENS = 25_000

_LONGEST_EXCERPT = 40

KEYWORDS = frozenset({"and", "or", "not", "in", "between", "is", "null", "true", "false"})
NOT_NUMBERS = frozenset({"nan", "inf", "infinity"})

# Longest first, so that <= is not read as < and =.
_SPELLINGS = {
    "==": "=", "<>": "!=", "!=": "!=", "<=": "<=", ">=": ">=", "&&": "and", "||": "or",
    "<": "<", ">": ">", "=": "=", "&": "and", "|": "or", "~": "not", "!": "not",
    "+": "+", "-": "-", "*": "*", "/": "/", "(": "(", ")": ")", "[": "(", "]": ")", ",": ",",
}  # fmt: skip

_PATTERN = re.compile(
    r"""\s*(?:(?P<number>(?:\d+(?:_\d+)*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)
      | (?P<name>[^\W\d]\w*)
      | `(?P<quoted>[^`]+)`
      | '(?P<single>(?:[^']|'')*)'
      | "(?P<double>(?:[^"]|"")*)"
      | (?P<symbol>"""
    + "|".join(re.escape(symbol) for symbol in _SPELLINGS)
    + "))",
    re.VERBOSE,
)


class TokenKind(Enum):
    """What a token is; END closes every question."""

    NUMBER = auto()
    TEXT = auto()
    NAME = auto()
    WORD = auto()
    END = auto()


@final
class Token(NamedTuple):
    """A piece of a question; WORDs are keywords and symbols in one canonical spelling."""

    kind: TokenKind
    value: str
    position: int
    length: int


def named(token: Token) -> str:
    """A token in a message: the end is no text that somebody wrote."""
    return token.value if token.kind is TokenKind.END else excerpt(token.value)


def excerpt(text: str) -> str:
    """Text in quotation marks, for a message: a long one is cut, and terminals obey none of it."""
    short = text if len(text) <= _LONGEST_EXCERPT else f"{text[:_LONGEST_EXCERPT]}…"
    return repr(short)


def _token(match: re.Match[str]) -> Token:
    group = match.lastgroup or ""
    value = match.group(group)
    start, end = match.span(group)
    match group:
        case "number":
            return Token(TokenKind.NUMBER, value.replace("_", ""), start, end - start)
        case "name" if value.lower() in KEYWORDS:
            return Token(TokenKind.WORD, value.lower(), start, end - start)
        case "name":
            return Token(TokenKind.NAME, value, start, end - start)
        case "symbol":
            return Token(TokenKind.WORD, _SPELLINGS[value], start, end - start)
        case "quoted":
            return Token(TokenKind.NAME, value, start - 1, end - start + 2)
        case _:
            mark = "'" if group == "single" else '"'
            return Token(TokenKind.TEXT, value.replace(mark * 2, mark), start - 1, end - start + 2)


def tokenize(text: str) -> list[Token]:
    """The tokens of `text`, closed by an END token."""
    if len(text) > MOST_CHARACTERS:
        raise QuestionError(
            problem=f"more than {MOST_CHARACTERS:,} characters",
            text=text[: MOST_CHARACTERS + 1],
            position=MOST_CHARACTERS,
        )
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise QuestionError(
            problem="half of a character pair, which is not text", text=text, position=error.start
        ) from error
    tokens: list[Token] = []
    position, end = 0, len(text.rstrip())
    while position < end:
        match = _PATTERN.match(text, position)
        if match is None:
            raise _unreadable(text, position)
        tokens.append(_token(match))
        if len(tokens) > MOST_TOKENS:
            raise QuestionError(
                problem=f"more than {MOST_TOKENS:,} words and signs", text=text, position=position
            )
        position = match.end()
    tokens.append(Token(TokenKind.END, "the end", len(text), 1))
    return tokens


def _unreadable(text: str, position: int) -> QuestionError:
    position += len(text) - position - len(text[position:].lstrip())
    character = text[position]
    unclosed = "a quotation that never ends" if character in "'\"`" else ""
    return QuestionError(
        problem=unclosed or f"unexpected character {character!r}", text=text, position=position
    )
