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
from collections.abc import Mapping
from fractions import Fraction
from typing import Protocol, TypeVar, final

from peekproof.core.errors import InvalidInput, QuestionError, UnknownColumn
from peekproof.query.canonical import numeric
from peekproof.query.form import (
    MOST_CELLS,
    USUAL_STEPS,
    Edges,
    Form,
    Given,
    Grouped,
    Histogram,
    Mean,
    Quantile,
    Share,
    Values,
)
from peekproof.query.patterns import HINT, holds, like, read_pattern
from peekproof.query.schema import Kind, Schema
from peekproof.query.times import (
    ACCEPTED,
    DAY,
    MICROSECOND,
    PER_DAY,
    PER_SECOND,
    read_time,
    shown_time,
)
from peekproof.query.tokens import (
    NOT_NUMBERS,
    Cursor,
    Operand,
    Text,
    Time,
    Token,
    TokenKind,
    as_number,
    as_predicate,
    comparison,
    excerpt,
    named,
    negative,
)
from peekproof.query.tree import (
    DAY_FIELDS,
    FIELDS,
    FLIPPED,
    And,
    Clip,
    Column,
    Compare,
    Constant,
    Flag,
    If,
    IsNull,
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
    levels,
)

# Dates and moments in comparisons and sums: they become plain numbers here.
#
# Days subtract to days and moments to seconds. Where a date meets a moment it is its midnight.

_QUOTE = "write dates in quotation marks: '2013-06-01'"


def literal(text: str, token: Token, at: Cursor) -> Time:
    """The date or moment that quoted text stands for."""
    try:
        value, unit = read_time(text)
    except ValueError:
        raise at.error(f"{excerpt(text)} is not a date", token, ACCEPTED) from None
    return Time(Number(value), unit)


def as_time(operand: Operand, token: Token, at: Cursor) -> Time:
    """The operand, if it is a date or quoted text that says one."""
    if isinstance(operand, Time):
        return operand
    if isinstance(operand, Text) and isinstance(operand.content, str):
        return literal(operand.content, token, at)
    if isinstance(operand, Text):
        raise at.mismatch("text where a date is needed", token, _QUOTE)
    as_number(operand, token, at)
    raise at.mismatch("a number where a date is needed", token, _QUOTE)


def moment(time: Time) -> Time:
    """The time in microseconds: a date is its midnight."""
    if time.unit == MICROSECOND:
        return time
    if isinstance(time.tree, Number):
        return Time(Number(time.tree.value * PER_DAY), MICROSECOND)
    return Time(Product((Number(float(PER_DAY)), time.tree)), MICROSECOND)


def alike(*times: Time) -> tuple[Time, ...]:
    """The times in one unit."""
    mixed = len({time.unit for time in times}) > 1
    return tuple(map(moment, times)) if mixed else times


def compared(left: Time, operator: str, right: Time) -> Predicate:
    """`left operator right`, a literal on the right."""
    one, other = alike(left, right)
    if isinstance(one.tree, Number):
        return Compare(FLIPPED[operator], other.tree, one.tree)
    return Compare(operator, one.tree, other.tree)


def shifted(
    left: Operand, start: Token, operator: Token, right: Operand, here: Token, at: Cursor
) -> Operand:
    """`left + right` or `left - right` where one of them may be a date."""
    minus = operator.value == "-"
    if isinstance(left, Time) and isinstance(right, Time | Text):
        if not minus:
            hint = "subtract them for the time between, or add a number"
            raise at.mismatch("two dates added to each other", operator, hint)
        return _between(*alike(left, as_time(right, here, at)))
    if isinstance(right, Time) and minus and isinstance(left, Text):
        return _between(*alike(as_time(left, start, at), right))
    if isinstance(left, Time):
        step = as_number(right, here, at)
        return _moved(left, negative(step) if minus else step)
    if isinstance(right, Time) and not minus:
        return _moved(right, as_number(left, start, at))
    first, second = as_number(left, start, at), as_number(right, here, at)
    return Sum((first, negative(second) if minus else second))


