"""Canonical trees as functions of a piece of rows.

In a canonical tree unknown is as good as false (it has no NOT), so truth is one bit a row.
No rows are ever filtered and nothing is cut short: the time depends on the question alone.
A tree is taken apart once and not once a piece, for questions come in thousands.
"""

from collections.abc import Callable, Sequence
from functools import partial, reduce
from typing import Any, TypeVar, final

import numpy as np
import polars as pl

from peekproof.data.parts import part_of
from peekproof.data.piece import Bools, Doubles, Piece
from peekproof.data.places import below
from peekproof.query.cells import Edges, Values
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

Truth = Callable[[Piece], Bools]
Value = Callable[[Piece], Doubles | float]
Found = TypeVar("Found")
Shared = Predicate | Numeric | Edges | Values
# Given a part of a question and its function, the one to use: one that remembers, for example.
Kept = Callable[[Shared, Callable[[Piece], Any]], Callable[[Piece], Any]]

_FEW = 8

_COMPARE: dict[str, np.ufunc] = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "=": np.equal,
}


@final
class Evaluation:
    """Makes functions of trees; `kept` may replace that of an atom or of a number."""

    def __init__(self, kept: Kept = lambda _, compute: compute) -> None:
        self._kept = kept

    def shared(self, part: Shared, compute: Callable[[Piece], Found]) -> Callable[[Piece], Found]:
        """The function to use for a part of a question that others may have too."""
        return self._kept(part, compute)

    def truth(self, node: Predicate) -> Truth:
        """Whether a canonical predicate is true, row by row."""
        match node:
            case And(terms):
                return _joined(np.logical_and, [self.truth(term) for term in terms])
            case Or(terms):
                return _joined(np.logical_or, [self.truth(term) for term in terms])
            case Constant(value):
                return self._kept(node, lambda piece: np.full(piece.rows, value))
            case _:
                return self._kept(node, self._atom(node))

    def doubles(self, node: Numeric) -> Callable[[Piece], Doubles]:
        """A canonical number, row by row; NaN where it is missing."""
        if isinstance(node, Number | Missing):
            value = node.value if isinstance(node, Number) else np.nan
            return lambda piece: np.full(piece.rows, value)
        inner: Any = self._value(node)
        whole: Callable[[Piece], Doubles] = inner
        return whole

    def _value(self, node: Numeric) -> Value:
        match node:
            case Number(value):
                return lambda _: value
            case Missing():
                return lambda _: np.nan
            case Column(name):
                return lambda piece: piece.doubles(name)
            case _:
                return self._kept(node, self._computed(node))

    def _computed(self, node: Numeric) -> Value:
        match node:
            case Sum(terms):
                return _folded(np.add, [self._value(term) for term in terms])
            case Product(factors):
                return _folded(np.multiply, [self._value(factor) for factor in factors])
            case Quotient(dividend, divisor):
                return partial(_divided, self._value(dividend), self._value(divisor))
            case Clip(operand, low, high):
                inside = self._value(operand)
                return lambda piece: np.clip(inside(piece), low, high)
            case If(condition, then, otherwise):
                chosen, yes, no = self.truth(condition), self._value(then), self._value(otherwise)
                return lambda piece: np.where(chosen(piece), yes(piece), no(piece))
            case Part(field, Column(name), unit):
                return lambda piece: part_of(piece.doubles(name), field, unit)
            case _:
                raise TypeError(f"{type(node).__name__} does not occur in a canonical number")

    def _atom(self, node: Predicate) -> Truth:
        match node:
            case Compare("=" | "!=" as operator, Column(left), Column(right)):
                return partial(_columns_compared, operator, left, right)
            case Compare(operator, left, right):
                return _compared(operator, self._value(left), self._value(right))
            case Member(Column(name), values, negated) if isinstance(values[0], str):
                return _texts(name, partial(_listed, values), negated)
            case Member(subject, values, negated):
                listed = np.array(values, np.float64)
                return partial(_member, listed, negated, self._value(subject))
            case Matches(Column(name), where, text, negated):
                return _texts(name, partial(_matched, where, text), negated)
            case IsNull(Column(name), negated):
                return partial(_absent, name, negated)
            case IsNull(operand, negated):
                value = self._value(operand)
                return lambda piece: np.isnan(value(piece)) != negated
            case Flag(Column(name), negated):
                return _texts(name, lambda flags: flags, negated)
            case _:
                raise TypeError(f"{type(node).__name__} does not occur in a canonical predicate")


