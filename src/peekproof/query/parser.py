"""Reading conditions and numbers: a small precedence parser that knows the schema.

predicate  = conjunct { "or" conjunct }
conjunct   = negation { "and" negation }
negation   = "not" negation | test
test       = sum { comparator sum }                     chains: 30 < age <= 50
           | sum ["not"] "between" sum "and" sum        both ends included
           | sum ["not"] "in" "(" literal { "," literal } ")"
           | sum ["not"] "like" text
           | sum "is" ["not"] "null"
sum        = product { ("+" | "-") product }
product    = factor { ("*" | "/") factor }              "/" null where the divisor is 0
factor     = ("-" | "+") factor | number | text | column | "true" | "false"
           | ("date" | "timestamp") text | call | case | "(" predicate ")"

Where an operand is due a name is a column, unless "(" or the like follows; where an operator is
due no column can stand. So names such as `like` and `end` are words of the language only there.
"""

import difflib
import math
from typing import final

from peekproof.core.errors import QuestionError, UnknownColumn
from peekproof.query import calls
from peekproof.query.atoms import compare, listed_in, matching, missing, within
from peekproof.query.constants import quotient
from peekproof.query.cursor import Cursor
from peekproof.query.dates import DAY, MICROSECOND
from peekproof.query.operand import Operand, Text, Time, as_number, as_predicate, negative
from peekproof.query.schema import Kind, Schema
from peekproof.query.times import literal, shifted
from peekproof.query.tokens import NOT_NUMBERS, Token, TokenKind, excerpt, named
from peekproof.query.tree import (
    And,
    Column,
    Constant,
    Flag,
    Not,
    Number,
    Numeric,
    Or,
    Predicate,
    Product,
    Sum,
)

_COMPARATORS = ("<", "<=", ">", ">=", "=", "!=")