def _between(later: Time, earlier: Time) -> Numeric:
    apart = Sum((later.tree, negative(earlier.tree)))
    return apart if later.unit == DAY else Quotient(apart, Number(float(PER_SECOND)))


def _moved(time: Time, step: Numeric) -> Time:
    if time.unit == DAY:
        return Time(Sum((time.tree, step)), DAY)
    return Time(Sum((time.tree, Product((Number(float(PER_SECOND)), step)))), MICROSECOND)


# What stands between `and` and `or`: comparisons, ranges, lists, patterns, missing values.


def compare(
    left: Operand, start: Token, operator: Token, right: Operand, here: Token, at: Cursor
) -> Predicate:
    """`left operator right`."""
    if isinstance(left, Time) or isinstance(right, Time):
        return compared(as_time(left, start, at), operator.value, as_time(right, here, at))
    return comparison(left, start, operator, right, here, at)


def within(
    subject: Operand, start: Token, low: Operand, here: Token, high: Operand, there: Token,
    at: Cursor,
) -> Predicate:  # fmt: skip
    """`subject between low and high`; the pieces begin at `start`, `here` and `there`."""
    if isinstance(subject, Time) or isinstance(low, Time) or isinstance(high, Time):
        time = as_time(subject, start, at)
        first, last = as_time(low, here, at), as_time(high, there, at)
        one, other = alike(first, last)
        _ordered(one.tree, other.tree, here, at, one.unit)
        return And((compared(time, ">=", first), compared(time, "<=", last)))
    number = as_number(subject, start, at)
    bottom, top = as_number(low, here, at), as_number(high, there, at)
    _ordered(bottom, top, here, at, "")
    return And((Compare(">=", number, bottom), Compare("<=", number, top)))


def _ordered(low: Numeric, high: Numeric, here: Token, at: Cursor, unit: str) -> None:
    if isinstance(low, Number) and isinstance(high, Number) and low.value > high.value:
        ends = [_end(each.value, unit) for each in (low, high)]
        empty = f"the range from {ends[0]} to {ends[1]} is empty"
        raise at.error(empty, here, "write the smaller end first")


def _end(value: float, unit: str) -> str:
    try:
        return shown_time(value, unit) if unit else f"{value:g}"
    except OverflowError:  # no year from 1 to 9999
        return f"{value:g}"


def listed_in(
    subject: Operand, start: Token, listed: list[tuple[Operand, Token]], at: Cursor
) -> Predicate:
    """`subject in (…)`, with the token of every value in the list."""
    if isinstance(subject, Text) and isinstance(subject.content, Column):
        texts = tuple(literal_text(value, token, at) for value, token in listed)
        return Member(subject.content, texts, negated=False)
    if isinstance(subject, Time):
        times = [_literal_time(value, token, at) for value, token in listed]
        plain, *values = alike(subject, *times)
        subject, listed = (
            plain.tree,
            [(time.tree, token) for time, (_, token) in zip(values, listed, strict=True)],
        )
    number = as_number(subject, start, at)
    numbers = tuple(_literal_number(value, token, at) for value, token in listed)
    return Member(number, numbers, negated=False)


def literal_text(value: Operand, token: Token, at: Cursor) -> str:
    """The quoted text."""
    if isinstance(value, Text) and isinstance(value.content, str):
        return value.content
    raise at.mismatch("expected quoted text in the list", token)


def _literal_number(value: Operand, token: Token, at: Cursor) -> float:
    if isinstance(value, Number):
        return value.value
    raise at.mismatch("expected a number in the list", token)


def _literal_time(value: Operand, token: Token, at: Cursor) -> Time:
    time = as_time(value, token, at)
    if isinstance(time.tree, Number):
        return time
    raise at.mismatch("expected a quoted date in the list", token)


def matching(subject: Operand, start: Token, at: Cursor) -> Predicate:
    """`subject like '…'`; the pattern comes next."""
    column = text_column(subject, start, at, "'like'")
    token = at.advance()
    if token.kind is not TokenKind.TEXT:
        raise at.error("expected a quoted pattern after 'like'", token)
    try:
        return like(column, read_pattern(token.value))
    except ValueError:
        problem = "a pattern with _, or with % or \\ in a place that is not supported"
        raise at.error(problem, token, HINT) from None


