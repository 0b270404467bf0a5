"""One normal form for the many spellings of a question.

Covered: order of terms and operands, double negation and De Morgan, range forms, equality and
membership, repeated terms, constant arithmetic; of atoms on one operand that are joined by one
`and` or one `or`, those that others imply or exclude; absorption. Not covered: algebra (x + 1 > 5
is not x > 4), distribution, and anything that depends on the data.

A row counts only if a predicate is true, so unknown and false are one here.
The normal form is also what is evaluated, so two spellings cannot differ in a rounding error.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import reduce
from operator import add, mul

from peekproof.query.cells import Edges, Values
from peekproof.query.form import Form, Given, Grouped, Histogram, Mean, Quantile, Share
from peekproof.query.joining import joined, present
from peekproof.query.tree import (
    FLIPPED,
    NEGATED,
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
from peekproof.query.wire import to_text


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
            return Histogram(_cells(by), None if weight is None else _weight(weight))
        case Grouped(by, weight):
            return Grouped(_cells(by), _weight(weight))
        case Given(of, condition):
            plain = canonical_form(of)
            if not isinstance(plain, Share | Mean):
                raise TypeError("neither a share nor a mean")
            return Given(plain, canonical(condition))


def _cells(by: Edges | Values) -> Edges | Values:
    return replace(by, operand=numeric(by.operand)) if isinstance(by, Edges) else by


def _weight(weight: Predicate | Mean) -> Predicate | Mean:
    if isinstance(weight, Mean):
        return replace(weight, operand=numeric(weight.operand))
    return canonical(weight)


def canonical(predicate: Predicate) -> Predicate:
    """The normal form of `predicate`; it has no Not, and equal questions get equal trees.

    Raises OverflowError if arithmetic on constants leaves the doubles.
    """
    return _truth(predicate, negate=False)


def _truth(node: Predicate, *, negate: bool) -> Predicate:
    match node:
        case Not(term):
            return _truth(term, negate=not negate)
        case And() | Or():
            conjunction = isinstance(node, And) != negate
            terms = [_truth(term, negate=flip) for term, flip in _spread(node, conjunction, negate)]
            return joined(terms, conjunction=conjunction)
        case Compare(operator, left, right):
            return _comparison(NEGATED[operator] if negate else operator, left, right)
        case Member(subject, values, negated):
            return _member(numeric(subject), values, negated=negated != negate)
        case IsNull(operand, negated):
            return _absent(numeric(operand), negated != negate)
        case Matches(column, where, text, negated):
            return Matches(column, where, text, negated != negate)
        case Flag(column, negated):
            return Flag(column, negated != negate)
        case Constant(value):
            return Constant(value != negate)


def _comparison(operator: str, left: Numeric, right: Numeric) -> Predicate:
    left, right = numeric(left), numeric(right)
    if isinstance(left, Missing) or isinstance(right, Missing):
        return Constant(False)  # unknown, which no row counts for
    if isinstance(left, Number) and isinstance(right, Number):
        return Constant(_holds(operator, left.value, right.value))
    literal_first = isinstance(left, Number)
    if literal_first or (not isinstance(right, Number) and to_text(right) < to_text(left)):
        left, right, operator = right, left, FLIPPED[operator]
    if isinstance(right, Number) and operator in ("=", "!="):
        return _member(left, (right.value,), negated=operator == "!=")
    return Compare(operator, left, right)


def _absent(operand: Numeric, negated: bool) -> Predicate:
    if isinstance(operand, Number | Missing):
        return Constant(isinstance(operand, Missing) != negated)
    return present(IsNull(operand, negated))


def _holds(operator: str, left: float, right: float) -> bool:
    match operator:
        case "<" | ">=":
            return (left < right) == (operator == "<")
        case ">" | "<=":
            return (left > right) == (operator == ">")
        case _:
            return (left == right) == (operator == "=")


def _member(subject: Numeric, values: tuple[float | str, ...], *, negated: bool) -> Predicate:
    if isinstance(subject, Missing):
        return Constant(False)
    if isinstance(subject, Number):
        return Constant((subject.value in values) != negated)
    plain = {value if isinstance(value, str) else value + 0.0 for value in values}  # −0 is 0
    return Member(subject, tuple(sorted(plain)), negated)


def _spread(node: Predicate, conjunction: bool, negate: bool) -> Iterator[tuple[Predicate, bool]]:
    """The terms of nested connectives of one kind, and whether each is negated."""
    pending = [(node, negate)]
    while pending:
        each, flipped = pending.pop()
        match each:
            case Not(term):
                pending.append((term, not flipped))
            case And(terms) | Or(terms) if (isinstance(each, And) != flipped) == conjunction:
                pending.extend((term, flipped) for term in terms)
            case _:
                yield each, flipped


def numeric(node: Numeric) -> Numeric:
    """The normal form of a number; equal expressions get equal trees."""
    match node:
        case Number(value):
            return Number(value + 0.0)
        case Column() | Missing() | Part():
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
            return _quotient(numeric(dividend), numeric(divisor))
        case Clip(operand, low, high):
            return _clipped(numeric(operand), low + 0.0, high + 0.0)
        case If(condition, then, otherwise):
            return _choice(canonical(condition), numeric(then), numeric(otherwise))


def _quotient(dividend: Numeric, divisor: Numeric) -> Numeric:
    if isinstance(dividend, Missing) or isinstance(divisor, Missing) or divisor == Number(0.0):
        return Missing()
    if isinstance(dividend, Number) and isinstance(divisor, Number):
        return Number(_finite(dividend.value / divisor.value))
    return Quotient(dividend, divisor)


def _clipped(operand: Numeric, low: float, high: float) -> Numeric:
    if isinstance(operand, Number):
        return Number(min(high, max(low, operand.value)))
    if isinstance(operand, Missing):
        return operand
    if isinstance(operand, Clip):
        inner = (operand.low, operand.high)
        low, high = (min(high, max(low, end)) for end in inner)
        return Clip(operand.operand, low, high)
    return Clip(operand, low, high)


def _choice(condition: Predicate, then: Numeric, otherwise: Numeric) -> Numeric:
    if isinstance(condition, Constant):
        return then if condition.value else otherwise
    return then if then == otherwise else If(condition, then, otherwise)


def _folded(
    parts: list[Numeric],
    operation: Callable[[float, float], float],
    neutral: float,
    kind: type[Sum] | type[Product],
) -> Numeric:
    """Constants folded into one and put first; the rest in a fixed order."""
    if any(isinstance(part, Missing) for part in parts):
        return Missing()
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
