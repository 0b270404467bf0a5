"""Compiler from canonical trees to Ibis expressions: predicates as 0 or 1, and numbers.

Both are computed row by row. A column of numbers, dates or moments is a double here, a column of
text a string, a column of flags a boolean. Unknown counts as false, so that 0 and 1 are enough,
and they are joined as integers, or by a function: AND and OR may stop early, and then how long a
question takes tells how many rows match.

Expressions are made on a `Ground` of literals, cases and functions of the engine. `Operations` are
what engines do each in their own way.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from operator import add, and_, eq, ge, gt, le, lt, mul, ne, or_
from typing import Any, final

import ibis

from peekproof.query.schema import Kind
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

Value = Any  # Ibis gives its expressions their methods by type, which no checker follows.


class Ground:
    """Expressions of Ibis with their literals in them."""

    def literal(self, value: Any, kind: str) -> Value:
        """A value that a question gives, or that follows from one."""
        return self.fixed(value, kind)

    def fixed(self, value: Any, kind: str) -> Value:
        """A value that is the same for all questions of a shape."""
        return ibis.literal(value, type=kind)

    def null(self, kind: str) -> Value:
        """No value."""
        return ibis.null(kind)

    def cases(self, cases: Sequence[tuple[Value, Value]], otherwise: Value) -> Value:
        """The value of the first case whose condition is true."""
        return ibis.cases(*cases, else_=otherwise)

    def call(self, name: str, signature: str, *arguments: Value) -> Value:
        """A function of the engine, with types such as "string, int32 > boolean"."""
        return _function(name, signature)(*arguments)


@cache
def _function(name: str, signature: str) -> Any:
    given, _, result = signature.partition(" > ")
    kinds = tuple(ibis.dtype(kind) for kind in given.split(", "))
    unnamed = _UNNAMED[len(kinds)]
    return ibis.udf.scalar.builtin(unnamed, name=name, signature=(kinds, ibis.dtype(result)))


# Ibis reads the number of arguments off a function.
_UNNAMED: dict[int, Any] = {
    1: lambda _: ...,
    2: lambda _, _a: ...,
    3: lambda _, _a, _b: ...,
}


Operand = Value | float  # a float is the same in all rows

NAN = float("nan")
FEW_TEXTS = 32  # that are tried one after the other


class Operations:
    """IEEE arithmetic on doubles, and search in text code point by code point.

    What an operation is given it says once: expressions do not grow with every level. All that
    this package does with expressions is a method of theirs or goes through this class.

    The defaults fit engines whose doubles are IEEE's. Everywhere NaN equals itself and is above
    every number, as in DuckDB, PostgreSQL and Spark. An operand may be NaN or null, and both mean
    that it is missing.
    """

    # Whether operands of arithmetic must have null for NaN.
    null_operands = False
    # Whether `both` is faster than to join 0 and 1.
    joins = False

    def __init__(self, ground: Ground | None = None) -> None:
        self.ground = ground or Ground()

    def double(self, value: float) -> Value:
        """A double that a question gives."""
        return self.ground.literal(float(value), "float64")

    def text(self, text: str) -> Value | None:
        """A text that a question gives; None if no row of this engine can hold it."""
        return self.ground.literal(text, "string")

    def constant(self, value: float) -> Value:
        """A double that is the same for all questions."""
        return self.ground.fixed(value, "float64")

    def whole(self, value: int) -> Value:
        """A whole number of 32 bits, whose sums are exact in 64."""
        return self.ground.fixed(value, "int32")

    def long(self, value: int) -> Value:
        """A whole number of 64 bits."""
        return self.ground.fixed(value, "int64")

    def missing(self) -> Value:
        """A double that is null."""
        return self.ground.null("float64")

    def cases(self, *cases: tuple[Value, Value], otherwise: Value) -> Value:
        """The value of the first case whose condition is true."""
        return self.ground.cases(cases, otherwise)

    def operand(self, value: Operand) -> Value:
        """The operand as an expression."""
        return self.double(value) if isinstance(value, float) else value

    def without_nan(self, number: Value) -> Value:
        """The number with null for NaN."""
        return number.nullif(self.constant(NAN))

    def total(self, terms: Sequence[Operand]) -> Value:
        """The sum from left to right."""
        return reduce(add, map(self.operand, terms))

    def product(self, factors: Sequence[Operand]) -> Value:
        """The product from left to right."""
        return reduce(mul, map(self.operand, factors))

    def quotient(self, dividend: Operand, divisor: Operand) -> Value:
        """The quotient, missing where the divisor is 0."""
        if isinstance(divisor, float):
            return self.operand(dividend) / self.double(divisor)  # 0 does not occur here
        return self.operand(dividend) / divisor.nullif(self.constant(0.0))

    def fraction(self, part: Value, width: float) -> Value:
        """`part` / `width`, for 0 <= part <= width."""
        return part / self.double(width)

    def divided(self, dividend: Value, divisor: int) -> Value:
        """The quotient of whole numbers, rounded down or exact: it is not negative, or whole."""
        return dividend // self.long(divisor)

    def both(self, left: Value, right: Value) -> Value:
        """True where both conditions are, null or false elsewhere; never stops early."""
        one, none = self.whole(1), self.whole(0)
        return (left.ifelse(one, none) & right.ifelse(one, none)) == one

    def same(self, left: Value, right: Value) -> Value:
        """Whether two texts are the same; null if one is missing."""
        return left == right

    def among(self, text: Value, values: Sequence[Value]) -> Value:
        """Whether a text is one of several; null if it is missing."""
        return text.isin(values)

    def begins(self, text: Value, start: Value) -> Value:
        """Whether `text` begins with `start`."""
        return text.startswith(start)

    def ends(self, text: Value, end: Value) -> Value:
        """Whether `text` ends with `end`."""
        return text.endswith(end)

    def contains(self, text: Value, part: Value) -> Value:
        """Whether `part` occurs in `text`."""
        return text.contains(part)

    def rank(self, number: Value, edges: Sequence[float]) -> Value:
        """How many of the increasing `edges` are at most `number`, which is not NaN.

        By halves, so that every row takes as many comparisons. What null gives is not said.
        """

        def between(first: int, last: int) -> Value:
            if first == last:
                return self.whole(first)
            middle = (first + last) // 2
            below = number < self.double(edges[middle])
            return below.ifelse(between(first, middle), between(middle + 1, last))

        return between(0, len(edges))

    def place(self, text: Value, values: Sequence[str]) -> Value:
        """The number of `text` among `values`; how many there are if it is none of them.

        The values are sorted by code points, which is the order of their bytes in UTF-8.
        """
        none = self.whole(len(values))

        def between(first: int, last: int) -> Value:
            if last - first > FEW_TEXTS:
                middle = (first + last) // 2
                below = text < self.text(values[middle])
                return below.ifelse(between(first, middle), between(middle, last))
            listed = ((self.text(values[code]), code) for code in range(first, last))
            known = [(held, code) for held, code in listed if held is not None]
            cases = [(self.same(text, held), self.whole(code)) for held, code in known]
            return self.cases(*cases, otherwise=none) if cases else none

        return between(0, len(values))


_ERA = 146_097  # days of 400 years
_ERAS = 20_000  # more days than 32 bits count
_TO_1970 = 719_468  # from 0000-03-01
_DAY = 86_400_000_000
# The last moments of 64 bits are 2⁶³ as a double, which 64 bits do not hold. In every field they
# are like the double before.
_BEYOND, _LAST = 2.0**63, 2.0**63 - 1024
_CLOCK = {"hour": (3_600_000_000, 24), "minute": (60_000_000, 60), "second": (1_000_000, 60)}
_YEARS = 2_939_745, 2**32
_MONTHS = 2_141, 197_913, 2**16
_JANUARY = 306  # its first day, counted from 1 March


def part(number: Value, field: str, unit: str, does: Operations) -> Value:
    """A field, as a double, of a double number of days or microseconds since 1970-01-01 UTC.

    Fields are computed by whole numbers, which every engine divides alike. Days are counted from a
    1 March of a year that is a multiple of 400, so far back that no count is negative. With the
    leap day at the end of a year, centuries, years of a century, months and days are linear
    functions of a count, rounded down: (4·n + 3)/146097 is the century of day n, (4·n + 3)/1461
    the year of day n of a century, and (2141·n + 197913)/2¹⁶ the month of day n of a year, 3 for
    March and 13 for January. The division by 1461 is a multiplication by 2939745/2³², whose
    remainder gives the day of the year. So every field says its operand a few times only.
    """
    if unit == "day":
        return _of_days(number.cast("int64"), field, does).cast("float64")
    beyond = number >= does.constant(_BEYOND)
    count = beyond.ifelse(does.constant(_LAST), number).cast("int64")
    day = does.long(_DAY)
    clock = (count % day + day) % day  # the sign of a remainder is the dividend's
    if field in _CLOCK:
        size, many = _CLOCK[field]
        return (does.divided(clock, size) % does.long(many)).cast("float64")
    return _of_days(does.divided(count - clock, _DAY), field, does).cast("float64")


def _of_days(days: Value, field: str, does: Operations) -> Value:
    """The field of whole days since 1970-01-01."""
    shifted = days + does.long(_TO_1970 + _ERAS * _ERA)
    if field == "weekday":
        # The count starts with a Wednesday, and an era is a whole number of weeks.
        return (shifted + does.long(2)) % does.long(7) + does.long(1)
    factor, scale = _YEARS
    quarters = shifted * does.long(4) + does.long(3)
    day_of_century = does.divided(quarters % does.long(_ERA), 4)
    scaled = (day_of_century * does.long(4) + does.long(3)) * does.long(factor)
    day_of_year = does.divided(scaled % does.long(scale), 4 * factor)
    if field == "year":
        years = does.divided(quarters, _ERA) * does.long(100) + does.divided(scaled, scale)
        late = (day_of_year >= does.long(_JANUARY)).ifelse(does.long(1), does.long(0))
        return years - does.long(400 * _ERAS) + late
    month = day_of_year * does.long(_MONTHS[0]) + does.long(_MONTHS[1])
    if field == "month":
        # 3 for March to 14 for February.
        return (does.divided(month, _MONTHS[2]) + does.long(11)) % does.long(12) + does.long(1)
    return does.divided(month % does.long(_MONTHS[2]), _MONTHS[0]) + does.long(1)


_COMPARE = {"<": lt, "<=": le, ">": gt, ">=": ge, "=": eq, "!=": ne}
# −x < −c is x > c, but not for NaN: that is above every number, also with a minus.
_MIRRORED = {">": lt, ">=": le}


@final
@dataclass(frozen=True, slots=True)
class Scope:
    """What trees are compiled for: columns by name, which may hold NaN, and an engine."""

    column: Callable[[str], Value]
    kind: Callable[[str], Kind]
    with_nan: Callable[[str], bool]
    does: Operations


def truth(node: Predicate, scope: Scope) -> Value:
    """1 where a canonical predicate is true and 0 where it is false or unknown."""
    does = scope.does
    match node:
        case And(terms) if does.joins:
            held = [_joined(term, scope) for term in terms]
            known = [each for each in held if each is not None]
            if len(known) < len(held):
                return does.whole(0)
            return reduce(does.both, known).ifelse(does.whole(1), does.whole(0))
        case And(terms):
            return reduce(and_, (truth(term, scope) for term in terms))
        case Or(terms):
            return reduce(or_, (truth(term, scope) for term in terms))
        case Constant(value):
            return does.whole(int(value))
        case _:
            found = _atom(node, scope)
            if found is None:
                return does.whole(0)
            return found.ifelse(does.whole(1), does.whole(0))


def _joined(node: Predicate, scope: Scope) -> Value | None:
    """A term of a conjunction as a condition; None if no row of this engine can make it true."""
    if isinstance(node, And | Or | Constant):
        return truth(node, scope) == scope.does.whole(1)
    return _atom(node, scope)


def _atom(node: Predicate, scope: Scope) -> Value | None:
    """The three-valued truth of an atom; None if no row of this engine can make it true."""
    does = scope.does
    match node:
        case Compare(operator, left, right):
            return _compared(operator, left, right, scope)
        case Member(Column(name), values, negated) if isinstance(values[0], str):
            texts = [does.text(str(value)) for value in values]
            return _negated(_listed(scope.column(name), texts, scope), name, negated, scope)
        case Member(subject, values, negated):
            # What is listed is finite, so NaN is never in the list, but outside of every one.
            held = number(subject, scope) if negated else _plain(subject, scope)
            listed = [does.double(float(value)) for value in values]
            found = held == listed[0] if len(listed) == 1 else held.isin(listed)
            return ~found if negated else found
        case Matches(Column(name), where, text, negated):
            return _negated(_matched(scope.column(name), where, text, does), name, negated, scope)
        case IsNull(operand, negated):
            value = number(operand, scope)
            return value.notnull() if negated else value.isnull()
        case Flag(Column(name), negated):
            return ~scope.column(name) if negated else scope.column(name)
        case _:
            raise TypeError(f"{type(node).__name__} does not occur in a canonical predicate")


def _negated(found: Value | None, name: str, negated: bool, scope: Scope) -> Value | None:
    if found is None:
        return scope.column(name).notnull() if negated else None
    return ~found if negated else found


def _compared(operator: str, left: Numeric, right: Numeric, scope: Scope) -> Value:
    does = scope.does
    if isinstance(right, Number):
        if operator in _MIRRORED:
            mirrored = -_plain(left, scope)
            return _MIRRORED[operator](mirrored, does.double(-right.value))
        held = _plain(left, scope) if operator in ("<", "<=") else number(left, scope)
        return _COMPARE[operator](held, does.double(right.value))
    first, second = number(left, scope), number(right, scope)
    if isinstance(left, Column) and scope.kind(left.name) is Kind.TEXT:
        same = does.same(first, second)
        return same if operator == "=" else ~same
    return _COMPARE[operator](first, second)


def _listed(text: Value, literals: list[Value | None], scope: Scope) -> Value | None:
    held = [each for each in literals if each is not None]
    if not held:
        return None
    return scope.does.same(text, held[0]) if len(held) == 1 else scope.does.among(text, held)


def _matched(column: Value, where: str, text: str, does: Operations) -> Value | None:
    wanted = does.text(text)
    if wanted is None:
        return None
    search = {"begins with": does.begins, "ends with": does.ends, "contains": does.contains}
    return search[where](column, wanted)


def number(node: Numeric, scope: Scope) -> Value:
    """A canonical number, or a column of any kind; null where it is missing."""
    match node:
        case Column(name):
            held = scope.column(name)
            return scope.does.without_nan(held) if scope.with_nan(name) else held
        case Sum() | Product() | Quotient():
            return scope.does.without_nan(_plain(node, scope))
        case _:
            return _plain(node, scope)


def _plain(node: Numeric, scope: Scope) -> Value:
    """The same, with NaN or null where it is missing."""
    does = scope.does
    match node:
        case Number(value):
            return does.double(value)
        case Column(name):
            return scope.column(name)
        case Sum(terms):
            return does.total([_operand(term, scope) for term in terms])
        case Product(factors):
            return does.product([_operand(factor, scope) for factor in factors])
        case Quotient(dividend, divisor):
            return does.quotient(_operand(dividend, scope), _operand(divisor, scope))
        case Missing():
            return does.missing()
        case Clip(operand, low, high):
            return clipped(number(operand, scope), low, high, does.missing(), does)
        case If(condition, then, otherwise):
            chosen = truth(condition, scope) == does.whole(1)
            return chosen.ifelse(number(then, scope), number(otherwise, scope))
        case Part(field, Column(name), unit):
            return part(scope.column(name), field, unit, does)


def _operand(node: Numeric, scope: Scope) -> Operand:
    if isinstance(node, Number):
        return node.value
    return number(node, scope) if scope.does.null_operands else _plain(node, scope)


def clipped(held: Value, low: float, high: float, missing: Value, does: Operations) -> Value:
    """A number without NaN moved into [low, high], and `missing` for null."""
    both = "float64, float64 > float64"
    # These two pass over nulls, so what is null is told apart first.
    raised = does.ground.call("greatest", both, held, does.double(low))
    inside = does.ground.call("least", both, raised, does.double(high))
    return held.isnull().ifelse(missing, inside)