@final
class Parser:
    """One method a line of the grammar; `reading` asks for the lines it needs."""

    def __init__(self, at: Cursor, schema: Schema) -> None:
        self.at = at
        self._schema = schema

    def disjunction(self) -> Operand:
        start = self.at.next
        first = self._conjunction()
        terms = []
        while self.at.takes("or"):
            here = self.at.next
            terms.append(as_predicate(self._conjunction(), here, self.at))
        return Or((as_predicate(first, start, self.at), *terms)) if terms else first

    def _conjunction(self) -> Operand:
        start = self.at.next
        first = self._negation()
        terms = []
        while self.at.takes("and"):
            here = self.at.next
            terms.append(as_predicate(self._negation(), here, self.at))
        return And((as_predicate(first, start, self.at), *terms)) if terms else first

    def _negation(self) -> Operand:
        negations = 0
        while self.at.takes("not"):
            negations += 1
        here = self.at.next
        found = self._test()
        if not negations:
            return found
        term = as_predicate(found, here, self.at)
        return Not(term) if negations % 2 else term

    def _test(self) -> Operand:
        start = self.at.next
        left = self.sum()
        if self.at.sees(*_COMPARATORS):
            return self._chain(left, start)
        if self.at.takes("is"):
            negated = self.at.takes("not")
            self.at.expect("null")
            return missing(left, start, self.at, negated=negated)
        negated = self.at.takes("not")
        if self.at.takes("between"):
            found = self._range(left, start)
        elif self.at.takes("in"):
            found = self._membership(left, start)
        elif self.at.says("like"):
            self.at.advance()
            found = matching(left, start, self.at)
        elif negated:
            problem = "expected 'in', 'between' or 'like' after 'not'"
            raise self.at.error(problem, self.at.next)
        else:
            return left
        return Not(found) if negated else found

    def _chain(self, left: Operand, start: Token) -> Predicate:
        links: list[Predicate] = []
        while self.at.sees(*_COMPARATORS):
            operator = self.at.advance()
            here = self.at.next
            right = self.sum()
            if links:
                self._meant_again(left, start)
            links.append(compare(left, start, operator, right, here, self.at))
            left, start = right, here
        return And(tuple(links)) if len(links) > 1 else links[0]

    def _range(self, subject: Operand, start: Token) -> Predicate:
        self._meant_again(subject, start)
        here = self.at.next
        low = self.sum()
        self.at.expect("and")
        there = self.at.next
        high = self.sum()
        return within(subject, start, low, here, high, there, self.at)

    def _membership(self, subject: Operand, start: Token) -> Predicate:
        self.at.expect("(")
        listed: list[tuple[Operand, Token]] = []
        while not listed or self.at.takes(","):
            here = self.at.next
            listed.append((self.factor(), here))
        self.at.expect(")")
        return listed_in(subject, start, listed, self.at)

    def sum(self) -> Operand:
        start = self.at.next
        found = self._product()
        terms: list[Numeric] = []
        while self.at.sees("+", "-"):
            operator = self.at.advance()
            here = self.at.next
            right = self._product()
            if (not terms and isinstance(found, Time | Text)) or isinstance(right, Time | Text):
                whole = _added(as_number(found, start, self.at), terms) if terms else found
                found, terms = shifted(whole, start, operator, right, here, self.at), []
                continue
            found = as_number(found, start, self.at)
            term = as_number(right, here, self.at)
            terms.append(term if operator.value == "+" else negative(term))
        return _added(as_number(found, start, self.at), terms) if terms else found

    def _product(self) -> Operand:
        start = self.at.next
        found = self.factor()
        factors: list[Numeric] = []  # behind the first
        while self.at.sees("*", "/"):
            operator = self.at.advance()
            here = self.at.next
            left = as_number(found, start, self.at)
            right = as_number(self.factor(), here, self.at)
            if operator.value == "*":
                factors.append(right)
            else:
                found, factors = quotient(_multiplied(left, factors), right, here, self.at), []
        return _multiplied(as_number(found, start, self.at), factors) if factors else found

    def factor(self) -> Operand:
        if self.at.opens(*calls.NAMES):
            return calls.call(self)
        if self.at.says("case") and self.at.follows("when"):
            return calls.case(self)
        token = self.at.advance()
        match token.kind, token.value:
            case TokenKind.NUMBER, value:
                return self._number(float(value), token)
            case TokenKind.TEXT, value:
                return Text(value)
            case TokenKind.NAME, value:
                return self._named(value, token)
            case TokenKind.WORD, "true" | "false":
                return Constant(token.value == "true")
            case TokenKind.WORD, "-" | "+":
                here = self.at.next
                self.at.enter(token)
                number = as_number(self.factor(), here, self.at)
                self.at.leave()
                return negative(number) if token.value == "-" else number
            case TokenKind.WORD, "(":
                self.at.enter(token)
                inside = self.disjunction()
                self.at.leave()
                self.at.expect(")")
                return inside
            case TokenKind.WORD, "null":
                hint = "test for a missing value with 'is null'"
                raise self.at.error("unexpected 'null'", token, hint)
            case _:
                raise self.at.error(f"unexpected {named(token)}", token)

    def _number(self, value: float, token: Token) -> Number:
        if not math.isfinite(value):
            raise self.at.error("a number too large for double precision", token)
        return Number(value)

    def _named(self, name: str, token: Token) -> Operand:
        bare = token.length == len(name)
        if bare and name.lower() in ("date", "timestamp") and self.at.next.kind is TokenKind.TEXT:
            written = self.at.advance()
            return calls.stated(
                name.lower(), literal(written.value, written, self.at), written, self.at
            )
        if bare and self.at.sees("(") and name not in self._schema.columns:
            raise calls.unknown(name, token, self.at)
        return self.column(name, token)

    def column(self, name: str, token: Token) -> Operand:
        """What the column of this name is."""
        match self._schema.columns.get(name):
            case Kind.NUMBER:
                return Column(name)
            case Kind.TEXT:
                return Text(Column(name))
            case Kind.FLAG:
                return Flag(Column(name), negated=False)
            case Kind.DATE:
                return Time(Column(name), DAY)
            case Kind.MOMENT:
                return Time(Column(name), MICROSECOND)
            case Kind.OTHER:
                problem = f"column {name!r} has a type that questions cannot use"
                raise self.at.mismatch(problem, token)
            case None:
                raise self._unknown(name, token)

    def _unknown(self, name: str, token: Token) -> QuestionError:
        if name.lower() in NOT_NUMBERS:
            hint = "use a finite number, or 'is null' for missing values"
            return self.at.error(f"{name} is not a number that a question can use", token, hint)
        known = list(self._schema.columns)
        near = [column for column in known if column.lower() == name.lower()]
        near = near or difflib.get_close_matches(name, known, n=1, cutoff=0.6)
        shown = (each if each.isprintable() else excerpt(each) for each in known[:8])
        listed = ", ".join(shown) + (", …" if len(known) > 8 else "")
        return UnknownColumn(
            problem=f"unknown column {excerpt(name)}",
            text=self.at.text,
            position=token.position,
            length=token.length,
            column=name,
            hint=f"did you mean {near[0]!r}?" if near else f"the columns are {listed}",
        )

    def _meant_again(self, operand: Operand, token: Token) -> None:
        """Notes that an operand which is written once stands in two comparisons."""
        if isinstance(operand, Time):
            self.at.repeat(operand.tree, token)
        elif not isinstance(operand, Text | Flag | Constant):
            self.at.repeat(as_number(operand, token, self.at), token)


def _multiplied(first: Numeric, factors: list[Numeric]) -> Numeric:
    if not factors:
        return first
    inside = first.factors if isinstance(first, Product) else (first,)
    return Product((*inside, *factors))


def _added(first: Numeric, terms: list[Numeric]) -> Sum:
    return Sum((first, *terms))
