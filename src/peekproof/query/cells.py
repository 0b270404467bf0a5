"""Disjoint cells of a histogram: ranges of a number, or values of a text or true/false column."""

import math
import re
from dataclasses import dataclass, field
from itertools import pairwise
from typing import final

from peekproof.core.errors import InvalidInput
from peekproof.query.dates import shown_time
from peekproof.query.tokens import KEYWORDS, excerpt
from peekproof.query.tree import (
    And,
    Clip,
    Column,
    Compare,
    Flag,
    If,
    Member,
    Missing,
    Number,
    Numeric,
    Part,
    Predicate,
    Product,
    Quotient,
    Sum,
)

MOST_CELLS = 10_000

_LONGEST_LABEL = 60
_BARE = re.compile(r"[^\W\d]\w*")


@final
@dataclass(frozen=True, slots=True)
class Edges:
    """The ranges between increasing `edges`: below the first, …, from the last one on.

    A range holds its lower end. A row whose number is missing lies in none. `unit` is that of an
    operand which is a column of dates or moments, so that labels can show them as such.
    """

    operand: Numeric
    edges: tuple[float, ...]
    unit: str = field(default="", compare=False)

    def __post_init__(self) -> None:
        _check_size(len(self) if self.edges else 0)
        before = -math.inf
        for number, edge in enumerate(self.edges, 1):
            if not before < edge < math.inf:  # also false for NaN
                raise InvalidInput(
                    argument=f"edge {number}",
                    accepted="a finite number above the one before it",
                    given=plain_number(edge),
                    hint="list the edges in increasing order, each once",
                )
            before = edge

    def __len__(self) -> int:
        return len(self.edges) + 1

    @property
    def predicates(self) -> tuple[Predicate, ...]:
        below = [Compare("<", self.operand, Number(edge)) for edge in self.edges]
        from_on = [Compare(">=", self.operand, Number(edge)) for edge in self.edges]
        pairs = zip(below[1:], from_on[:-1], strict=True)
        return below[0], *(And(pair) for pair in pairs), from_on[-1]

    @property
    def labels(self) -> tuple[str, ...]:
        name, ends = shown(self.operand), [_end(edge, self.unit) for edge in self.edges]
        between = [f"{low} <= {name} < {high}" for low, high in pairwise(ends)]
        return f"{name} < {ends[0]}", *between, f"{name} >= {ends[-1]}"


@final
@dataclass(frozen=True, slots=True)
class Values:
    """One cell a value of a column, in the order in which they were written."""

    column: Column
    values: tuple[str | bool, ...]

    def __post_init__(self) -> None:
        _check_size(len(self.values))
        seen: set[str | bool] = set()
        for number, value in enumerate(self.values, 1):
            if value in seen:
                raise InvalidInput(
                    argument=f"value {number}",
                    accepted="one that is not listed before it",
                    given=excerpt(value) if isinstance(value, str) else _literal(value),
                    hint="cells must not overlap",
                )
            seen.add(value)

    def __len__(self) -> int:
        return len(self.values)

    @property
    def predicates(self) -> tuple[Predicate, ...]:
        return tuple(
            Member(self.column, (value,), negated=False)
            if isinstance(value, str)
            else Flag(self.column, negated=not value)
            for value in self.values
        )

    @property
    def labels(self) -> tuple[str, ...]:
        name = shown(self.column)
        return tuple(f"{name} = {_literal(value)}" for value in self.values)


def _check_size(cells: int) -> None:
    if not 1 <= cells <= MOST_CELLS:
        raise InvalidInput(
            argument="cells", accepted=f"from 1 to {MOST_CELLS:,}", given=f"{cells:,}"
        )


def shown(operand: Numeric) -> str:
    """The operand as one would write it; a long one is cut, for a label is not a definition."""
    text = _written(operand)
    return text if len(text) <= _LONGEST_LABEL else f"{text[:_LONGEST_LABEL]}…"


def _written(node: Numeric) -> str:
    match node:
        case Number(value):
            return plain_number(value)
        case Column(name):
            return name if bare(name) else f"`{name}`"
        case Sum(terms):
            return " + ".join(map(_inner, terms))
        case Product(factors):
            return " * ".join(map(_inner, factors))
        case Quotient(dividend, divisor):
            return f"{_inner(dividend)} / {_inner(divisor)}"
        case Clip(operand, low, high):
            return f"clip({_written(operand)}, {plain_number(low)}, {plain_number(high)})"
        case Part(part, column):
            return f"{part}({_written(column)})"
        case If(_, then, otherwise):
            return f"if(…, {_written(then)}, {_written(otherwise)})"
        case Missing():
            return "null"


def bare(name: str) -> bool:
    """Whether a column of this name is written without backticks."""
    return bool(_BARE.fullmatch(name)) and name.lower() not in KEYWORDS


def _inner(node: Numeric) -> str:
    return _written(node) if isinstance(node, Number | Column) else f"({_written(node)})"


def plain_number(value: float) -> str:
    """The double in all its digits, and a whole one without a point."""
    return repr(value).removesuffix(".0")


def _end(edge: float, unit: str) -> str:
    try:
        return f"'{shown_time(edge, unit)}'" if unit else plain_number(edge)
    except OverflowError:  # no year from 1 to 9999
        return plain_number(edge)


def _literal(value: str | bool) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    doubled = value.replace("'", "''")
    return f"'{doubled}'"
