"""One normal form for the many spellings of a question.

Covered: order of terms and operands, double negation and De Morgan, range forms, equality and
membership, repeated terms, constant arithmetic. Not covered: algebra (x + 1 > 5 is not x > 4),
ranges that imply one another, and anything that depends on the data.

The normal form is also what is evaluated, so two spellings cannot differ in a rounding error.
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import reduce
from operator import add, mul

from holdfast.query.cells import Edges
from holdfast.query.form import Form, Histogram, Mean, Quantile, Share
from holdfast.query.tree import (
    FLIPPED,
    NEGATED,
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
from holdfast.query.wire import to_text


def canonical_form(form: Form) -> Form:
    """The form with the normal form of every expression in it; bounds and cells stay.

    Raises OverflowError if arithmetic on constants leaves the doubles.
    """
    match form:
        case Share(predicate):
            return Share(canonical(predicate))
        case Mean(operand) | Quantile(operand):
            return replace(form, operand=numeric(operand))
        case Histogram(by, weight):
            cells = Edges(numeric(by.operand), by.edges) if isinstance(by, Edges) else by
            if isinstance(weight, Mean):
                return Histogram(cells, replace(weight, operand=numeric(weight.operand)))
            return Histogram(cells, None if weight is None else canonical(weight))


def canonical(predicate: Predicate) -> Predicate:
    """The normal form of `predicate`; it has no Not, and equal questions get equal trees.

    Raises OverflowError if arithmetic on constants leaves the doubles.
    """
    return _truth(predicate, negate=False)


def _truth(node: Predicate, *, negate: bool) -> Predicate:
    match node:
        case Not(term):
            return _truth(term, negate=not negate)
        case And(terms) | Or(terms):
            conjunction = isinstance(node, And) != negate
            return _joined([_truth(term, negate=negate) for term in terms], conjunction)
        case Compare(operator, left, right):
            return _comparison(NEGATED[operator] if negate else operator, left, right)
        case Member(subject, values, negated):
            return _member(numeric(subject), values, negated=negated != negate)
        case IsNull(column, negated):
            return IsNull(column, negated != negate)
        case Flag(column, negated):
            return Flag(column, negated != negate)
        case Constant(value):
            return Constant(value != negate)


def _comparison(operator: str, left: Numeric, right: Numeric) -> Predicate:
    left, right = numeric(left), numeric(right)
    if isinstance(left, Number) and isinstance(right, Number):
        return Constant(_holds(operator, left.value, right.value))
    literal_first = isinstance(left, Number)
    if literal_first or (not isinstance(right, Number) and to_text(right) < to_text(left)):
        left, right, operator = right, left, FLIPPED[operator]
    if isinstance(right, Number) and operator in ("=", "!="):
        return _member(left, (right.value,), negated=operator == "!=")
    return Compare(operator, left, right)


def _holds(operator: str, left: float, right: float) -> bool:
    match operator:
        case "<" | ">=":
            return (left < right) == (operator == "<")
        case ">" | "<=":
            return (left > right) == (operator == ">")
        case _:
            return (left == right) == (operator == "=")


def _member(subject: Numeric, values: tuple[float | str, ...], *, negated: bool) -> Predicate:
    if isinstance(subject, Number):
        return Constant((subject.value in values) != negated)
    plain = {value if isinstance(value, str) else value + 0.0 for value in values}  # −0 is 0
    return Member(subject, tuple(sorted(plain)), negated)


def _joined(terms: Iterable[Predicate], conjunction: bool) -> Predicate:
    """`terms` under And or Or: flat, without constants or repetitions, in a fixed order."""
    flat: dict[str, Predicate] = {}
    members: dict[str, Member] = {}
    for term in _flattened(terms, And if conjunction else Or):
        match term:
            case Constant(value) if value == conjunction:
                continue
            case Constant():
                return term
            case Member(subject, values, negated) if negated == conjunction:
                # x = 1 or x = 2 is x in (1, 2); x != 1 and x != 2 is x not in (1, 2).
                key = to_text(subject)
                known = members[key].values if key in members else ()
                merged = tuple(sorted({*known, *values}))
                members[key] = Member(subject, merged, negated)
            case _:
                flat[to_text(term)] = term
    flat.update((to_text(member), member) for member in members.values())
    ordered = tuple(flat[key] for key in sorted(flat))
    if len(ordered) < 2:
        return ordered[0] if ordered else Constant(conjunction)
    return And(ordered) if conjunction else Or(ordered)


def _flattened(terms: Iterable[Predicate], kind: type[And] | type[Or]) -> Iterable[Predicate]:
    for term in terms:
        if isinstance(term, kind):
            yield from term.terms
        else:
            yield term


def numeric(node: Numeric) -> Numeric:
    """The normal form of a number; equal expressions get equal trees."""
    match node:
        case Number(value):
            return Number(value + 0.0)
        case Column():
            return node
        case Sum(terms):
            inner = [
                part
                for term in map(numeric, terms)
                for part in (term.terms if isinstance(term, Sum) else (term,))
            ]
            return _folded(inner, add, 0.0, Sum)
        case Product(factors):
            inner = [
                part
                for factor in map(numeric, factors)
                for part in (factor.factors if isinstance(factor, Product) else (factor,))
            ]
            return _folded(inner, mul, 1.0, Product)
        case Quotient(dividend, divisor):
            plain = numeric(dividend)
            if isinstance(plain, Number):
                return Number(_finite(plain.value / divisor))
            return Quotient(plain, divisor)


def _folded(
    parts: list[Numeric],
    operation: Callable[[float, float], float],
    neutral: float,
    kind: type[Sum] | type[Product],
) -> Numeric:
    """Constants folded into one and put first; the rest in a fixed order."""
    rest = sorted((part for part in parts if not isinstance(part, Number)), key=to_text)
    constants = [part.value for part in parts if isinstance(part, Number)]
    folded = _finite(reduce(operation, sorted(constants), neutral))
    head: list[Numeric] = [Number(folded)] if folded != neutral or not rest else []
    joined = (*head, *rest)
    return joined[0] if len(joined) == 1 else kind(joined)


def _finite(value: float) -> float:
    if not math.isfinite(value):
        raise OverflowError
    return value + 0.0
