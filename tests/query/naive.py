"""What a tree means, said a second time: one row at a time, in plain Python.

The oracle for the normal form and for the engines. A row holds a date as its number of days
since 1970-01-01, and a moment as its number of microseconds. Unknown is None; numbers are IEEE
doubles, arithmetic runs from left to right, and a result that is not a number is unknown.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Mapping

from peekproof.query.tree import (
    And,
    Clip,
    Column,
    Compare,
    Constant,
    Flag,
    If,
    IsNull,
    Matches,
    Member,
    Missing,
    Not,
    Number,
    Numeric,
    Or,
    Part,
    Predicate,
    Product,
    Quotient,
    Sum,
)

Cell = float | str | bool | None
Row = Mapping[str, Cell]


def value(node: Numeric, row: Row) -> Cell:
    """The value of a number, or of a text or true/false column; None if unknown."""
    found = row[node.name] if isinstance(node, Column) else _arithmetic(node, row)
    return None if isinstance(found, float) and math.isnan(found) else found


def _arithmetic(node: Numeric, row: Row) -> float | None:
    match node:
        case Number(number):
            return number
        case Column(name):
            cell = row[name]
            if isinstance(cell, str):
                raise TypeError("text in arithmetic")
            return cell
        case Sum(terms):
            return _left_to_right([_arithmetic(term, row) for term in terms], multiply=False)
        case Product(factors):
            return _left_to_right([_arithmetic(each, row) for each in factors], multiply=True)
        case Quotient(dividend, divisor):
            above, below = _arithmetic(dividend, row), _arithmetic(divisor, row)
            return above / below if above is not None and below else None
        case Missing():
            return None
        case Clip(operand, low, high):
            inside = _number(operand, row)
            return None if inside is None else min(high, max(low, inside))
        case If(condition, then, otherwise):
            return _number(then if truth(condition, row) is True else otherwise, row)
        case Part(field, Column(name), unit):
            cell = row[name]
            return None if cell is None else _part(field, unit, int(cell))


def _number(node: Numeric, row: Row) -> float | None:
    found = value(node, row)
    if isinstance(found, str):
        raise TypeError("text in arithmetic")
    return found


def _part(field: str, unit: str, time: int) -> float:
    per_day = 1 if unit == "day" else 86_400_000_000
    days, rest = divmod(time, per_day)
    date = dt.date(1970, 1, 1) + dt.timedelta(days=days)
    seconds = rest // 1_000_000
    clock = {"hour": seconds // 3600, "minute": seconds // 60 % 60, "second": seconds % 60}
    if field in clock:
        return float(clock[field])
    return float(date.isoweekday() if field == "weekday" else getattr(date, field))


def _left_to_right(parts: list[float | None], *, multiply: bool) -> float | None:
    total: float | None = None
    for position, part in enumerate(parts):
        if part is None:
            return None
        if position == 0:
            total = part
        elif total is not None:
            total = total * part if multiply else total + part
    return total


def truth(node: Predicate, row: Row) -> bool | None:
    """True, False or None; a row is counted only for True."""
    match node:
        case Constant(fixed):
            return fixed
        case Flag(column, negated):
            cell = row[column.name]
            return None if cell is None else bool(cell) is not negated
        case IsNull(operand, negated):
            return (value(operand, row) is None) is not negated
        case Matches(column, where, text, negated):
            held = row[column.name]
            if held is None:
                return None
            places = {
                "begins with": str(held).startswith(text),
                "ends with": str(held).endswith(text),
                "contains": text in str(held),
            }
            return places[where] is not negated
        case Member(subject, values, negated):
            cell = value(subject, row)
            return None if cell is None else any(cell == each for each in values) is not negated
        case Compare(operator, left, right):
            return _compared(operator, value(left, row), value(right, row))
        case Not(term):
            inner = truth(term, row)
            return None if inner is None else not inner
        case And(terms):
            found = [truth(term, row) for term in terms]
            return False if False in found else None if None in found else True
        case Or(terms):
            found = [truth(term, row) for term in terms]
            return True if True in found else None if None in found else False


def _compared(operator: str, left: Cell, right: Cell) -> bool | None:
    if left is None or right is None:
        return None
    if operator == "=":
        return left == right
    if operator == "!=":
        return left != right
    if isinstance(left, str) or isinstance(right, str):
        raise TypeError("text has no order")
    match operator:
        case "<":
            return left < right
        case "<=":
            return left <= right
        case ">":
            return left > right
        case ">=":
            return left >= right
        case _:
            raise TypeError(f"unknown operator {operator}")


def count(node: Predicate, rows: list[Row]) -> int:
    """The number of rows for which the predicate is true."""
    return sum(truth(node, row) is True for row in rows)
