"""What engines do each in their own way. The defaults fit engines whose doubles are IEEE's.

Everywhere NaN equals itself and is above every number, as in DuckDB, PostgreSQL and Spark. An
operand may be NaN or null, and both mean that it is missing.
"""

from collections.abc import Sequence
from functools import reduce
from operator import add, mul

from peekproof.data.sql.ground import Ground, Value

Operand = Value | float  # a float is the same in all rows

NAN = float("nan")
FEW_TEXTS = 32  # that are tried one after the other


class Operations:
    """IEEE arithmetic on doubles, and search in text code point by code point.

    What an operation is given it says once: expressions do not grow with every level. All that
    this package does with expressions is a method of theirs or goes through this class.
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