def text_column(subject: Operand, start: Token, at: Cursor, before: str) -> Column:
    """The column, if the subject is a column of text."""
    if isinstance(subject, Text) and isinstance(subject.content, Column):
        return subject.content
    raise at.mismatch(f"{before} needs a text column", start)


def missing(subject: Operand, start: Token, at: Cursor, *, negated: bool) -> Predicate:
    """`subject is null`, or not."""
    match subject:
        case Text(content=Column() as column) | Flag(column=column):
            return IsNull(column, negated)
        case Time(tree):
            return IsNull(tree, negated)
        case Text():
            raise at.mismatch("'is null' needs a column or a number before it", start)
        case _:
            return IsNull(as_number(subject, start, at), negated)


# Numbers in which no column takes part, and the depth of trees.

Tree = TypeVar("Tree", Numeric, Predicate)

# Canonical form and evaluation recurse over the tree; chains of divisions make it deep.
MOST_LEVELS = 200

PUBLIC = "they must not come from the data: choose them before you look"


def shallow(node: Tree, start: Token, at: Cursor) -> Tree:
    """The node, unless it has too many levels."""
    # Two levels take a token or more, so short questions need no look.
    if 2 * at.size > MOST_LEVELS and sum(1 for _ in levels(node)) > MOST_LEVELS:
        problem = f"a tree of more than {MOST_LEVELS} levels"
        raise at.error(problem, start, "simplify the question")
    return node


def folded(operand: Operand, token: Token, at: Cursor) -> float:
    """The value of a constant, or of arithmetic on constants."""
    value = numeric(shallow(as_number(operand, token, at), token, at))
    if isinstance(value, Number):
        return value.value
    raise at.mismatch("a column where a constant is needed", token, PUBLIC)


def folded_time(operand: Operand, unit: str, token: Token, at: Cursor) -> float:
    """The value of a constant date in this unit."""
    time = as_time(operand, token, at)
    if unit != time.unit:
        time = moment(time)
    if unit != time.unit:
        raise at.mismatch("a date and time where a date is needed", token)
    return folded(time.tree, token, at)


def quotient(dividend: Numeric, divisor: Numeric, token: Token, at: Cursor) -> Quotient:
    """The quotient, unless the divisor is 0 in every row."""
    if not isinstance(divisor, Number) and _is_constant(divisor):
        divisor = numeric(shallow(divisor, token, at))
    if divisor == Number(0.0):
        hint = "divide by something that is not always 0"
        raise at.error("division by 0, which is null in every row", token, hint)
    return Quotient(dividend, divisor)


def _is_constant(node: Numeric) -> bool:
    return not any(isinstance(each, Column) for level in levels(node) for each in level)


# Functions inside conditions and numbers.
#
# call       = "clip" "(" sum "," low "," high ")" | "abs" "(" sum ")"
#            | "coalesce" "(" sum "," constant ")" | "if" "(" predicate "," branch "," branch ")"
#            | ("year" | "month" | "day" | "weekday" | "hour" | "minute" | "second") "(" column ")"
#            | ("startswith" | "endswith" | "contains") "(" column "," text ")"
# case       = "case" "when" predicate "then" branch { "when" predicate "then" branch }
#              ["else" branch] "end"
# branch     = sum | "null"

_PLACES = {"startswith": "begins with", "endswith": "ends with", "contains": "contains"}
_USES = {
    "clip": "clip(x, low, high)",
    "abs": "abs(x)",
    "coalesce": "coalesce(x, constant)",
    "if": "if(condition, x, y)",
    **{field: f"{field}(column)" for field in FIELDS},
    **{name: f"{name}(column, 'text')" for name in _PLACES},
}

NAMES = tuple(_USES)
FORMS = ("share", "mean", "histogram", "quantile")


class Reader(Protocol):
    """The lines of the grammar that arguments need."""

    at: Cursor

    def disjunction(self) -> Operand: ...

    def sum(self) -> Operand: ...


