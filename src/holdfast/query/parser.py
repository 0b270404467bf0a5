"""Reading a question: a small precedence parser that knows the schema.

predicate  = conjunct { "or" conjunct }
conjunct   = negation { "and" negation }
negation   = "not" negation | test
test       = sum { comparator sum }                     chains: 30 < age <= 50
           | sum ["not"] "between" sum "and" sum        both ends included
           | sum ["not"] "in" "(" literal { "," literal } ")"
           | column "is" ["not"] "null"
sum        = product { ("+" | "-") product }
product    = factor { ("*" | "/") factor }              "/" only by a number, not 0
factor     = "-" factor | number | text | column | "true" | "false" | "(" predicate ")"
"""

import difflib
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from holdfast.core.errors import QuestionError, TypeMismatch, UnknownColumn
from holdfast.query.schema import Kind, Schema
from holdfast.query.tokens import NOT_NUMBERS, Token, TokenKind, tokenize
from holdfast.query.tree import (
    FLIPPED,
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

MOST_DEPTH = 48


@final
@dataclass(frozen=True, slots=True)
class _Text:
    """A text literal, or a text column, on its way into a comparison."""

    content: str | Column


# What a subexpression can be; a true/false column is a Flag, which is also a Predicate.
_Operand = Numeric | _Text | Predicate


def parse(text: str, schema: Schema) -> Predicate:
    """The predicate that `text` says, as written (see `canonical` for its normal form)."""
    return _Parser(text, schema).whole()


class _Parser:
    def __init__(self, text: str, schema: Schema) -> None:
        self._text = text
        self._schema = schema
        self._tokens = tokenize(text)
        self._index = 0
        self._depth = 0

    @property
    def _next(self) -> Token:
        return self._tokens[self._index]

    def _advance(self) -> Token:
        token = self._next
        self._index += 1
        return token

    def _sees(self, *words: str) -> bool:
        return self._next.kind is TokenKind.WORD and self._next.value in words

    def _takes(self, *words: str) -> bool:
        if self._sees(*words):
            self._index += 1
            return True
        return False

    def _expect(self, word: str) -> None:
        if not self._takes(word):
            raise self._error(f"expected {word!r}, found {self._next.value!r}", self._next)

    def _error(self, problem: str, token: Token, hint: str = "") -> QuestionError:
        return QuestionError(
            problem=problem,
            text=self._text,
            position=token.position,
            length=token.length,
            hint=hint,
        )

    def _mismatch(self, problem: str, token: Token, hint: str = "") -> TypeMismatch:
        return TypeMismatch(
            problem=problem,
            text=self._text,
            position=token.position,
            length=token.length,
            hint=hint,
        )

    def whole(self) -> Predicate:
        start = self._next
        if start.kind is TokenKind.END:
            raise self._error("the question is empty", start, "write a condition such as age > 50")
        found = self._as_predicate(self._disjunction(), start)
        if self._next.kind is not TokenKind.END:
            raise self._error(f"unexpected {self._next.value!r}", self._next)
        return found

    # Truth ---------------------------------------------------------------------------------

    def _disjunction(self) -> _Operand:
        start = self._next
        first = self._conjunction()
        terms = []
        while self._takes("or"):
            here = self._next
            terms.append(self._as_predicate(self._conjunction(), here))
        return Or((self._as_predicate(first, start), *terms)) if terms else first

    def _conjunction(self) -> _Operand:
        start = self._next
        first = self._negation()
        terms = []
        while self._takes("and"):
            here = self._next
            terms.append(self._as_predicate(self._negation(), here))
        return And((self._as_predicate(first, start), *terms)) if terms else first

    def _negation(self) -> _Operand:
        negations = 0
        while self._takes("not"):
            negations += 1
        here = self._next
        found = self._test()
        if not negations:
            return found
        term = self._as_predicate(found, here)
        return Not(term) if negations % 2 else term

    def _as_predicate(self, operand: _Operand, token: Token) -> Predicate:
        if isinstance(operand, Number | Column | Sum | Product | Quotient | _Text):
            kind = "text" if isinstance(operand, _Text) else "a number"
            raise self._mismatch(
                f"{kind} where a condition is needed", token, "compare it with something"
            )
        return operand

    # Tests ---------------------------------------------------------------------------------

    def _test(self) -> _Operand:
        start = self._next
        left = self._sum()
        if self._sees("<", "<=", ">", ">=", "=", "!="):
            return self._chain(left, start)
        if self._takes("is"):
            return self._null_test(left, start)
        negated = self._sees("not")
        if negated:
            self._advance()
        if self._takes("between"):
            found: Predicate = self._range(left, start)
        elif self._takes("in"):
            found = self._membership(left, start)
        elif negated:
            raise self._error("expected 'in' or 'between' after 'not'", self._next)
        else:
            return left
        return Not(found) if negated else found

    def _chain(self, left: _Operand, start: Token) -> Predicate:
        links: list[Predicate] = []
        while self._sees("<", "<=", ">", ">=", "=", "!="):
            operator = self._advance()
            here = self._next
            right = self._sum()
            links.append(self._comparison(left, operator, right, start))
            left, start = right, here
        return And(tuple(links)) if len(links) > 1 else links[0]

    def _comparison(
        self, left: _Operand, operator: Token, right: _Operand, start: Token
    ) -> Predicate:
        sign = operator.value
        if isinstance(left, Number | Constant) or (
            isinstance(left, _Text) and isinstance(left.content, str)
        ):
            left, right, sign = right, left, FLIPPED[sign]
        if isinstance(left, _Text) or isinstance(right, _Text):
            return self._text_comparison(left, sign, right, operator)
        if isinstance(left, Flag) and isinstance(right, Flag | Constant):
            self._equality_only(sign, operator, "true/false values")
            if isinstance(right, Constant):
                return left if right.value == (sign == "=") else Not(left)
            return Compare(sign, left.column, right.column)
        return Compare(sign, self._as_number(left, start), self._as_number(right, operator))

    def _text_comparison(
        self, left: _Operand, sign: str, right: _Operand, operator: Token
    ) -> Predicate:
        if not (isinstance(left, _Text) and isinstance(right, _Text)):
            raise self._mismatch(
                "text compared with something that is not text",
                operator,
                "write column names without quotation marks, or in `backticks`",
            )
        self._equality_only(sign, operator, "text")
        match left.content, right.content:
            case Column() as column, str() as literal:
                return Member(column, (literal,), negated=sign == "!=")
            case Column() as column, Column() as other:
                return Compare(sign, column, other)
            case _:
                raise self._mismatch(
                    "two quoted texts compared with each other",
                    operator,
                    "write column names without quotation marks, or in `backticks`",
                )

    def _equality_only(self, sign: str, operator: Token, what: str) -> None:
        if sign not in ("=", "!="):
            raise self._mismatch(f"{what} can be compared with = and != only", operator)

    def _null_test(self, subject: _Operand, start: Token) -> Predicate:
        negated = self._takes("not")
        self._expect("null")
        match subject:
            case Column() as column:
                return IsNull(column, negated)
            case _Text(content=Column() as column) | Flag(column=column):
                return IsNull(column, negated)
            case _:
                raise self._mismatch("'is null' needs a column before it", start)

    def _range(self, subject: _Operand, start: Token) -> Predicate:
        number = self._as_number(subject, start)
        here = self._next
        low = self._as_number(self._sum(), here)
        self._expect("and")
        there = self._next
        high = self._as_number(self._sum(), there)
        if isinstance(low, Number) and isinstance(high, Number) and low.value > high.value:
            raise self._error(
                f"the range from {low.value:g} to {high.value:g} is empty",
                here,
                "write the smaller end first",
            )
        return And((Compare(">=", number, low), Compare("<=", number, high)))

    def _membership(self, subject: _Operand, start: Token) -> Predicate:
        self._expect("(")
        values: list[tuple[_Operand, Token]] = []
        while True:
            here = self._next
            values.append((self._factor(), here))
            if not self._takes(","):
                break
        self._expect(")")
        if isinstance(subject, _Text):
            if isinstance(subject.content, str):
                raise self._mismatch("'in' needs a column before it", start)
            texts = [self._literal_text(value, token) for value, token in values]
            return Member(subject.content, tuple(texts), negated=False)
        number = self._as_number(subject, start)
        return Member(
            number,
            tuple(self._literal_number(value, token) for value, token in values),
            negated=False,
        )

    def _literal_text(self, value: _Operand, token: Token) -> str:
        if isinstance(value, _Text) and isinstance(value.content, str):
            return value.content
        raise self._mismatch("expected quoted text in the list", token)

    def _literal_number(self, value: _Operand, token: Token) -> float:
        if isinstance(value, Number):
            return value.value
        raise self._mismatch("expected a number in the list", token)

    # Numbers -------------------------------------------------------------------------------

    def _as_number(self, operand: _Operand, token: Token) -> Numeric:
        if isinstance(operand, Number | Column | Sum | Product | Quotient):
            return operand
        kind = "text" if isinstance(operand, _Text) else "a true/false value"
        raise self._mismatch(f"{kind} where a number is needed", token)

    def _sum(self) -> _Operand:
        start = self._next
        first = self._product()
        terms: list[Numeric] = []
        while self._sees("+", "-"):
            operator = self._advance()
            here = self._next
            term = self._as_number(self._product(), here)
            terms.append(term if operator.value == "+" else _negative(term))
        return Sum((self._as_number(first, start), *terms)) if terms else first

    def _product(self) -> _Operand:
        start = self._next
        found = self._factor()
        quotients = 0
        while self._sees("*", "/"):
            operator = self._advance()
            here = self._next
            left, right = self._as_number(found, start), self._as_number(self._factor(), here)
            if operator.value == "*":
                factors = left.factors if isinstance(left, Product) else (left,)
                found = Product((*factors, right))
            elif isinstance(right, Number) and right.value != 0 and quotients < MOST_DEPTH:
                found = Quotient(left, right.value)
                quotients += 1
            elif quotients == MOST_DEPTH:
                raise self._error(f"more than {MOST_DEPTH} divisions in a row", operator)
            else:
                raise self._error(
                    "division by something that can be zero",
                    here,
                    "divide only by a number that is not 0",
                )
        return found

    def _factor(self) -> _Operand:
        token = self._advance()
        match token.kind, token.value:
            case TokenKind.NUMBER, value:
                return self._number(float(value), token)
            case TokenKind.TEXT, value:
                return _Text(value)
            case TokenKind.NAME, value:
                return self._column(value, token)
            case TokenKind.WORD, "true" | "false":
                return Constant(token.value == "true")
            case TokenKind.WORD, "-":
                return self._nested(
                    lambda: _negative(self._as_number(self._factor(), token)), token
                )
            case TokenKind.WORD, "(":
                inside = self._nested(self._disjunction, token)
                self._expect(")")
                return inside
            case _:
                raise self._error(f"unexpected {token.value!r}", token)

    def _nested(self, parse_inside: Callable[[], _Operand], token: Token) -> _Operand:
        self._depth += 1
        if self._depth > MOST_DEPTH:
            raise self._error(f"nested more than {MOST_DEPTH} deep", token)
        inside = parse_inside()
        self._depth -= 1
        return inside

    def _number(self, value: float, token: Token) -> Number:
        if not math.isfinite(value):
            raise self._error("a number too large for double precision", token)
        return Number(value)

    def _column(self, name: str, token: Token) -> _Operand:
        match self._schema.columns.get(name):
            case Kind.NUMBER:
                return Column(name)
            case Kind.TEXT:
                return _Text(Column(name))
            case Kind.FLAG:
                return Flag(Column(name), negated=False)
            case Kind.OTHER:
                raise self._mismatch(f"column {name!r} has a type that questions cannot use", token)
            case None:
                raise self._unknown(name, token)

    def _unknown(self, name: str, token: Token) -> QuestionError:
        if name.lower() in NOT_NUMBERS:
            return self._error(
                f"{name} is not a number that a question can use",
                token,
                "use a finite number, or 'is null' for missing values",
            )
        known = list(self._schema.columns)
        near = difflib.get_close_matches(name, known, n=1, cutoff=0.6) or [
            column for column in known if column.lower() == name.lower()
        ]
        listed = ", ".join(known[:8]) + (", …" if len(known) > 8 else "")
        return UnknownColumn(
            problem=f"unknown column {name!r}",
            text=self._text,
            position=token.position,
            length=token.length,
            column=name,
            hint=f"did you mean {near[0]!r}?" if near else f"the columns are {listed}",
        )


def _negative(term: Numeric) -> Numeric:
    """Minus the term: multiplying by −1 is exact."""
    return Number(-term.value) if isinstance(term, Number) else Product((Number(-1.0), term))
