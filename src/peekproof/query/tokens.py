"""Cutting a question into tokens."""

import re
from dataclasses import dataclass
from enum import Enum, auto
from typing import NamedTuple, final

from peekproof.core.errors import QuestionError, TypeMismatch
from peekproof.query.times import DAY
from peekproof.query.tree import (
    FLIPPED,
    Clip,
    Column,
    Compare,
    Constant,
    Flag,
    If,
    Member,
    Missing,
    Not,
    Number,
    Numeric,
    Part,
    Predicate,
    Product,
    Quotient,
    Sum,
    levels,
)

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


# A place in the tokens of a question, and the errors that point at it.

MOST_DEPTH = 48
MOST_REPEATED = 25_000

_LONGEST_QUOTE = 40


@final
class Cursor:
    """Reads tokens one by one."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._tokens = tokenize(text)
        self._index = 0
        self._depth = 0
        self._repeated = 0
        self.next = self._tokens[0]
        self.size = len(self._tokens)

    @property
    def finished(self) -> bool:
        return self.next.kind is TokenKind.END

    def advance(self) -> Token:
        token = self.next
        if token.kind is not TokenKind.END:
            self._index += 1
            self.next = self._tokens[self._index]
        return token

    def sees(self, *words: str) -> bool:
        """Whether the next token is one of these keywords or signs."""
        return self.next.kind is TokenKind.WORD and self.next.value in words

    def says(self, *names: str) -> bool:
        """Whether one of these names comes next, bare and in any case.

        Asked where no name could stand otherwise, so that columns may have these names too.
        """
        token = self.next
        return token.kind is TokenKind.NAME and token.value.lower() in names and _bare(token)

    def opens(self, *names: str) -> bool:
        """Whether one of these names, or any if none is given, comes next and then a "(".

        Nothing else in the grammar begins like that, so columns may have these names too.
        """
        token = self.next
        if token.kind is not TokenKind.NAME or (names and token.value.lower() not in names):
            return False
        return _bare(token) and self.follows("(")

    def follows(self, word: str) -> bool:
        """Whether this keyword or sign, or bare name, comes right behind the next token."""
        after = self._tokens[min(self._index + 1, self.size - 1)]
        if after.kind is TokenKind.NAME:
            return after.value.lower() == word and _bare(after)
        return after.kind is TokenKind.WORD and after.value == word

    @property
    def quotes(self) -> bool:
        """Whether quoted text comes right behind the next token."""
        return self._tokens[min(self._index + 1, self.size - 1)].kind is TokenKind.TEXT

    def takes(self, *words: str) -> bool:
        """Whether the next token was one of these; if so it is behind us now."""
        found = self.sees(*words)
        if found:
            self.advance()
        return found

    def expect(self, word: str) -> None:
        if not self.takes(word):
            raise self.error(f"expected {word!r}, found {named(self.next)}", self.next)

    def since(self, token: Token) -> str:
        """What was written from this token up to the next one, for a message."""
        written = " ".join(self.text[token.position : self.next.position].split())
        plain = "".join(each if each.isprintable() else " " for each in written[:_LONGEST_QUOTE])
        return plain if len(written) <= _LONGEST_QUOTE else f"{plain}…"

    def enter(self, token: Token) -> None:
        """One level deeper, with `leave` on the way out; an error ends the reading for good."""
        self._depth += 1
        if self._depth > MOST_DEPTH:
            raise self.error(f"nested more than {MOST_DEPTH} deep", token)

    def leave(self) -> None:
        self._depth -= 1

    def repeat(self, node: Numeric, token: Token) -> Numeric:
        """The node once more. What is written once and meant twice must not add up unseen."""
        for level in levels(node):
            self._repeated += len(level)
            if self._repeated > MOST_REPEATED:
                problem = f"more than {MOST_REPEATED:,} parts that are meant more than once"
                raise self.error(problem, token, "simplify the question")
        return node

    def error(self, problem: str, token: Token, hint: str = "") -> QuestionError:
        return QuestionError(
            problem=problem,
            text=self.text,
            position=token.position,
            length=token.length,
            hint=hint,
        )

    def mismatch(self, problem: str, token: Token, hint: str = "") -> TypeMismatch:
        return TypeMismatch(
            problem=problem,
            text=self.text,
            position=token.position,
            length=token.length,
            hint=hint,
        )


def _bare(token: Token) -> bool:
    return token.length == len(token.value)  # backticks would add to the length


# What a piece of a question can be while it is read, and how pieces compare.

# Tuples, because a union written in an isinstance call is built anew each time.
_NUMERIC = (Number, Column, Sum, Product, Quotient, Missing, Clip, If, Part)
_LITERAL = (Number, Constant)

_UNORDERED = (
    "text has no order; dates in a CSV file are text, those in Parquet and databases are not"
)
_UNQUOTE = "write column names without quotation marks, or in `backticks`"
_NUMBERED = (
    "take a part of it such as year(…), subtract another date, or compare it with a quoted date"
)


@final
@dataclass(frozen=True, slots=True)
class Text:
    """A text literal, or a text column, on its way into a comparison."""

    content: str | Column


@final
@dataclass(frozen=True, slots=True)
class Time:
    """A date or a moment; `tree` is its number of days or microseconds, as `unit` says."""

    tree: Numeric
    unit: str

    @property
    def kind(self) -> str:
        return "a date" if self.unit == DAY else "a date and time"


# A true/false column is a Flag, which is also a Predicate.
Operand = Numeric | Text | Time | Predicate


def as_number(operand: Operand, token: Token, at: Cursor) -> Numeric:
    """The operand, if it is a number."""
    if isinstance(operand, _NUMERIC):
        return operand
    if isinstance(operand, Time):
        raise at.mismatch(f"{operand.kind} where a number is needed", token, _NUMBERED)
    kind = "text" if isinstance(operand, Text) else "a true/false value"
    raise at.mismatch(f"{kind} where a number is needed", token)


def as_predicate(operand: Operand, token: Token, at: Cursor) -> Predicate:
    """The operand, if it is a condition."""
    if isinstance(operand, Time):
        problem = f"{operand.kind} where a condition is needed"
        raise at.mismatch(problem, token, "compare it with something")
    if isinstance(operand, (*_NUMERIC, Text)):
        kind = "text" if isinstance(operand, Text) else "a number"
        raise at.mismatch(f"{kind} where a condition is needed", token, "compare it with something")
    return operand


def negative(term: Numeric) -> Numeric:
    """Minus the term: multiplying by −1 is exact."""
    return Number(-term.value) if isinstance(term, Number) else Product((Number(-1.0), term))


def comparison(
    left: Operand, start: Token, operator: Token, right: Operand, here: Token, at: Cursor
) -> Predicate:
    """`left operator right`, neither a date; the sides begin at the tokens `start` and `here`."""
    sign = operator.value
    quoted = isinstance(left, Text) and isinstance(left.content, str)
    if quoted or isinstance(left, _LITERAL):
        left, start, right, here, sign = right, here, left, start, FLIPPED[sign]
    if isinstance(left, Text) or isinstance(right, Text):
        return _texts(left, sign, right, operator, at)
    if isinstance(left, Flag) and isinstance(right, Flag | Constant):
        _equality_only(sign, operator, "true/false values", at)
        if isinstance(right, Flag):
            return Compare(sign, left.column, right.column)
        return left if right.value == (sign == "=") else Not(left)
    return Compare(sign, as_number(left, start, at), as_number(right, here, at))


def _texts(left: Operand, sign: str, right: Operand, operator: Token, at: Cursor) -> Predicate:
    if not (isinstance(left, Text) and isinstance(right, Text)):
        raise at.mismatch("text compared with something that is not text", operator, _UNQUOTE)
    _equality_only(sign, operator, "text", at)
    match left.content, right.content:
        case Column() as column, str() as literal:
            return Member(column, (literal,), negated=sign == "!=")
        case Column() as column, Column() as other:
            return Compare(sign, column, other)
        case _:
            raise at.mismatch("two quoted texts compared with each other", operator, _UNQUOTE)


def _equality_only(sign: str, operator: Token, what: str, at: Cursor) -> None:
    if sign not in ("=", "!="):
        hint = _UNORDERED if what == "text" else ""
        raise at.mismatch(f"{what} can be compared with = and != only", operator, hint)
