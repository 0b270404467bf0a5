"""What a piece of a question can be while it is read, and how pieces compare."""

from dataclasses import dataclass
from typing import final

from peekproof.query.cursor import Cursor
from peekproof.query.dates import DAY
from peekproof.query.tokens import Token
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
)

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