def call(reader: Reader) -> Operand:
    """The call that comes next."""
    at = reader.at
    token = at.advance()
    name = token.value.lower()
    at.enter(token)
    at.expect("(")
    if at.sees(")"):
        raise _wants(name, at)
    if name == "if":
        found: Operand = _choice(reader)
    elif name == "clip":
        found = _clipped(reader)
    elif name == "abs":
        found = _absolute(reader, token)
    elif name == "coalesce":
        found = _coalesced(reader, token)
    elif name in _PLACES:
        found = _match(reader, name)
    else:
        found = _part(reader, name)
    if not at.sees(")"):
        problem = f"expected ')', found {named(at.next)}"
        raise at.error(problem, at.next, f"write {_USES[name]}")
    at.advance()
    at.leave()
    return found


def _choice(reader: Reader) -> If:
    start = reader.at.next
    condition = as_predicate(reader.disjunction(), start, reader.at)
    _comma(reader.at, "if")
    then = _branch(reader)
    _comma(reader.at, "if")
    return If(condition, then, _branch(reader))


def case(reader: Reader) -> Numeric:
    """`case when … end`, which comes next."""
    at = reader.at
    at.enter(at.advance())
    branches: list[tuple[Predicate, Numeric]] = []
    while at.says("when"):
        at.advance()
        start = at.next
        condition = as_predicate(reader.disjunction(), start, at)
        _keyword(at, "then")
        branches.append((condition, _branch(reader)))
    found: Numeric = Missing()
    if at.says("else"):
        at.advance()
        found = _branch(reader)
    _keyword(at, "end")
    at.leave()
    for condition, then in reversed(branches):
        found = If(condition, then, found)
    return found


def _branch(reader: Reader) -> Numeric:
    if reader.at.takes("null"):
        return Missing()
    start = reader.at.next
    return as_number(reader.sum(), start, reader.at)


def _clipped(reader: Reader) -> Clip:
    at = reader.at
    start = at.next
    operand = as_number(reader.sum(), start, at)
    _comma(at, "clip")
    low = _constant(reader)
    _comma(at, "clip")
    here = at.next
    high = _constant(reader)
    if low > high:
        problem = f"high must not be below low = {low:g}, got {high:g}"
        raise at.error(problem, here, "write the smaller bound first")
    return Clip(operand, low, high)


def _constant(reader: Reader) -> float:
    here = reader.at.next
    return folded(reader.sum(), here, reader.at)


def _absolute(reader: Reader, token: Token) -> If:
    at = reader.at
    start = at.next
    number = as_number(reader.sum(), start, at)
    below = Compare("<", at.repeat(number, token), Number(0.0))
    return If(below, negative(at.repeat(number, token)), number)


def _coalesced(reader: Reader, token: Token) -> If:
    at = reader.at
    start = at.next
    number = as_number(reader.sum(), start, at)
    _comma(at, "coalesce")
    constant = Number(_constant(reader))
    return If(IsNull(at.repeat(number, token), negated=False), constant, number)


def _match(reader: Reader, name: str) -> Predicate:
    at = reader.at
    start = at.next
    column = text_column(reader.sum(), start, at, name)
    _comma(at, name)
    written = at.advance()
    if written.kind is not TokenKind.TEXT:
        raise at.mismatch(f"{name} needs quoted text", written, f"write {_USES[name]}")
    return holds(column, _PLACES[name], written.value)


def _part(reader: Reader, field: str) -> Part:
    at = reader.at
    start = at.next
    match reader.sum():
        case Time(tree=Column() as column, unit=unit):
            if unit == DAY and field not in DAY_FIELDS:
                raise at.mismatch(f"a date has no {field}", start)
            return Part(field, column, unit)
        case _:
            raise at.mismatch(f"{field} needs a column of dates or of dates and times", start)


def stated(word: str, time: Time, token: Token, at: Cursor) -> Time:
    """What `date '…'` or `timestamp '…'` says."""
    if word == "timestamp":
        return moment(time)
    if time.unit != DAY:
        raise at.error("a date and time where a date is needed", token, "write timestamp '…'")
    return time


