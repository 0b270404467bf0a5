"""Dates and moments in comparisons and sums: they become plain numbers here.

Days subtract to days and moments to seconds. Where a date meets a moment it is its midnight.
"""

from peekproof.query.cursor import Cursor
from peekproof.query.dates import ACCEPTED, DAY, MICROSECOND, PER_DAY, PER_SECOND, read_time
from peekproof.query.operand import Operand, Text, Time, as_number, negative
from peekproof.query.tokens import Token, excerpt
from peekproof.query.tree import (
    FLIPPED,
    Compare,
    Number,
    Numeric,
    Predicate,
    Product,
    Quotient,
    Sum,
)

_QUOTE = "write dates in quotation marks: '2013-06-01'"


def literal(text: str, token: Token, at: Cursor) -> Time:
    """The date or moment that quoted text stands for."""
    try:
        value, unit = read_time(text)
    except ValueError:
        raise at.error(f"{excerpt(text)} is not a date", token, ACCEPTED) from None
    return Time(Number(value), unit)


def as_time(operand: Operand, token: Token, at: Cursor) -> Time:
    """The operand, if it is a date or quoted text that says one."""
    if isinstance(operand, Time):
        return operand
    if isinstance(operand, Text) and isinstance(operand.content, str):
        return literal(operand.content, token, at)
    if isinstance(operand, Text):
        raise at.mismatch("text where a date is needed", token, _QUOTE)
    as_number(operand, token, at)
    raise at.mismatch("a number where a date is needed", token, _QUOTE)


def moment(time: Time) -> Time:
    """The time in microseconds: a date is its midnight."""
    if time.unit == MICROSECOND:
        return time
    if isinstance(time.tree, Number):
        return Time(Number(time.tree.value * PER_DAY), MICROSECOND)
    return Time(Product((Number(float(PER_DAY)), time.tree)), MICROSECOND)


def alike(*times: Time) -> tuple[Time, ...]:
    """The times in one unit."""
    mixed = len({time.unit for time in times}) > 1
    return tuple(map(moment, times)) if mixed else times


def compared(left: Time, operator: str, right: Time) -> Predicate:
    """`left operator right`, a literal on the right."""
    one, other = alike(left, right)
    if isinstance(one.tree, Number):
        return Compare(FLIPPED[operator], other.tree, one.tree)
    return Compare(operator, one.tree, other.tree)


def shifted(
    left: Operand, start: Token, operator: Token, right: Operand, here: Token, at: Cursor
) -> Operand:
    """`left + right` or `left - right` where one of them may be a date."""
    minus = operator.value == "-"
    if isinstance(left, Time) and isinstance(right, Time | Text):
        if not minus:
            hint = "subtract them for the time between, or add a number"
            raise at.mismatch("two dates added to each other", operator, hint)
        return _between(*alike(left, as_time(right, here, at)))
    if isinstance(right, Time) and minus and isinstance(left, Text):
        return _between(*alike(as_time(left, start, at), right))
    if isinstance(left, Time):
        step = as_number(right, here, at)
        return _moved(left, negative(step) if minus else step)
    if isinstance(right, Time) and not minus:
        return _moved(right, as_number(left, start, at))
    first, second = as_number(left, start, at), as_number(right, here, at)
    return Sum((first, negative(second) if minus else second))


def _between(later: Time, earlier: Time) -> Numeric:
    apart = Sum((later.tree, negative(earlier.tree)))
    return apart if later.unit == DAY else Quotient(apart, Number(float(PER_SECOND)))


def _moved(time: Time, step: Numeric) -> Time:
    if time.unit == DAY:
        return Time(Sum((time.tree, step)), DAY)
    return Time(Sum((time.tree, Product((Number(float(PER_SECOND)), step)))), MICROSECOND)
