"""Reading the cells of a histogram, or those behind `by`.

cells      = "(" constant { "," constant } ")" | "bins" "(" low "," high "," count ")"

Without cells, a text column has its declared categories, and a true/false column both values.
"""

from collections.abc import Mapping
from fractions import Fraction
from typing import final

from peekproof.core.errors import InvalidInput, QuestionError
from peekproof.query.atoms import literal_text
from peekproof.query.cells import MOST_CELLS, Edges, Values
from peekproof.query.constants import PUBLIC, folded, folded_time, shallow
from peekproof.query.cursor import Cursor
from peekproof.query.operand import Operand, Text, Time, as_number
from peekproof.query.parser import Parser
from peekproof.query.schema import Schema
from peekproof.query.tokens import Token
from peekproof.query.tree import Column, Constant, Flag, Numeric


@final
class Lister:
    """Cells of a subject that was read already, and began at the token `start`."""

    def __init__(self, parser: Parser, schema: Schema) -> None:
        self._at = parser.at
        self._parser = parser
        self._schema = schema

    @property
    def listed(self) -> bool:
        """Whether cells come next."""
        return self._at.sees("(") or self._at.opens("bins")

    def cells(self, subject: Operand, start: Token) -> Edges | Values:
        """The cells that come next."""
        if self._at.opens("bins"):
            return self._bins(subject, start)
        opening = self._at.advance()
        listed: list[tuple[Operand, Token]] = []
        while not listed or self._at.takes(","):
            here = self._at.next
            listed.append((self._parser.sum(), here))
        self._at.expect(")")
        tokens = [token for _, token in listed]
        places = {"cells": opening}
        places |= {f"edge {number}": token for number, token in enumerate(tokens, 1)}
        places |= {f"value {number}": token for number, token in enumerate(tokens, 1)}
        try:
            match subject:
                case Text(content=Column() as column):
                    texts = tuple(literal_text(*each, self._at) for each in listed)
                    return Values(column, texts)
                case Flag(column, negated=False):
                    return Values(column, tuple(self._literal_flag(*each) for each in listed))
                case _:
                    return self._edges(subject, start, listed)
        except InvalidInput as error:
            raise pointing(error, places, self._at) from None

    def declared(self, subject: Operand, start: Token, wanted: str) -> Edges | Values:
        """The cells of a subject behind which none are listed."""
        match subject:
            case Flag(column, negated=False):
                return Values(column, (True, False))
            case Text(content=Column(name) as column):
                categories = self._schema.categories.get(name, ())
                if not categories:
                    hint = "list them as in ('AA', 'UA'), or declare them when opening the data"
                    problem = f"column {name!r} has no declared categories; {wanted}"
                    raise self._at.error(problem, start, hint)
                try:
                    return Values(column, tuple(categories))
                except InvalidInput as error:
                    raise pointing(error, {}, self._at, start) from None
            case _:
                raise self._at.error(wanted, self._at.next, PUBLIC)

    def _edges(self, subject: Operand, start: Token, listed: list[tuple[Operand, Token]]) -> Edges:
        if isinstance(subject, Time):
            edges = (folded_time(value, subject.unit, token, self._at) for value, token in listed)
            tree: Numeric = shallow(subject.tree, start, self._at)
            return Edges(tree, tuple(edges), subject.unit if isinstance(tree, Column) else "")
        operand = shallow(as_number(subject, start, self._at), start, self._at)
        return Edges(operand, tuple(folded(*each, self._at) for each in listed))

    def _bins(self, subject: Operand, start: Token) -> Edges:
        opening = self._at.advance()
        self._at.expect("(")
        ends: list[tuple[Operand, Token]] = []
        for _ in range(2):
            here = self._at.next
            ends.append((self._parser.sum(), here))
            if self._at.sees(")"):
                raise self._at.error("bins needs bounds and a number: bins(low, high, count)", here)
            self._at.expect(",")
        here = self._at.next
        count = folded(self._parser.sum(), here, self._at)
        self._at.expect(")")
        if not (count.is_integer() and 1 <= count <= MOST_CELLS - 2):
            problem = f"count must be a whole number from 1 to {MOST_CELLS - 2:,}, got {count:g}"
            raise self._at.error(problem, here)
        if isinstance(subject, Text | Flag | Constant):
            raise self._at.mismatch("bins of something that is not a number", opening, "list cells")
        last = ends[1][1]
        try:
            outer = self._edges(subject, start, ends)
            last, (low, high) = here, outer.edges
            return Edges(outer.operand, _even(low, high, int(count)), outer.unit)
        except InvalidInput as error:
            raise pointing(error, {}, self._at, last) from None

    def _literal_flag(self, operand: Operand, token: Token) -> bool:
        if isinstance(operand, Constant):
            return operand.value
        raise self._at.mismatch("expected true or false in the list", token)


def _even(low: float, high: float, count: int) -> tuple[float, ...]:
    """The doubles nearest to low, …, high in `count` equal steps.

    Bounds stand for the decimals they print as, so that tenths from 0 to 1 are 0.1, 0.2, 0.3.
    """
    bottom, top = Fraction(repr(low)), Fraction(repr(high))
    step = (top - bottom) / count
    return (low, *(float(bottom + step * index) for index in range(1, count)), high)


def pointing(
    error: InvalidInput, places: Mapping[str, Token], at: Cursor, otherwise: Token | None = None
) -> QuestionError:
    """What a form refused about an argument, at the argument's place."""
    problem = f"{error.argument} must be {error.accepted}, got {error.given}"
    return at.error(problem, places.get(error.argument) or otherwise or at.next, error.hint)