def unknown(name: str, token: Token, at: Cursor) -> QuestionError:
    """A name before a parenthesis that is neither a function nor a column."""
    if name.lower() in FORMS:
        hint = "ask for it alone; it is no number inside a condition"
        return at.error(f"{name}(…) is a question by itself", token, hint)
    near = difflib.get_close_matches(name.lower(), (*NAMES, *FORMS), n=1, cutoff=0.6)
    hint = f"did you mean {near[0]!r}?" if near else f"the functions are {', '.join(NAMES)}"
    return at.error(f"unknown function {excerpt(name)}", token, hint)


def _comma(at: Cursor, name: str) -> None:
    if at.sees(")"):
        raise _wants(name, at)
    at.expect(",")


def _keyword(at: Cursor, word: str) -> None:
    if not at.says(word):
        hint = "write case when … then … else … end"
        raise at.error(f"expected {word!r}, found {named(at.next)}", at.next, hint)
    at.advance()


def _wants(name: str, at: Cursor) -> QuestionError:
    return at.error(f"{name} needs more arguments: {_USES[name]}", at.next)


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
        if self.at.opens(*NAMES):
            return call(self)
        if self.at.says("case") and self.at.follows("when"):
            return case(self)
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
                raise self.at.error(self._unexpected(token), token)

    def _unexpected(self, token: Token) -> str:
        said = self.at.text[: token.position].split()
        if token.kind is not TokenKind.END:
            return f"unexpected {named(token)}"
        return f"the question ends after {excerpt(said[-1])}" if said else "the question is empty"

    def _number(self, value: float, token: Token) -> Number:
        if not math.isfinite(value):
            raise self.at.error("a number too large for double precision", token)
        return Number(value)

    def _named(self, name: str, token: Token) -> Operand:
        bare = token.length == len(name)
        if bare and name.lower() in ("date", "timestamp") and self.at.next.kind is TokenKind.TEXT:
            written = self.at.advance()
            return stated(name.lower(), literal(written.value, written, self.at), written, self.at)
        if bare and self.at.sees("(") and name not in self._schema.columns:
            raise unknown(name, token, self.at)
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


# Reading the cells of a histogram, or those behind `by`.
#
# cells      = "(" constant { "," constant } ")" | "bins" "(" low "," high "," count ")"
#
# Without cells, a text column has its declared categories, and a true/false column both values.


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


# Reading a whole question: a condition, or one of four forms with its arguments.
#
# question   = asked [ ("given" | "where") predicate | "by" factor [cells] ]
#            | "histogram" "(" sum ["," cells ["," (mean | predicate)]] ")"
#            | "quantile" "(" sum "," level "," low "," high ["," steps] ")"
# asked      = predicate | "share" "(" predicate ")" | mean
# mean       = "mean" "(" sum "," low "," high ["," missing] ")"
#
# The arguments behind the first are constants; arithmetic on constants is one too.

_WANTS = {
    "mean": "mean needs bounds: mean({}, low, high)",
    "histogram": "histogram needs a list of cells: histogram({}, (…))",
    "quantile": "quantile needs a level and bounds: quantile({}, level, low, high)",
}
_NOT_BOTH = "ask for cells with a condition: histogram(column, cells, condition)"


def read(text: str, schema: Schema) -> Form:
    """The form that `text` says, as written (see `canonical_form` for its normal form)."""
    at = Cursor(text)
    if at.finished:
        raise at.error("the question is empty", at.next, "write a condition such as age > 50")
    name = at.next.value.lower() if at.opens(*FORMS) else ""
    reader = _Reader(at, schema)
    form = reader.form(name)
    if isinstance(form, Share | Mean):
        form = reader.among(form)
    if not at.finished:
        hint = f"{name}(…) is a question by itself" if name else ""
        if isinstance(form, Given | Grouped) and at.says("by", "given", "where"):
            hint = _NOT_BOTH
        raise at.error(f"unexpected {excerpt(at.next.value)}", at.next, hint)
    return form


