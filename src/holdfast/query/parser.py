"""Reading conditions and numbers: a small precedence parser that knows the schema.

predicate  = conjunct { "or" conjunct }
conjunct   = negation { "and" negation }
negation   = "not" negation | test
test       = sum { comparator sum }                     chains: 30 < age <= 50
           | sum ["not"] "between" sum "and" sum        both ends included
           | sum ["not"] "in" "(" literal { "," literal } ")"
           | column "is" ["not"] "null"
sum        = product { ("+" | "-") product }
product    = factor { ("*" | "/") factor }              "/" only by a number, not 0
factor     = ("-" | "+") factor | number | text | column | "true" | "false"
           | "(" predicate ")"
"""

import difflib
import math
from typing import final

from holdfast.core.errors import QuestionError, UnknownColumn
from holdfast.query.cursor import Cursor
from holdfast.query.operand import Operand, Text, as_number, as_predicate, comparison, negative
from holdfast.query.schema import Kind, Schema
from holdfast.query.tokens import NOT_NUMBERS, Token, TokenKind
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

_COMPARATORS = ("<", "<=", ">", ">=", "=", "!=")


@final
class Parser:
    """One method a line of the grammar; `reading` asks for the lines it needs."""

    def __init__(self, at: Cursor, schema: Schema) -> None:
        self._at = at
        self._schema = schema

    def disjunction(self) -> Operand:
        start = self._at.next
        first = self._conjunction()
        terms = []
        while self._at.takes("or"):
            here = self._at.next
            terms.append(as_predicate(self._conjunction(), here, self._at))
        return Or((as_predicate(first, start, self._at), *terms)) if terms else first

    def _conjunction(self) -> Operand:
        start = self._at.next
        first = self._negation()
        terms = []
        while self._at.takes("and"):
            here = self._at.next
            terms.append(as_predicate(self._negation(), here, self._at))
        return And((as_predicate(first, start, self._at), *terms)) if terms else first

    def _negation(self) -> Operand:
        negations = 0
        while self._at.takes("not"):
            negations += 1
        here = self._at.next
        found = self._test()
        if not negations:
            return found
        term = as_predicate(found, here, self._at)
        return Not(term) if negations % 2 else term

    def _test(self) -> Operand:
        start = self._at.next
        left = self.sum()
        if self._at.sees(*_COMPARATORS):
            return self._chain(left, start)
        if self._at.takes("is"):
            return self._null_test(left, start)
        negated = self._at.takes("not")
        if self._at.takes("between"):
            found: Predicate = self._range(left, start)
        elif self._at.takes("in"):
            found = self._membership(left, start)
        elif negated:
            raise self._at.error("expected 'in' or 'between' after 'not'", self._at.next)
        else:
            return left
        return Not(found) if negated else found

    def _chain(self, left: Operand, start: Token) -> Predicate:
        links: list[Predicate] = []
        while self._at.sees(*_COMPARATORS):
            operator = self._at.advance()
            here = self._at.next
            right = self.sum()
            links.append(comparison(left, start, operator, right, here, self._at))
            left, start = right, here
        return And(tuple(links)) if len(links) > 1 else links[0]

    def _null_test(self, subject: Operand, start: Token) -> Predicate:
        negated = self._at.takes("not")
        self._at.expect("null")
        match subject:
            case Column() as column:
                return IsNull(column, negated)
            case Text(content=Column() as column) | Flag(column=column):
                return IsNull(column, negated)
            case _:
                raise self._at.mismatch("'is null' needs a column before it", start)

    def _range(self, subject: Operand, start: Token) -> Predicate:
        number = as_number(subject, start, self._at)
        here = self._at.next
        low = as_number(self.sum(), here, self._at)
        self._at.expect("and")
        there = self._at.next
        high = as_number(self.sum(), there, self._at)
        if isinstance(low, Number) and isinstance(high, Number) and low.value > high.value:
            empty = f"the range from {low.value:g} to {high.value:g} is empty"
            raise self._at.error(empty, here, "write the smaller end first")
        return And((Compare(">=", number, low), Compare("<=", number, high)))

    def _membership(self, subject: Operand, start: Token) -> Predicate:
        self._at.expect("(")
        listed: list[tuple[Operand, Token]] = []
        while not listed or self._at.takes(","):
            here = self._at.next
            listed.append((self._factor(), here))
        self._at.expect(")")
        if isinstance(subject, Text) and isinstance(subject.content, Column):
            texts = [self.literal_text(value, token) for value, token in listed]
            return Member(subject.content, tuple(texts), negated=False)
        number = as_number(subject, start, self._at)
        numbers = [self._literal_number(value, token) for value, token in listed]
        return Member(number, tuple(numbers), negated=False)

    def literal_text(self, value: Operand, token: Token) -> str:
        if isinstance(value, Text) and isinstance(value.content, str):
            return value.content
        raise self._at.mismatch("expected quoted text in the list", token)

    def _literal_number(self, value: Operand, token: Token) -> float:
        if isinstance(value, Number):
            return value.value
        raise self._at.mismatch("expected a number in the list", token)

    def sum(self) -> Operand:
        start = self._at.next
        first = self._product()
        terms: list[Numeric] = []
        while self._at.sees("+", "-"):
            operator = self._at.advance()
            here = self._at.next
            term = as_number(self._product(), here, self._at)
            terms.append(term if operator.value == "+" else negative(term))
        return Sum((as_number(first, start, self._at), *terms)) if terms else first

    def _product(self) -> Operand:
        start = self._at.next
        found = self._factor()
        while self._at.sees("*", "/"):
            operator = self._at.advance()
            here = self._at.next
            left = as_number(found, start, self._at)
            right = as_number(self._factor(), here, self._at)
            if operator.value == "*":
                factors = left.factors if isinstance(left, Product) else (left,)
                found = Product((*factors, right))
                continue
            if not isinstance(right, Number) or right.value == 0:
                hint = "divide only by a number that is not 0"
                raise self._at.error("division by something that can be zero", here, hint)
            found = Quotient(left, right.value)
        return found

    def _factor(self) -> Operand:
        token = self._at.advance()
        match token.kind, token.value:
            case TokenKind.NUMBER, value:
                return self._number(float(value), token)
            case TokenKind.TEXT, value:
                return Text(value)
            case TokenKind.NAME, value:
                return self._column(value, token)
            case TokenKind.WORD, "true" | "false":
                return Constant(token.value == "true")
            case TokenKind.WORD, "-" | "+":
                here = self._at.next
                number = as_number(self._at.nested(self._factor, token), here, self._at)
                return negative(number) if token.value == "-" else number
            case TokenKind.WORD, "(":
                inside = self._at.nested(self.disjunction, token)
                self._at.expect(")")
                return inside
            case _:
                raise self._at.error(f"unexpected {token.value!r}", token)

    def _number(self, value: float, token: Token) -> Number:
        if not math.isfinite(value):
            raise self._at.error("a number too large for double precision", token)
        return Number(value)

    def _column(self, name: str, token: Token) -> Operand:
        match self._schema.columns.get(name):
            case Kind.NUMBER:
                return Column(name)
            case Kind.TEXT:
                return Text(Column(name))
            case Kind.FLAG:
                return Flag(Column(name), negated=False)
            case Kind.OTHER:
                problem = f"column {name!r} has a type that questions cannot use"
                raise self._at.mismatch(problem, token)
            case None:
                raise self._unknown(name, token)

    def _unknown(self, name: str, token: Token) -> QuestionError:
        if name.lower() in NOT_NUMBERS:
            hint = "use a finite number, or 'is null' for missing values"
            return self._at.error(f"{name} is not a number that a question can use", token, hint)
        known = list(self._schema.columns)
        near = [column for column in known if column.lower() == name.lower()]
        near = near or difflib.get_close_matches(name, known, n=1, cutoff=0.6)
        listed = ", ".join(known[:8]) + (", …" if len(known) > 8 else "")
        return UnknownColumn(
            problem=f"unknown column {name!r}",
            text=self._at.text,
            position=token.position,
            length=token.length,
            column=name,
            hint=f"did you mean {near[0]!r}?" if near else f"the columns are {listed}",
        )
