"""What stands between `and` and `or`: comparisons, ranges, lists, patterns, missing values."""

from peekproof.query.cursor import Cursor
from peekproof.query.dates import shown_time
from peekproof.query.operand import Operand, Text, Time, as_number, comparison
from peekproof.query.patterns import HINT, like, read_pattern
from peekproof.query.times import alike, as_time, compared
from peekproof.query.tokens import Token, TokenKind
from peekproof.query.tree import (
    And,
    Column,
    Compare,
    Flag,
    IsNull,
    Member,
    Number,
    Numeric,
    Predicate,
)


def compare(
    left: Operand, start: Token, operator: Token, right: Operand, here: Token, at: Cursor
) -> Predicate:
    """`left operator right`."""
    if isinstance(left, Time) or isinstance(right, Time):
        return compared(as_time(left, start, at), operator.value, as_time(right, here, at))
    return comparison(left, start, operator, right, here, at)


def within(
    subject: Operand, start: Token, low: Operand, here: Token, high: Operand, there: Token,
    at: Cursor,
) -> Predicate:  # fmt: skip
    """`subject between low and high`; the pieces begin at `start`, `here` and `there`."""
    if isinstance(subject, Time) or isinstance(low, Time) or isinstance(high, Time):
        time = as_time(subject, start, at)
        first, last = as_time(low, here, at), as_time(high, there, at)
        one, other = alike(first, last)
        _ordered(one.tree, other.tree, here, at, one.unit)
        return And((compared(time, ">=", first), compared(time, "<=", last)))
    number = as_number(subject, start, at)
    bottom, top = as_number(low, here, at), as_number(high, there, at)
    _ordered(bottom, top, here, at, "")
    return And((Compare(">=", number, bottom), Compare("<=", number, top)))


def _ordered(low: Numeric, high: Numeric, here: Token, at: Cursor, unit: str) -> None:
    if isinstance(low, Number) and isinstance(high, Number) and low.value > high.value:
        ends = [_end(each.value, unit) for each in (low, high)]
        empty = f"the range from {ends[0]} to {ends[1]} is empty"
        raise at.error(empty, here, "write the smaller end first")


def _end(value: float, unit: str) -> str:
    try:
        return shown_time(value, unit) if unit else f"{value:g}"
    except OverflowError:  # no year from 1 to 9999
        return f"{value:g}"


def listed_in(
    subject: Operand, start: Token, listed: list[tuple[Operand, Token]], at: Cursor
) -> Predicate:
    """`subject in (…)`, with the token of every value in the list."""
    if isinstance(subject, Text) and isinstance(subject.content, Column):
        texts = tuple(literal_text(value, token, at) for value, token in listed)
        return Member(subject.content, texts, negated=False)
    if isinstance(subject, Time):
        times = [_literal_time(value, token, at) for value, token in listed]
        plain, *values = alike(subject, *times)
        subject, listed = (
            plain.tree,
            [(time.tree, token) for time, (_, token) in zip(values, listed, strict=True)],
        )
    number = as_number(subject, start, at)
    numbers = tuple(_literal_number(value, token, at) for value, token in listed)
    return Member(number, numbers, negated=False)


def literal_text(value: Operand, token: Token, at: Cursor) -> str:
    """The quoted text."""
    if isinstance(value, Text) and isinstance(value.content, str):
        return value.content
    raise at.mismatch("expected quoted text in the list", token)


def _literal_number(value: Operand, token: Token, at: Cursor) -> float:
    if isinstance(value, Number):
        return value.value
    raise at.mismatch("expected a number in the list", token)


def _literal_time(value: Operand, token: Token, at: Cursor) -> Time:
    time = as_time(value, token, at)
    if isinstance(time.tree, Number):
        return time
    raise at.mismatch("expected a quoted date in the list", token)


def matching(subject: Operand, start: Token, at: Cursor) -> Predicate:
    """`subject like '…'`; the pattern comes next."""
    column = text_column(subject, start, at, "'like'")
    token = at.advance()
    if token.kind is not TokenKind.TEXT:
        raise at.error("expected a quoted pattern after 'like'", token)
    try:
        return like(column, read_pattern(token.value))
    except ValueError:
        problem = "a pattern with _, or with % or \\ in a place that is not supported"
        raise at.error(problem, token, HINT) from None


def text_column(subject: Operand, start: Token, at: Cursor, before: str) -> Column:
    """The column, if the subject is a column of text."""
    if isinstance(subject, Text) and isinstance(subject.content, Column):
        return subject.content
    raise at.mismatch(f"{before} needs a text column", start)


def missing(subject: Operand, start: Token, at: Cursor, *, negated: bool) -> Predicate:
    """`subject is null`, or not."""
    match subject:
        case Text(content=Column() as column) | Flag(column=column):
            return IsNull(column, negated)
        case Time(tree):
            return IsNull(tree, negated)
        case Text():
            raise at.mismatch("'is null' needs a column or a number before it", start)
        case _:
            return IsNull(as_number(subject, start, at), negated)
