"""IEEE arithmetic for PostgreSQL, which raises errors where doubles overflow or underflow.

An error would tell the analyst about the rows. So every operation is done only where it cannot
raise one, and where it would, what IEEE says is said instead. `Guarded` does this for columns, and
a few functions find from where on arithmetic with one constant leaves the finite doubles, or falls
to 0. `PostgresOperations` are all operations as PostgreSQL does them.

Operands are columns or constants (see `Levels` in `data.sql.statement`), without NaN. Let
u = 2⁻¹⁰⁷⁴ be the smallest double, and let a result overflow if it is rounded to 2¹⁰²⁴ or more
where exponents have no bound, and vanish if it is at most u/2.

Sums. Where all terms are at most 2⁹⁰⁰, no sum of so few overflows. Else the partial sums are
compared on a scale of 2⁻⁶⁴, where none overflows: a sum of scaled terms is rounded as the sum of
the terms is, except that scaling may round away what is below 2⁻⁸⁰⁰ (it is dropped altogether),
which no partial sum near the bound can feel: it is lost for good in whatever it is added to that
is 2⁶⁰ times as large. The first that reaches 2⁹⁶⁰ is the first that overflows.

Products. Of two factors from 2⁻⁵⁰⁰ to 2⁵⁰⁰ none overflows or vanishes. Of two that are at least
1, the product overflows if that of the factors scaled by 2⁻⁵¹² is at least 1; scaling is exact
and the rounding the same. Of two below 1 it vanishes if the exact product of the factors scaled
by 2⁵³⁷ is at most ½. Rounded, that decides unless it is ½ itself; then the sign of the rounding
error decides, which is found exactly by splitting both factors into halves of 26 bits.

Quotients. If the dividend is at least 1 and the divisor less than 1, it overflows if the quotient
on a scale of 2⁻¹⁰²⁴ is at least 1; if both are less than 1, the divisor has to be below 2⁻⁵¹², and
the quotient on a scale of 2⁻⁵¹² at least 2⁵¹². It vanishes if it is at most ½ on a scale of 2¹⁰⁷⁴:
a quotient of two numbers of 53 bits that is above ½ is above by more than half a unit in the last
place.
"""

import math
from collections.abc import Callable, Sequence
from functools import reduce
from itertools import accumulate
from operator import add, and_, mul, or_
from sys import float_info
from typing import Final

from peekproof.data.sql.compile import FEW_TEXTS, Operand, Operations, Value

_LARGEST = float_info.max
_HALF_SMALLEST = 2.0**-537, 2.0**-538  # their product is half of the smallest double


def last_finite_product(factor: float) -> float:
    """The largest x with a finite x·|factor|, for |factor| > 1."""
    return _largest(_LARGEST / abs(factor), lambda x: math.isfinite(x * abs(factor)))


def last_zero_product(factor: float) -> float:
    """The largest x with x·|factor| rounded to 0, for 0 < |factor| < 1."""
    start = _HALF_SMALLEST[0] / abs(factor) * _HALF_SMALLEST[1]
    return _largest(start, lambda x: x * abs(factor) == 0.0)


def last_finite_dividend(divisor: float) -> float:
    """The largest x with a finite x/|divisor|, for 0 < |divisor| < 1."""
    return _largest(_LARGEST * abs(divisor), lambda x: math.isfinite(x / abs(divisor)))


def last_zero_dividend(divisor: float) -> float:
    """The largest x with x/|divisor| rounded to 0, for |divisor| > 1."""
    start = _HALF_SMALLEST[0] * abs(divisor) * _HALF_SMALLEST[1]
    return _largest(start, lambda x: x / abs(divisor) == 0.0)


def last_infinite_divisor(dividend: float) -> float:
    """The largest x >= 0 with |dividend|/x beyond all doubles, or 0; the dividend is not 0."""
    start = abs(dividend) / _LARGEST
    return _largest(start, lambda x: x == 0.0 or math.isinf(abs(dividend) / x))


def last_divisor(dividend: float) -> float:
    """The largest finite x with |dividend|/x not rounded to 0."""
    if abs(dividend) / _LARGEST != 0.0:
        return _LARGEST
    start = abs(dividend) / _HALF_SMALLEST[0] / _HALF_SMALLEST[1]
    return _largest(min(start, _LARGEST), lambda x: x == 0.0 or abs(dividend) / x != 0.0)


def _largest(start: float, holds: Callable[[float], bool]) -> float:
    """The largest double, of those that are at least 0, for which a monotone condition holds.

    `start` is within a few roundings of it.
    """
    found = start
    while not holds(found):
        found = math.nextafter(found, 0.0)
    while holds(after := math.nextafter(found, math.inf)) and after < math.inf:
        found = after
    return found