def _joined(operation: np.ufunc, parts: Sequence[Truth]) -> Truth:
    if len(parts) == 1:
        return parts[0]
    first, second, *rest = parts

    def joined(piece: Piece) -> Bools:
        # Into an array of its own: others may use those of the parts.
        found: Bools = operation(first(piece), second(piece))
        for part in rest:
            operation(found, part(piece), out=found)
        return found

    return joined


def _folded(operation: np.ufunc, parts: Sequence[Value]) -> Value:
    return lambda piece: reduce(operation, (part(piece) for part in parts))


def _divided(dividend: Value, divisor: Value, piece: Piece) -> Doubles:
    below_line = divisor(piece)
    known = np.where(np.equal(below_line, 0.0), np.nan, below_line)
    found: Doubles = np.divide(dividend(piece), known)
    return found


def _compared(operator: str, left: Value, right: Value) -> Truth:
    if operator == "!=":  # of two numbers: NaN differs from everything
        return lambda piece: _apart(left(piece), right(piece))
    compare = _COMPARE[operator]
    return lambda piece: compare(left(piece), right(piece))


def _apart(left: Doubles | float, right: Doubles | float) -> Bools:
    found: Bools = np.logical_or(np.less(left, right), np.greater(left, right))
    return found


def _columns_compared(operator: str, left: str, right: str, piece: Piece) -> Bools:
    if piece.numeric(left):
        return _compared(operator, lambda it: it.doubles(left), lambda it: it.doubles(right))(piece)
    ones, others = piece.series(left), piece.series(right)
    return _true(ones == others if operator == "=" else ones != others)


def _member(listed: Doubles, negated: bool, subject: Value, piece: Piece) -> Bools:
    values = subject(piece)
    if len(listed) <= _FEW:
        found: Bools = reduce(np.logical_or, (np.equal(values, each) for each in listed))
    else:
        met = np.take(listed, below(listed, np.asarray(values)), mode="clip")
        found = np.equal(met, values)
    return np.logical_and(~found, np.equal(values, values)) if negated else found


def _texts(name: str, test: Callable[[pl.Series], pl.Series], negated: bool) -> Truth:
    """A test of a text or true/false column that is unknown for null."""
    if negated:
        return lambda piece: _true(~test(piece.series(name)))
    return lambda piece: _true(test(piece.series(name)))


def _true(found: pl.Series) -> Bools:
    return found.fill_null(False).to_numpy()


def _listed(values: tuple[float | str, ...], texts: pl.Series) -> pl.Series:
    return texts == values[0] if len(values) == 1 else texts.is_in(list(values))


def _matched(where: str, text: str, texts: pl.Series) -> pl.Series:
    match where:
        case "begins with":
            return texts.str.starts_with(text)
        case "ends with":
            return texts.str.ends_with(text)
        case _:
            return texts.str.contains(text, literal=True)


def _absent(name: str, negated: bool, piece: Piece) -> Bools:
    numeric = piece.numeric(name)
    found: Bools = (
        np.isnan(piece.doubles(name)) if numeric else piece.series(name).is_null().to_numpy()
    )
    return ~found if negated else found


def without_nan(values: pl.Series) -> pl.Series:
    """The values with null for NaN, under their name (fill_nan reads a name ^…$ as a pattern)."""
    return values.alias("").fill_nan(None).alias(values.name)
