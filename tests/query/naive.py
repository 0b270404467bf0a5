"""What a tree means, said a second time: one row at a time, in plain Python.

The oracle for the normal form and for the engine. Unknown is None; numbers are IEEE doubles,
arithmetic runs from left to right, and a result that is not a number is unknown.
"""

from __future__ import annotations

import math
from collections.abc import Mapping

from holdfast.query.tree import (
    And,
    Column,
    Compare,
    Constant,
    Flag,
    IsNull,
    Member,
    Not,
    Number,
    Numeric,
    Or,
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
            above = _arithmetic(dividend, row)
            return None if above is None else above / divisor


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
        case IsNull(column, negated):
            return (value(column, row) is None) is not negated
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
