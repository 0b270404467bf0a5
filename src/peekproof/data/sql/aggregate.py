"""Forms to aggregates: what the engine adds up, and how totals are read off the sums.

Every sum is of whole numbers of at most 32 bits, so it is exact in 64. A row contributes to a
mean what `data.totals` says, by the same operations on doubles in the same order.
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import final

from peekproof.data.sql.compile import Scope, Value, clipped, number, truth
from peekproof.query.form import (
    FINE,
    Drawn,
    Edges,
    Grouped,
    Histogram,
    Mean,
    Quantile,
    Share,
    Values,
    contribution,
)
from peekproof.query.tree import And, Compare, IsNull, Number, Predicate

FEW = 24  # cells that are counted side by side; with more of them rows are grouped

Totals = int | tuple[int, ...]
Weight = Predicate | Mean | None


@final
@dataclass(frozen=True, slots=True)
class Sums:
    """Sums over all rows, and what they make together."""

    sums: list[Value]
    read: Callable[[Sequence[int]], Totals]


@final
@dataclass(frozen=True, slots=True)
class Groups:
    """The number of each row's cell and what the row adds to it, to be summed by cell.

    A row in no cell has the number `cells`. `read` takes rows and sums of each cell.
    """

    cell: Value
    weight: Value
    cells: int
    read: Callable[[Sequence[int], Sequence[int]], Totals]

    def totals(self, found: Iterable[Sequence[int]]) -> Totals:
        """The totals of cells that an engine lists with their rows and sums; others are empty."""
        counts, sums = [0] * (self.cells + 1), [0] * (self.cells + 1)
        for cell, held, added in found:
            counts[cell], sums[cell] = int(held), int(added)
        return self.read(counts[:-1], sums[:-1])


def summed(value: Value, table: Value) -> Value:
    """The sum over a table; what is the same for all rows, such as no match, is not a column."""
    constant = value.op().shape.is_scalar()
    return value * table.count() if constant else value.sum()


def aggregate(form: Drawn, scope: Scope, rows: int) -> Sums | Groups:
    """What is added up for a canonical form over a table of `rows` rows."""
    match form:
        case Share(predicate):
            return Sums([truth(predicate, scope)], lambda sums: sums[0])
        case Mean(missing=None):
            raise TypeError("a quotient is drawn as its parts")
        case Mean() as mean:
            added = _contribution(mean, mean.span, scope)
            return Sums([added], lambda sums: sums[0])
        case Quantile() as quantile:
            return _quantile(quantile, scope, rows)
        case Histogram(by, weight):

            def read(counts: Sequence[int], sums: Sequence[int]) -> Totals:
                return _histogram(form, counts, sums, rows)

            return _cells(by, weight, form.extent, read, scope)
        case Grouped(by, weight):
            unit = FINE if isinstance(weight, Mean) else 1

            def split(counts: Sequence[int], sums: Sequence[int]) -> Totals:
                others = [unit * count - held for count, held in zip(counts, sums, strict=True)]
                return (*sums, *others)

            return _cells(by, weight, form.bounds, split, scope)


def _histogram(form: Histogram, counts: Sequence[int], sums: Sequence[int], rows: int) -> Totals:
    if not isinstance(form.weight, Mean):
        return tuple(sums)
    nothing = contribution(0.0, low=form.extent[0], high=form.extent[1])
    pairs = zip(counts, sums, strict=True)
    return tuple(held + nothing * (rows - count) for count, held in pairs)


def _cells(
    by: Edges | Values,
    weight: Weight,
    scale: tuple[float, float],
    read: Callable[[Sequence[int], Sequence[int]], Totals],
    scope: Scope,
) -> Sums | Groups:
    known = weight.known if isinstance(weight, Mean) else None
    if len(by) > FEW:
        added = _weight(weight, scale, scope)
        order = _order(by)

        def ordered(counts: Sequence[int], sums: Sequence[int]) -> Totals:
            return read([counts[at] for at in order], [sums[at] for at in order])

        return Groups(_number_of(by, known, scope), added, len(by), ordered)
    masks, disjoint = _masks(by, known, scope)
    sums = [*masks]
    if weight is not None:
        added = _weight(weight, scale, scope)
        sums += [mask * added for mask in masks]

    def finish(found: Sequence[int]) -> Totals:
        halves = [found] if weight is None else [found[: len(masks)], found[len(masks) :]]
        parts = [disjoint(half) for half in halves]
        return read(parts[0], parts[-1])

    return Sums(sums, finish)


def _masks(
    by: Edges | Values, known: Predicate | None, scope: Scope
) -> tuple[list[Value], Callable[[Sequence[int]], list[int]]]:
    """What tells the rows of cells, of those for which `known` holds."""

    def held(cell: Predicate) -> Value:
        return truth(cell if known is None else And((cell, known)), scope)

    if isinstance(by, Values):
        return [held(cell) for cell in by.predicates], list
    # From each edge on: one comparison a cell, and a cell is what two of them differ by.
    present: Predicate = IsNull(by.operand, negated=True)
    starts: list[Predicate] = [Compare(">=", by.operand, Number(edge)) for edge in by.edges]

    def differences(sums: Sequence[int]) -> list[int]:
        return [here - after for here, after in zip(sums, [*sums[1:], 0], strict=True)]

    return [held(each) for each in (present, *starts)], differences


def _number_of(by: Edges | Values, known: Predicate | None, scope: Scope) -> Value:
    does, none = scope.does, scope.does.whole(len(by))
    if isinstance(by, Edges):
        held = number(by.operand, scope)
        found = held.isnull().ifelse(none, does.rank(held, by.edges))
    else:
        found = does.place(scope.column(by.column.name), sorted(map(str, by.values)))
    if known is None:
        return found
    return (truth(known, scope) == does.whole(1)).ifelse(found, none)


def _order(by: Edges | Values) -> Sequence[int]:
    """For each cell the number by which its rows are grouped. So many values are texts."""
    if isinstance(by, Edges):
        return range(len(by))
    numbers = {value: number for number, value in enumerate(sorted(map(str, by.values)))}
    return [numbers[str(value)] for value in by.values]


def _quantile(quantile: Quantile, scope: Scope, rows: int) -> Sums | Groups:
    """Cell i holds its upper end and not its lower one: v(i − 1) < x <= v(i)."""
    ends, does = quantile.values[:-1], scope.does
    if quantile.steps > FEW:
        held = number(quantile.operand, scope)
        above = [math.nextafter(end, math.inf) for end in ends]
        last = does.whole(len(ends))
        cell = held.isnull().ifelse(last, does.rank(held, above))
        return Groups(cell, does.whole(1), quantile.steps, lambda counts, _: tuple(counts))
    below = [truth(Compare("<=", quantile.operand, Number(end)), scope) for end in ends]

    def differences(sums: Sequence[int]) -> Totals:
        return tuple(here - before for before, here in pairwise([0, *sums, rows]))

    return Sums(below, differences)


def _weight(weight: Weight, scale: tuple[float, float], scope: Scope) -> Value:
    match weight:
        case Mean() as mean:
            return _contribution(mean, scale, scope)
        case None:
            return scope.does.whole(1)
        case predicate:
            return truth(predicate, scope)


def _contribution(mean: Mean, scale: tuple[float, float], scope: Scope) -> Value:
    """⌊(x − a)/(b − a)·FINE + ½⌋ for the clipped value x on the scale [a, b]."""
    does, (low, high) = scope.does, scale
    missing = does.double(mean.filled)
    inside = clipped(number(mean.operand, scope), mean.low, mean.high, missing, does)
    part = does.fraction(inside - does.double(low), high - low)
    return (part * does.constant(float(FINE)) + does.constant(0.5)).floor().cast("int32")
