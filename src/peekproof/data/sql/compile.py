"""Trees to Ibis: canonical predicates as 0 or 1, and canonical numbers, row by row.

A column of numbers, dates or moments is a double here, a column of text a string, a column of
flags a boolean. Unknown counts as false, so that 0 and 1 are enough, and they are joined as
integers, or by a function: AND and OR may stop early, and then how long a question takes tells
how many rows match.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from operator import and_, eq, ge, gt, le, lt, ne, or_
from typing import final

from peekproof.data.sql.calendar import part
from peekproof.data.sql.ground import Value
from peekproof.data.sql.operations import Operand, Operations
from peekproof.query.schema import Kind
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
    Number,
    Numeric,
    Or,
    Part,
    Predicate,
    Product,
    Quotient,
    Sum,
)

_COMPARE = {"<": lt, "<=": le, ">": gt, ">=": ge, "=": eq, "!=": ne}
# −x < −c is x > c, but not for NaN: that is above every number, also with a minus.
_MIRRORED = {">": lt, ">=": le}


@final
@dataclass(frozen=True, slots=True)
class Scope:
    """What trees are compiled for: columns by name, which may hold NaN, and an engine."""

    column: Callable[[str], Value]
    kind: Callable[[str], Kind]
    with_nan: Callable[[str], bool]
    does: Operations


def truth(node: Predicate, scope: Scope) -> Value:
    """1 where a canonical predicate is true and 0 where it is false or unknown."""
    does = scope.does
    match node:
        case And(terms) if does.joins:
            held = [_joined(term, scope) for term in terms]
            known = [each for each in held if each is not None]
            if len(known) < len(held):
                return does.whole(0)
            return reduce(does.both, known).ifelse(does.whole(1), does.whole(0))
        case And(terms):
            return reduce(and_, (truth(term, scope) for term in terms))
        case Or(terms):
            return reduce(or_, (truth(term, scope) for term in terms))
        case Constant(value):
            return does.whole(int(value))
        case _:
            found = _atom(node, scope)
            if found is None:
                return does.whole(0)
            return found.ifelse(does.whole(1), does.whole(0))


def _joined(node: Predicate, scope: Scope) -> Value | None:
    """A term of a conjunction as a condition; None if no row of this engine can make it true."""
    if isinstance(node, And | Or | Constant):
        return truth(node, scope) == scope.does.whole(1)
    return _atom(node, scope)


def _atom(node: Predicate, scope: Scope) -> Value | None:
    """The three-valued truth of an atom; None if no row of this engine can make it true."""
    does = scope.does
    match node:
        case Compare(operator, left, right):
            return _compared(operator, left, right, scope)
        case Member(Column(name), values, negated) if isinstance(values[0], str):
            texts = [does.text(str(value)) for value in values]
            return _negated(_listed(scope.column(name), texts, scope), name, negated, scope)
        case Member(subject, values, negated):
            # What is listed is finite, so NaN is never in the list, but outside of every one.
            held = number(subject, scope) if negated else _plain(subject, scope)
            listed = [does.double(float(value)) for value in values]
            found = held == listed[0] if len(listed) == 1 else held.isin(listed)
            return ~found if negated else found
        case Matches(Column(name), where, text, negated):
            return _negated(_matched(scope.column(name), where, text, does), name, negated, scope)
        case IsNull(operand, negated):
            value = number(operand, scope)
            return value.notnull() if negated else value.isnull()
        case Flag(Column(name), negated):
            return ~scope.column(name) if negated else scope.column(name)
        case _:
            raise TypeError(f"{type(node).__name__} does not occur in a canonical predicate")


def _negated(found: Value | None, name: str, negated: bool, scope: Scope) -> Value | None:
    if found is None:
        return scope.column(name).notnull() if negated else None
    return ~found if negated else found


def _compared(operator: str, left: Numeric, right: Numeric, scope: Scope) -> Value:
    does = scope.does
    if isinstance(right, Number):
        if operator in _MIRRORED:
            mirrored = -_plain(left, scope)
            return _MIRRORED[operator](mirrored, does.double(-right.value))
        held = _plain(left, scope) if operator in ("<", "<=") else number(left, scope)
        return _COMPARE[operator](held, does.double(right.value))
    first, second = number(left, scope), number(right, scope)
    if isinstance(left, Column) and scope.kind(left.name) is Kind.TEXT:
        same = does.same(first, second)
        return same if operator == "=" else ~same
    return _COMPARE[operator](first, second)


def _listed(text: Value, literals: list[Value | None], scope: Scope) -> Value | None:
    held = [each for each in literals if each is not None]
    if not held:
        return None
    return scope.does.same(text, held[0]) if len(held) == 1 else scope.does.among(text, held)


def _matched(column: Value, where: str, text: str, does: Operations) -> Value | None:
    wanted = does.text(text)
    if wanted is None:
        return None
    search = {"begins with": does.begins, "ends with": does.ends, "contains": does.contains}
    return search[where](column, wanted)


def number(node: Numeric, scope: Scope) -> Value:
    """A canonical number, or a column of any kind; null where it is missing."""
    match node:
        case Column(name):
            held = scope.column(name)
            return scope.does.without_nan(held) if scope.with_nan(name) else held
        case Sum() | Product() | Quotient():
            return scope.does.without_nan(_plain(node, scope))
        case _:
            return _plain(node, scope)


def _plain(node: Numeric, scope: Scope) -> Value:
    """The same, with NaN or null where it is missing."""
    does = scope.does
    match node:
        case Number(value):
            return does.double(value)
        case Column(name):
            return scope.column(name)
        case Sum(terms):
            return does.total([_operand(term, scope) for term in terms])
        case Product(factors):
            return does.product([_operand(factor, scope) for factor in factors])
        case Quotient(dividend, divisor):
            return does.quotient(_operand(dividend, scope), _operand(divisor, scope))
        case Missing():
            return does.missing()
        case Clip(operand, low, high):
            return clipped(number(operand, scope), low, high, does.missing(), does)
        case If(condition, then, otherwise):
            chosen = truth(condition, scope) == does.whole(1)
            return chosen.ifelse(number(then, scope), number(otherwise, scope))
        case Part(field, Column(name), unit):
            return part(scope.column(name), field, unit, does)


def _operand(node: Numeric, scope: Scope) -> Operand:
    if isinstance(node, Number):
        return node.value
    return number(node, scope) if scope.does.null_operands else _plain(node, scope)


def clipped(held: Value, low: float, high: float, missing: Value, does: Operations) -> Value:
    """A number without NaN moved into [low, high], and `missing` for null."""
    both = "float64, float64 > float64"
    # These two pass over nulls, so what is null is told apart first.
    raised = does.ground.call("greatest", both, held, does.double(low))
    inside = does.ground.call("least", both, raised, does.double(high))
    return held.isnull().ifelse(missing, inside)