INFINITY: Final = float("inf")
_LOW, _HIGH = 2.0**-500, 2.0**500
_SAFE = 2.0**900
_UNFELT = 2.0**969  # the largest double is the same with less than half its last place added
_SPLIT = 2.0**27 + 1


class Guarded(Operations):
    """Arithmetic that raises no error, on columns and constants."""

    null_operands = True

    def total(self, terms: Sequence[Operand]) -> Value:
        values = [self.operand(term) for term in terms]
        plain = reduce(add, values)
        constants = [abs(term) for term in terms if isinstance(term, float)]
        if len(terms) == 2 and constants and constants[0] < _UNFELT:
            return plain
        varying = [term for term in terms if not isinstance(term, float)]
        safe = reduce(and_, (self._at_most(value.abs(), _SAFE) for value in varying))
        absent = reduce(or_, (value.isnull() for value in varying))
        if any(constant > _SAFE for constant in constants):
            cases = [(absent, self.missing())]
        else:
            cases = [(safe, plain), (absent, self.missing())]
        partial = [*accumulate(map(self._scaled, values), add)]
        for number, held in enumerate(partial):
            beyond = [held * self.constant(INFINITY), *values[number + 1 :]]
            cases.append((held.abs() >= self.constant(2.0**960), reduce(add, beyond)))
        return self.cases(*cases, otherwise=plain)

    def _scaled(self, value: Value) -> Value:
        tiny = value.abs() < self.constant(2.0**-800)
        return tiny.ifelse(self.constant(0.0), value * self.constant(2.0**-64))

    def product(self, factors: Sequence[Operand]) -> Value:
        first, second = factors
        if isinstance(first, float):
            return self._multiple(first, second)
        if isinstance(second, float):
            return self._multiple(second, first)
        plain, large, small = first * second, first.abs(), second.abs()
        one = self.constant(1.0)
        beyond = self._times(large, small, 2.0**-512) >= one
        product, half = self._times(large, small, 2.0**537), self.constant(0.5)
        return self.cases(
            (self._usual(large) & self._usual(small), plain),
            (self._plain_factor(first) | self._plain_factor(second), plain),
            (
                (large >= one) & (small >= one),
                self.cases((beyond, self._infinite(first, second)), otherwise=plain),
            ),
            ((large >= one) | (small >= one), plain),
            (product < half, self.constant(0.0)),
            (product > half, plain),
            (self._excess(large, small) <= self.constant(0.0), self.constant(0.0)),
            otherwise=plain,
        )

    def _plain_factor(self, value: Value) -> Value:
        """Products with 0 and ∞ raise no error, and are missing where they should be."""
        return (value == self.constant(0.0)) | (value.abs() == self.constant(INFINITY))

    def _times(self, first: Value, second: Value, scale: float) -> Value:
        return (first * self.constant(scale)) * (second * self.constant(scale))

    def _excess(self, first: Value, second: Value) -> Value:
        """The exact product of the factors scaled by 2⁵³⁷, which is nearly ½, less ½."""
        heads, tails = [], []
        for value in (first, second):
            scaled = value * self.constant(2.0**537)
            spread = scaled * self.constant(_SPLIT)
            head = spread - (spread - scaled)
            heads.append(head)
            tails.append(scaled - head)
        crossed = heads[0] * tails[1], tails[0] * heads[1]
        ordered = reduce(mul, heads) - self.constant(0.5), *crossed, reduce(mul, tails)
        return reduce(add, ordered)

    def _multiple(self, factor: float, value: Value) -> Value:
        plain = self.double(factor) * value
        if abs(factor) in (0.0, 1.0):
            return plain
        size = value.abs()
        if abs(factor) > 1.0:
            last = self.double(last_finite_product(factor))
            return (size > last).ifelse(self._signed(factor, value), plain)
        last = self.double(last_zero_product(factor))
        return (size <= last).ifelse(self.constant(0.0), plain)

    def quotient(self, dividend: Operand, divisor: Operand) -> Value:
        if isinstance(divisor, float):
            return self._divided(dividend, divisor)
        if isinstance(dividend, float):
            return self._reciprocal(dividend, divisor)
        return self._ratio(dividend, divisor)

    def _divided(self, value: Value, divisor: float) -> Value:
        plain = value / self.double(divisor)
        if abs(divisor) == 1.0:
            return plain
        size = value.abs()
        if abs(divisor) < 1.0:
            last = self.double(last_finite_dividend(divisor))
            return (size > last).ifelse(self._signed(divisor, value), plain)
        last = self.double(last_zero_dividend(divisor))
        return (size <= last).ifelse(self.constant(0.0), plain)

    def _reciprocal(self, dividend: float, value: Value) -> Value:
        zero = self.constant(0.0)
        if dividend == 0.0:
            return (value != zero).ifelse(zero, self.missing())
        size = value.abs()
        return self.cases(
            (value == zero, self.missing()),
            (
                size <= self.double(last_infinite_divisor(dividend)),
                self._signed(dividend, value),
            ),
            (size > self.double(last_divisor(dividend)), zero),
            otherwise=self.double(dividend) / value,
        )

    def _ratio(self, first: Value, second: Value) -> Value:
        plain, above, below = first / second, first.abs(), second.abs()
        zero, one, infinite = (self.constant(each) for each in (0.0, 1.0, INFINITY))
        certain = (above >= self.constant(2.0**512)) & (below < self.constant(2.0**-512))
        large = (above * self.constant(2.0**-512)) / (below * self.constant(2.0**512)) >= one
        small = (above * self.constant(2.0**537)) / (below * self.constant(2.0**-537))
        inside = self.cases(
            (certain, self._infinite(first, second)),
            (large, self._infinite(first, second)),
            otherwise=plain,
        )
        steep = above / (below * self.constant(2.0**512)) >= self.constant(2.0**512)
        tiny = steep.ifelse(self._infinite(first, second), plain)
        return self.cases(
            (second.isnull() | (second == zero), self.missing()),
            (self._usual(above) & self._usual(below), plain),
            ((above == infinite) & (below == infinite), self.missing()),
            ((first == zero) | (below == infinite), first * zero),
            (above == infinite, plain),
            ((above >= one) & (below < one), inside),
            ((above < one) & (below < self.constant(2.0**-512)), tiny),
            ((above < one) & (below >= one) & (small <= self.constant(0.5)), zero),
            otherwise=plain,
        )

    def fraction(self, part: Value, width: float) -> Value:
        if width <= 1.0:
            return part / self.double(width)
        last = self.double(last_zero_dividend(width))
        return (part <= last).ifelse(self.constant(0.0), part / self.double(width))

    def _at_most(self, size: Value, bound: float) -> Value:
        return size <= self.constant(bound)

    def _usual(self, size: Value) -> Value:
        return (size >= self.constant(_LOW)) & (size <= self.constant(_HIGH))

    def _signed(self, factor: float, value: Value) -> Value:
        """±∞ with the sign of a product that is not 0."""
        return value * self.constant(INFINITY if factor > 0.0 else -INFINITY)

    def _infinite(self, first: Value, second: Value) -> Value:
        zero = self.constant(0.0)
        same = (first > zero) == (second > zero)
        return same.ifelse(self.constant(INFINITY), self.constant(-INFINITY))


