"""Subexpressions that are said more than once get a name, in a subquery of their own.

For engines whose arithmetic needs guards: a guard says its operands several times, so nested
guards would grow beyond all bounds. Trees are taken apart into levels. Each level is one subquery
with the numbers that the levels above refer to as columns.
"""

from dataclasses import replace
from typing import final

from peekproof.query.cells import Edges, Values
from peekproof.query.form import Drawn, Grouped, Histogram, Mean, Quantile, Share
from peekproof.query.tree import (
    And,
    Clip,
    Column,
    Compare,
    If,
    IsNull,
    Member,
    Number,
    Numeric,
    Or,
    Predicate,
    Product,
    Quotient,
    Sum,
)
from peekproof.query.walk import columns

MOST_TERMS = 8  # of one guarded sum
_MARK = "\0"  # no column of a database has this in its name


@final
class Levels:
    """Forms with their inner numbers named, and what the names mean, level by level."""

    def __init__(self) -> None:
        self.levels: list[dict[str, Numeric]] = []
        self._names: dict[Numeric, str] = {}
        self._heights: dict[str, int] = {}

    def form(self, form: Drawn) -> Drawn:
        """The form with shallow arithmetic."""
        match form:
            case Share(predicate):
                return Share(self._predicate(predicate))
            case Mean(operand) | Quantile(operand):
                return replace(form, operand=self._named(operand))
            case Histogram(by, weight):
                held = None if weight is None else self._weight(weight)
                return Histogram(self._cells(by), held)
            case Grouped(by, weight):
                return Grouped(self._cells(by), self._weight(weight))

    def _cells(self, by: Edges | Values) -> Edges | Values:
        return Edges(self._named(by.operand), by.edges) if isinstance(by, Edges) else by

    def _weight(self, weight: Predicate | Mean) -> Predicate | Mean:
        if isinstance(weight, Mean):
            return replace(weight, operand=self._named(weight.operand))
        return self._predicate(weight)

    def _predicate(self, node: Predicate) -> Predicate:
        match node:
            case And(terms):
                return And(tuple(map(self._predicate, terms)))
            case Or(terms):
                return Or(tuple(map(self._predicate, terms)))
            case Compare(operator, left, right):
                return Compare(operator, self._number(left), self._number(right))
            case Member(subject, values, negated):
                return Member(self._number(subject), values, negated)
            case IsNull(operand, negated):
                return IsNull(self._number(operand), negated)
            case _:
                return node

    def _number(self, node: Numeric) -> Numeric:
        """The node, with a name for every operand that a guard says more than once."""
        match node:
            case Sum(terms):
                return self._sum([self._named(term) for term in terms])
            case Product(factors):
                held = [self._named(factor) for factor in factors]
                while len(held) > 2:
                    held[:2] = [self._hold(Product((held[0], held[1])))]
                return Product(tuple(held))
            case Quotient(dividend, divisor):
                return Quotient(self._named(dividend), self._named(divisor))
            case Clip(operand, low, high):
                return Clip(self._named(operand), low, high)
            case If(condition, then, otherwise):
                return If(self._predicate(condition), self._number(then), self._number(otherwise))
            case _:
                return node

    def _sum(self, terms: list[Numeric]) -> Numeric:
        while len(terms) > MOST_TERMS:
            terms[:MOST_TERMS] = [self._hold(Sum(tuple(terms[:MOST_TERMS])))]
        return Sum(tuple(terms))

    def _named(self, node: Numeric) -> Numeric:
        return node if isinstance(node, Column | Number) else self._hold(self._number(node))

    def _hold(self, node: Numeric) -> Column:
        if node not in self._names:
            name = f"{_MARK}{len(self._names)}"
            height = max((self._heights[each] for each in _marked(node)), default=-1) + 1
            self._names[node], self._heights[name] = name, height
            if height == len(self.levels):
                self.levels.append({})
            self.levels[height][name] = node
        return Column(self._names[node])


def is_named(column: str) -> bool:
    """Whether a column is one of these numbers."""
    return column.startswith(_MARK)


def _marked(node: Numeric) -> set[str]:
    return {name for name in columns(node) if is_named(name)}
