"""What a question asks for: shares, means, histograms, quantiles. All of it is public.

Every form says from public information alone how many numbers its answer has (`dimension`) and
between which bounds each of them lies (`span`). Bounds belong to the question and never come
from the data: a range that was read off the rows would be an answer of its own.
"""

import math
import re
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import ClassVar, final

from peekproof.core.errors import InvalidInput
from peekproof.query.times import shown_time
from peekproof.query.tokens import KEYWORDS, excerpt
from peekproof.query.tree import (
    And,
    Clip,
    Column,
    Compare,
    Flag,
    If,
    IsNull,
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


# A real contribution of a record is rounded to one of FINE + 1 equally spaced numbers.
FINE = 2**24

# For whoever asks for a mean among the rows with a value where only one number can be had.
FILL = (
    "a mean among the rows with a value is a quotient of two numbers: say what a missing value "
    "counts as, mean(x, low, high, missing), or have the column declared complete"
)

FEWEST_STEPS = 2
MOST_STEPS = 2**16
USUAL_STEPS = 256


@final
@dataclass(frozen=True, slots=True)
class Share:
    """The share of rows for which `predicate` is true.

    Sensitivity: replacing one record moves the count by at most 1, whatever the predicate.
    """

    dimension: ClassVar[int] = 1
    span: ClassVar[tuple[float, float]] = (0.0, 1.0)

    predicate: Predicate


@final
@dataclass(frozen=True, slots=True)
class Mean:
    """The mean of `operand`, clipped to [`low`, `high`]; a missing value counts as `missing`.

    If `missing` is None, rows without a value have no part in it. In the normal form a mean that
    is drawn by itself has a number there: one among the rows with a value is a `Given`.

    Sensitivity: replacing one record moves the mean by at most (high − low)/rows.
    """

    dimension: ClassVar[int] = 1

    operand: Numeric
    low: float
    high: float
    missing: float | None

    def __post_init__(self) -> None:
        _check_range(self.low, self.high)
        if self.missing is not None and not self.low <= self.missing <= self.high:  # also for NaN
            raise InvalidInput(
                argument="missing",
                accepted=f"from {plain_number(self.low)} to {plain_number(self.high)}",
                given=plain_number(self.missing),
                hint="a row without a value has to count as something inside the bounds",
            )

    @property
    def filled(self) -> float:
        """What stands in for a missing value; where such rows have no part, whatever it is."""
        return self.low if self.missing is None else self.missing

    @property
    def known(self) -> Predicate | None:
        """What holds for the rows that have a part in it; None if all have."""
        if self.missing is not None:
            return None
        inside = self.operand.operand if isinstance(self.operand, Clip) else self.operand
        return IsNull(inside, negated=True)

    @property
    def span(self) -> tuple[float, float]:
        return self.low, self.high


@final
@dataclass(frozen=True, slots=True)
class Histogram:
    """One number for each of several disjoint cells; a row that lies in none adds to none.

    Without a weight: the share of *all* rows that lie in the cell. With a predicate: the share
    of all rows that lie in the cell and satisfy it. With a mean: the mean over all rows of the
    clipped value where the row lies in the cell, and of 0 where it does not; a row that has no
    part in the mean lies in no cell.

    Sensitivity: replacing one record moves at most two of the numbers, each by at most the
    width of `span` divided by the number of rows.
    """

    by: Edges | Values
    weight: Predicate | Mean | None = None

    @property
    def dimension(self) -> int:
        return len(self.by)

    @property
    def span(self) -> tuple[float, float]:
        return self.extent

    @property
    def extent(self) -> tuple[float, float]:
        """The bounds of what one record adds to one cell; 0, for no part in it, lies inside."""
        if isinstance(self.weight, Mean):
            return min(self.weight.low, 0.0), max(self.weight.high, 0.0)
        return 0.0, 1.0

    @property
    def cells(self) -> tuple[Predicate, ...]:
        """The canonical predicate of each cell, without the weight."""
        return self.by.predicates

    @property
    def labels(self) -> tuple[str, ...]:
        """A name for each cell, in the words of a question."""
        return self.by.labels


@final
@dataclass(frozen=True, slots=True)
class Grouped:
    """A share or a mean within each of several disjoint cells; a row in none adds to none.

    Released are two numbers a cell, first all of what counts and then all of what does not: for
    a share the rows of the cell that satisfy the predicate, and those that do not; for a mean the
    sums of f and of 1 − f, where f is the clipped value on the scale of its bounds. The two add
    up to the share of rows in the cell, so what holds within the cell is one over their sum. A row
    that has no part in the mean lies in no cell.

    Sensitivity: a record adds f and 1 − f to two of the numbers, which lies between unit vectors,
    so it is that of a histogram with twice as many cells.
    """

    span: ClassVar[tuple[float, float]] = (0.0, 1.0)

    by: Edges | Values
    weight: Predicate | Mean

    @property
    def dimension(self) -> int:
        return 2 * len(self.by)

    @property
    def bounds(self) -> tuple[float, float]:
        """Between which the number within a cell lies."""
        return self.weight.span if isinstance(self.weight, Mean) else (0.0, 1.0)

    @property
    def labels(self) -> tuple[str, ...]:
        """A name for each cell, in the words of a question."""
        return self.by.labels


@final
@dataclass(frozen=True, slots=True)
class Given:
    """A share or a mean among the rows that satisfy `condition`: a quotient of two answers.

    `parts` are the questions that are drawn: for a share how many rows satisfy both, and for a
    mean that of the operand where the condition is true and of `low` elsewhere; then how many
    satisfy the condition. In the normal form the condition of a mean among the rows with a value
    says that there is one.
    """

    of: Share | Mean
    condition: Predicate

    @property
    def dimension(self) -> int:
        return 2

    @property
    def span(self) -> tuple[float, float]:
        return self.of.span

    @property
    def parts(self) -> tuple[Share | Mean, Share]:
        """Not canonical yet."""
        whole = Share(self.condition)
        if isinstance(self.of, Share):
            return Share(And((self.of.predicate, self.condition))), whole
        inside = self.of.operand
        if self.of.missing is not None:
            inside = If(IsNull(inside, negated=False), Number(self.of.missing), inside)
        held = If(self.condition, inside, Number(self.of.low))
        return Mean(held, self.of.low, self.of.high, self.of.low), whole

    @property
    def about_known(self) -> bool:
        """Whether it is a mean among all rows with a value, so that the rest are missing."""
        return isinstance(self.of, Mean) and self.condition == self.of.known

    @property
    def leaves_out(self) -> bool:
        """Whether it is a mean among some rows, of which those without a value are left out."""
        if not isinstance(self.of, Mean) or not isinstance(self.condition, And):
            return False
        return self.of.missing is None and self.of.known in self.condition.terms


@final
@dataclass(frozen=True, slots=True)
class Quantile:
    """The value that a share `level` of the rows does not exceed, on a grid of `steps` values.

    Values are clipped to [`low`, `high`], and a missing value counts as `high`: it is a
    quantile of all rows, not of those that have a value. A row falls in cell i if its value is
    above `value(i − 1)` and at most `value(i)`; cell 0 has no lower end. So every row is in one
    cell, and replacing one record moves two of the counts by 1.
    """

    operand: Numeric
    level: Fraction
    low: float
    high: float
    steps: int = USUAL_STEPS

    def __post_init__(self) -> None:
        _check_range(self.low, self.high)
        if not 0 < self.level < 1:
            raise InvalidInput(
                argument="level",
                accepted="strictly between 0 and 1",
                given=plain_number(float(self.level)),
                hint="0.5 asks for the median",
            )
        if not FEWEST_STEPS <= self.steps <= MOST_STEPS:
            raise InvalidInput(
                argument="steps",
                accepted=f"a whole number from {FEWEST_STEPS:,} to {MOST_STEPS:,}",
                given=f"{self.steps:g}",
            )
        # Each end of a cell is rounded by less than 7 of these ulps (see `value`).
        low, high = plain_number(self.low), plain_number(self.high)
        finest = 16 * math.ulp(max(abs(self.low), abs(self.high)))
        if (self.high - self.low) / self.steps < finest:
            raise InvalidInput(
                argument="steps",
                accepted=f"so few that doubles from {low} to {high} tell them apart",
                given=f"{self.steps:,}",
                hint="ask for fewer steps or wider bounds",
            )

    @property
    def dimension(self) -> int:
        return self.steps

    @property
    def span(self) -> tuple[float, float]:
        return self.low, self.high

    def value(self, index: int) -> float:
        """The upper end of cell `index`, low + (index + 1)·(high − low)/steps, as a double.

        Computed as low + (high − low)·((index + 1)/steps). Each operation is monotone in the
        index, so the values never decrease; three roundings relative to the width and one to
        the sum move a value by less than 7 ulps of the larger bound; the last one is `high`.
        """
        if index == self.steps - 1:
            return self.high
        return min(self.low + (self.high - self.low) * ((index + 1) / self.steps), self.high)

    @property
    def values(self) -> tuple[float, ...]:
        """The upper ends of all cells, increasing, the last one being `high`."""
        return tuple(self.value(index) for index in range(self.steps))


# What a session draws at once; a Given is two of them.
Drawn = Share | Mean | Histogram | Grouped | Quantile
Form = Drawn | Given


def contribution(value: float, *, low: float, high: float) -> int:
    """What a record with this value adds on the scale [low, high], in units of 1/FINE.

    The same operations, in the same order, as the data's engines do them on columns.
    """
    return math.floor((value - low) / (high - low) * FINE + 0.5)


def _check_range(low: float, high: float) -> None:
    if not low < high:  # also false for NaN
        raise InvalidInput(
            argument="high",
            accepted=f"above low = {plain_number(low)}",
            given=plain_number(high),
            hint="write the smaller bound first",
        )
    if not math.isfinite(high - low):
        raise InvalidInput(
            argument="high",
            accepted=f"within the largest double of low = {plain_number(low)}",
            given=plain_number(high),
            hint="the width of the range has to be a finite number",
        )