_BUCKET = "width_bucket"


class PostgresOperations(Guarded):
    """Guarded arithmetic, and search by halves in arrays."""

    joins = True

    def both(self, left: Value, right: Value) -> Value:
        return self.ground.call("booland_statefunc", "boolean, boolean > boolean", left, right)

    def text(self, text: str) -> Value | None:
        # No text of PostgreSQL holds a NUL, and none is sent.
        return None if "\0" in text else super().text(text)

    def divided(self, dividend: Value, divisor: int) -> Value:
        by = self.long(divisor)
        return self.ground.call("int8div", "int64, int64 > int64", dividend, by)

    def begins(self, text: Value, start: Value) -> Value:
        return self.ground.call("starts_with", "string, string > boolean", text, start)

    def ends(self, text: Value, end: Value) -> Value:
        size = self.ground.call("char_length", "string > int32", end)
        return self.ground.call("right", "string, int32 > string", text, size) == end

    def contains(self, text: Value, part: Value) -> Value:
        found = self.ground.call("strpos", "string, string > int32", text, part)
        return found > self.whole(0)

    def rank(self, number: Value, edges: Sequence[float]) -> Value:
        listed = self.ground.literal(list(edges), "array<float64>")
        return self.ground.call(_BUCKET, "float64, array<float64> > int32", number, listed)

    def place(self, text: Value, values: Sequence[str]) -> Value:
        if len(values) <= FEW_TEXTS or any("\0" in value for value in values):
            return super().place(text, values)
        # As bytes, whose order does not depend on the language of the database.
        ground, none = self.ground, self.whole(len(values))
        listed = ground.literal([value.encode() for value in values], "array<binary>")
        utf8 = ground.fixed("UTF8", "string")
        held = ground.call("convert_to", "string, string > binary", text, utf8)
        after = ground.call(_BUCKET, "binary, array<binary> > int32", held, listed)
        return (listed[after - self.whole(1)] == held).ifelse(after - self.whole(1), none)
