"""Cutting a question into tokens."""

import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import final

from holdfast.core.errors import QuestionError

MOST_CHARACTERS = 100_000
MOST_TOKENS = 20_000

KEYWORDS = frozenset({"and", "or", "not", "in", "between", "is", "null", "true", "false"})
NOT_NUMBERS = frozenset({"nan", "inf", "infinity"})

# Longest first, so that <= is not read as < and =.
_SPELLINGS = {
    "==": "=", "<>": "!=", "!=": "!=", "<=": "<=", ">=": ">=", "&&": "and", "||": "or",
    "<": "<", ">": ">", "=": "=", "&": "and", "|": "or", "~": "not", "!": "not",
    "+": "+", "-": "-", "*": "*", "/": "/", "(": "(", ")": ")", "[": "(", "]": ")", ",": ",",
}  # fmt: skip

_PATTERN = re.compile(
    r"""(?P<space>\s+)
      | (?P<number>(?:\d+(?:_\d+)*(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?)
      | (?P<name>[^\W\d]\w*)
      | `(?P<quoted>[^`]+)`
      | '(?P<single>(?:[^']|'')*)'
      | "(?P<double>(?:[^"]|"")*)"
      | (?P<symbol>"""
    + "|".join(re.escape(symbol) for symbol in _SPELLINGS)
    + ")",
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
@dataclass(frozen=True, slots=True)
class Token:
    """A piece of a question; WORDs are keywords and symbols in one canonical spelling."""

    kind: TokenKind
    value: str
    position: int
    length: int


def _token(match: re.Match[str]) -> Token | None:
    position, length = match.start(), match.end() - match.start()
    group, value = match.lastgroup, match.group(match.lastgroup or 0)
    match group:
        case "space":
            return None
        case "number":
            return Token(TokenKind.NUMBER, value.replace("_", ""), position, length)
        case "name" if value.lower() in KEYWORDS:
            return Token(TokenKind.WORD, value.lower(), position, length)
        case "name" | "quoted":
            return Token(TokenKind.NAME, value, position, length)
        case "single":
            return Token(TokenKind.TEXT, value.replace("''", "'"), position, length)
        case "double":
            return Token(TokenKind.TEXT, value.replace('""', '"'), position, length)
        case _:
            return Token(TokenKind.WORD, _SPELLINGS[value], position, length)


def tokenize(text: str) -> list[Token]:
    """The tokens of `text`, closed by an END token."""
    if len(text) > MOST_CHARACTERS:
        raise QuestionError(
            problem=f"more than {MOST_CHARACTERS:,} characters",
            text=text[: MOST_CHARACTERS + 1],
            position=MOST_CHARACTERS,
        )
    tokens: list[Token] = []
    position = 0
    while position < len(text):
        match = _PATTERN.match(text, position)
        if match is None:
            character = text[position]
            unclosed = "a quotation that never ends" if character in "'\"`" else ""
            raise QuestionError(
                problem=unclosed or f"unexpected character {character!r}",
                text=text,
                position=position,
            )
        token = _token(match)
        if token is not None:
            tokens.append(token)
        if len(tokens) > MOST_TOKENS:
            raise QuestionError(
                problem=f"more than {MOST_TOKENS:,} words and signs", text=text, position=position
            )
        position = match.end()
    tokens.append(Token(TokenKind.END, "the end", len(text), 1))
    return tokens