@final
class _Reader:
    """One method a form."""

    def __init__(self, at: Cursor, schema: Schema) -> None:
        self._at = at
        self._schema = schema
        self._parser = Parser(at, schema)
        self._lister = Lister(self._parser, schema)

    def form(self, name: str) -> Form:
        if not name:
            return Share(self._predicate())
        if name == "mean":
            return self._mean()
        self._at.advance()
        self._at.expect("(")
        match name:
            case "histogram":
                form: Form = self._histogram()
            case "quantile":
                form = self._quantile()
            case _:
                form = Share(self._predicate())
        self._at.expect(")")
        return form

    def among(self, form: Share | Mean) -> Form:
        """The form, or what it asks for among some rows or within cells."""
        if self._at.says("given", "where"):
            self._at.advance()
            return Given(form, self._predicate())
        if not self._at.says("by"):
            return form
        self._at.advance()
        start = self._at.next
        subject = self._grouping()
        if self._lister.listed:
            cells = self._lister.cells(subject, start)
        else:
            written = self._at.since(start)
            cells = self._lister.declared(
                subject, start, f"by {written} needs cells: by {written} (…)"
            )
        return Grouped(cells, form.predicate if isinstance(form, Share) else form)

    def _grouping(self) -> Operand:
        """What stands behind `by`: a column, even before a "(", which then opens the cells."""
        token = self._at.next
        if token.kind is TokenKind.NAME and token.value in self._schema.columns:
            return self._parser.column(token.value, self._at.advance())
        return self._parser.factor()

    def _mean(self) -> Mean:
        self._at.advance()
        self._at.expect("(")
        operand, written = self._operand()
        self._comma("mean", written)
        low, _ = self._constant()
        self._comma("mean", written)
        high, here = self._constant()
        places = {"high": here}
        missing = None
        if self._at.takes(","):
            missing, places["missing"] = self._constant()
        self._at.expect(")")
        try:
            return Mean(operand, low, high, missing)
        except InvalidInput as error:
            raise pointing(error, places, self._at) from None

    def _quantile(self) -> Quantile:
        operand, written = self._operand()
        places: dict[str, Token] = {}
        self._comma("quantile", written)
        level, places["level"] = self._constant()
        self._comma("quantile", written)
        low, _ = self._constant()
        self._comma("quantile", written)
        high, places["high"] = self._constant()
        steps, places["steps"] = float(USUAL_STEPS), places["high"]
        if self._at.takes(","):
            steps, places["steps"] = self._constant()
        if not steps.is_integer():
            raise self._at.error(f"a number of steps that is not whole: {steps:g}", places["steps"])
        try:
            # A level stands for the decimal it prints as: 0.1 is 1/10, not its nearest double.
            return Quantile(operand, Fraction(repr(level)), low, high, int(steps))
        except InvalidInput as error:
            raise pointing(error, places, self._at) from None

    def _histogram(self) -> Histogram:
        start = self._at.next
        subject = self._parser.disjunction()
        written = self._at.since(start)
        if self._at.sees(")"):
            wanted = _WANTS["histogram"].format(written)
            return Histogram(self._lister.declared(subject, start, wanted))
        by = self._cells(subject, start, written)
        if not self._at.takes(","):
            return Histogram(by)
        if self._at.opens("mean"):
            return Histogram(by, self._mean())
        return Histogram(by, self._predicate())

    def _cells(self, subject: Operand, start: Token, written: str) -> Edges | Values:
        self._at.expect(",")
        if not self._lister.listed:
            raise self._wants("histogram", written)
        return self._lister.cells(subject, start)

    # Arguments ------------------------------------------------------------------------------

    def _predicate(self) -> Predicate:
        start = self._at.next
        found = as_predicate(self._parser.disjunction(), start, self._at)
        return shallow(found, start, self._at)

    def _operand(self) -> tuple[Numeric, str]:
        start = self._at.next
        operand = as_number(self._parser.disjunction(), start, self._at)
        return shallow(operand, start, self._at), self._at.since(start)

    def _comma(self, name: str, written: str) -> None:
        """Steps over a comma; if the arguments end here, says which ones are missing."""
        if self._at.sees(")"):
            raise self._wants(name, written)
        self._at.expect(",")

    def _constant(self) -> tuple[float, Token]:
        here = self._at.next
        return folded(self._parser.sum(), here, self._at), here

    def _wants(self, name: str, written: str) -> QuestionError:
        return self._at.error(_WANTS[name].format(written), self._at.next, PUBLIC)
