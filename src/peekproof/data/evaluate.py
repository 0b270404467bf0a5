"""Evaluation of questions in memory: canonical trees as functions of a piece of rows, in NumPy.

In a canonical tree unknown is as good as false (it has no NOT), so truth is one bit a row.
No rows are ever filtered and nothing is cut short: the time depends on the question alone.
A tree is taken apart once and not once a piece, for questions come in thousands.

`Columns` and `Piece` are rows as an engine in memory sees them, column by column. `part_of` gives
fields of dates and moments, from numbers since 1970-01-01. `below` and `up_to` find where numbers
lie among sorted ones, in a time that does not depend on them.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial, reduce
from typing import Any, TypeVar, final

import numpy as np
import numpy.typing as npt
import polars as pl

from peekproof.query.form import Edges, Values
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

Doubles = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


@final
class Columns:
    """Columns of equal length, from which pieces are cut.

    Numbers, dates and moments are arrays of doubles with NaN for null: arithmetic keeps NaN, every
    comparison with it is false, and no time depends on how many there are. Text and true/false
    columns stay as Polars has them.
    """

    def __init__(self, series: Mapping[str, pl.Series]) -> None:
        # Without a name, for Polars reads one like ^a$ as a pattern.
        self._series = {name: each.alias("") for name, each in series.items()}
        self._arrays: dict[str, Doubles] = {}

    def series(self, name: str) -> pl.Series:
        return self._series[name]

    def numeric(self, name: str) -> bool:
        return isinstance(self._series[name].dtype, pl.Float64 | pl.Date | pl.Datetime)

    def doubles(self, name: str) -> Doubles:
        """The column as numbers: the rows themselves where nothing is missing, else a copy."""
        found = self._arrays.get(name)
        if found is None:
            # Two threads may both come here; they find the same.
            found = self._arrays.setdefault(name, _doubles(self._series[name]))
        return found


def _doubles(series: pl.Series) -> Doubles:
    """With NaN for null. Steps that change nothing are left out, as they take time all the same."""
    plain = series
    if not isinstance(series.dtype, pl.Float64):
        plain = series.to_physical().cast(pl.Float64)
    return plain.fill_null(np.nan).to_numpy() if plain.has_nulls() else plain.to_numpy()


@final
class Piece:
    """Rows `start` to `stop` of some columns, with what has been computed of them so far."""

    __slots__ = ("_columns", "memo", "rows", "start", "stop")

    def __init__(self, columns: Columns, start: int, stop: int) -> None:
        self._columns = columns
        self.start, self.stop, self.rows = start, stop, stop - start
        self.memo: dict[object, object] = {}

    def numeric(self, name: str) -> bool:
        return self._columns.numeric(name)

    def doubles(self, name: str) -> Doubles:
        return self._columns.doubles(name)[self.start : self.stop]

    def series(self, name: str) -> pl.Series:
        return self._columns.series(name).slice(self.start, self.rows)


_Wholes = npt.NDArray[np.int64]

_MICROSECONDS = 86_400_000_000
_LAST = 2.0**63 - 1024  # the last double that 64 bits hold: 2⁶³ has the same fields


def part_of(times: Doubles, field: str, unit: str) -> Doubles:
    """A field of each time in the unit "day" or "microsecond"; NaN stays."""
    missing = np.isnan(times)
    whole = np.where(missing, 0.0, np.minimum(times, _LAST)).astype(np.int64)
    days, rest = (whole, whole * 0) if unit == "day" else np.divmod(whole, _MICROSECONDS)
    return np.where(missing, np.nan, _field(field, days, rest // 1_000_000))


def _field(field: str, days: _Wholes, seconds: _Wholes) -> _Wholes:
    match field:
        case "weekday":
            return (days + 3) % 7 + 1  # 1970-01-01 was a Thursday
        case "hour":
            return seconds // 3600
        case "minute":
            return seconds // 60 % 60
        case "second":
            return seconds % 60
    dates = days.astype("datetime64[D]")
    months = dates.astype("datetime64[M]")
    match field:
        case "year":
            return months.astype(np.int64) // 12 + 1970
        case "month":
            return months.astype(np.int64) % 12 + 1
        case _:
            since: _Wholes = (dates - months.astype("datetime64[D]")).astype(np.int64)
            return since + 1


Places = npt.NDArray[np.intp]


def below(ends: Doubles, values: Doubles) -> Places:
    """For each value the number of `ends`, sorted, that are less than it; for NaN 0."""
    return _places(ends, values, np.less)


def up_to(ends: Doubles, values: Doubles) -> Places:
    """For each value the number of `ends`, sorted, that are at most it; for NaN 0."""
    return _places(ends, values, np.less_equal)


def _places(ends: Doubles, values: Doubles, before: np.ufunc) -> Places:
    """Bisection of all values at once, without branches.

    NumPy's own follows each value down a path of its own, which takes half as long for values
    that come in order as for values that do not.
    """
    step = 1 << len(ends).bit_length()
    padded = np.full(step - 1, np.nan)  # no number is behind NaN, so it is never passed
    padded[: len(ends)] = ends
    found = np.zeros(len(values), np.intp)
    met, move = np.empty(len(values)), np.empty(len(values), np.intp)
    passed = np.empty(len(values), np.bool_)
    while step := step >> 1:
        np.take(padded[step - 1 :], found, out=met, mode="clip")
        before(met, values, out=passed)
        np.multiply(passed, step, out=move)
        np.add(found, move, out=found)
    return found


Truth = Callable[[Piece], Bools]
Value = Callable[[Piece], Doubles | float]
Found = TypeVar("Found")
Shared = Predicate | Numeric | Edges | Values
# Given a part of a question and its function, the one to use: one that remembers, for example.
Kept = Callable[[Shared, Callable[[Piece], Any]], Callable[[Piece], Any]]

_FEW = 8

_COMPARE: dict[str, np.ufunc] = {
    "<": np.less,
    "<=": np.less_equal,
    ">": np.greater,
    ">=": np.greater_equal,
    "=": np.equal,
}


@final
class Evaluation:
    """Makes functions of trees; `kept` may replace that of an atom or of a number."""

    def __init__(self, kept: Kept = lambda _, compute: compute) -> None:
        self._kept = kept

    def shared(self, part: Shared, compute: Callable[[Piece], Found]) -> Callable[[Piece], Found]:
        """The function to use for a part of a question that others may have too."""
        return self._kept(part, compute)

    def truth(self, node: Predicate) -> Truth:
        """Whether a canonical predicate is true, row by row."""
        match node:
            case And(terms):
                return _joined(np.logical_and, [self.truth(term) for term in terms])
            case Or(terms):
                return _joined(np.logical_or, [self.truth(term) for term in terms])
            case Constant(value):
                return self._kept(node, lambda piece: np.full(piece.rows, value))
            case _:
                return self._kept(node, self._atom(node))

    def doubles(self, node: Numeric) -> Callable[[Piece], Doubles]:
        """A canonical number, row by row; NaN where it is missing."""
        if isinstance(node, Number | Missing):
            value = node.value if isinstance(node, Number) else np.nan
            return lambda piece: np.full(piece.rows, value)
        inner: Any = self._value(node)
        whole: Callable[[Piece], Doubles] = inner
        return whole

    def _value(self, node: Numeric) -> Value:
        match node:
            case Number(value):
                return lambda _: value
            case Missing():
                return lambda _: np.nan
            case Column(name):
                return lambda piece: piece.doubles(name)
            case _:
                return self._kept(node, self._computed(node))

    def _computed(self, node: Numeric) -> Value:
        match node:
            case Sum(terms):
                return _folded(np.add, [self._value(term) for term in terms])
            case Product(factors):
                return _folded(np.multiply, [self._value(factor) for factor in factors])
            case Quotient(dividend, divisor):
                return partial(_divided, self._value(dividend), self._value(divisor))
            case Clip(operand, low, high):
                inside = self._value(operand)
                return lambda piece: np.clip(inside(piece), low, high)
            case If(condition, then, otherwise):
                chosen, yes, no = self.truth(condition), self._value(then), self._value(otherwise)
                return lambda piece: np.where(chosen(piece), yes(piece), no(piece))
            case Part(field, Column(name), unit):
                return lambda piece: part_of(piece.doubles(name), field, unit)
            case _:
                raise TypeError(f"{type(node).__name__} does not occur in a canonical number")

    def _atom(self, node: Predicate) -> Truth:
        match node:
            case Compare("=" | "!=" as operator, Column(left), Column(right)):
                return partial(_columns_compared, operator, left, right)
            case Compare(operator, left, right):
                return _compared(operator, self._value(left), self._value(right))
            case Member(Column(name), values, negated) if isinstance(values[0], str):
                return _texts(name, partial(_listed, values), negated)
            case Member(subject, values, negated):
                listed = np.array(values, np.float64)
                return partial(_member, listed, negated, self._value(subject))
            case Matches(Column(name), where, text, negated):
                return _texts(name, partial(_matched, where, text), negated)
            case IsNull(Column(name), negated):
                return partial(_absent, name, negated)
            case IsNull(operand, negated):
                value = self._value(operand)
                return lambda piece: np.isnan(value(piece)) != negated
            case Flag(Column(name), negated):
                return _texts(name, lambda flags: flags, negated)
            case _:
                raise TypeError(f"{type(node).__name__} does not occur in a canonical predicate")


def _joined(operation: np.ufunc, parts: Sequence[Truth]) -> Truth:
    if len(parts) == 1:
        return parts[0]
    first, second, *rest = parts

    def joined(piece: Piece) -> Bools:
        # Into an array of its own: others may use those of the parts.
        found: Bools = operation(first(piece), second(piece))
        for part in rest:
            operation(found, part(piece), out=found)
        return found

    return joined


def _folded(operation: np.ufunc, parts: Sequence[Value]) -> Value:
    return lambda piece: reduce(operation, (part(piece) for part in parts))


def _divided(dividend: Value, divisor: Value, piece: Piece) -> Doubles:
    below_line = divisor(piece)
    known = np.where(np.equal(below_line, 0.0), np.nan, below_line)
    found: Doubles = np.divide(dividend(piece), known)
    return found


def _compared(operator: str, left: Value, right: Value) -> Truth:
    if operator == "!=":  # of two numbers: NaN differs from everything
        return lambda piece: _apart(left(piece), right(piece))
    compare = _COMPARE[operator]
    return lambda piece: compare(left(piece), right(piece))


def _apart(left: Doubles | float, right: Doubles | float) -> Bools:
    found: Bools = np.logical_or(np.less(left, right), np.greater(left, right))
    return found


def _columns_compared(operator: str, left: str, right: str, piece: Piece) -> Bools:
    if piece.numeric(left):
        return _compared(operator, lambda it: it.doubles(left), lambda it: it.doubles(right))(piece)
    ones, others = piece.series(left), piece.series(right)
    return _true(ones == others if operator == "=" else ones != others)


def _member(listed: Doubles, negated: bool, subject: Value, piece: Piece) -> Bools:
    values = subject(piece)
    if len(listed) <= _FEW:
        found: Bools = reduce(np.logical_or, (np.equal(values, each) for each in listed))
    else:
        met = np.take(listed, below(listed, np.asarray(values)), mode="clip")
        found = np.equal(met, values)
    return np.logical_and(~found, np.equal(values, values)) if negated else found


def _texts(name: str, test: Callable[[pl.Series], pl.Series], negated: bool) -> Truth:
    """A test of a text or true/false column that is unknown for null."""
    if negated:
        return lambda piece: _true(~test(piece.series(name)))
    return lambda piece: _true(test(piece.series(name)))


def _true(found: pl.Series) -> Bools:
    return found.fill_null(False).to_numpy()


def _listed(values: tuple[float | str, ...], texts: pl.Series) -> pl.Series:
    return texts == values[0] if len(values) == 1 else texts.is_in(list(values))


def _matched(where: str, text: str, texts: pl.Series) -> pl.Series:
    match where:
        case "begins with":
            return texts.str.starts_with(text)
        case "ends with":
            return texts.str.ends_with(text)
        case _:
            return texts.str.contains(text, literal=True)


def _absent(name: str, negated: bool, piece: Piece) -> Bools:
    numeric = piece.numeric(name)
    found: Bools = (
        np.isnan(piece.doubles(name)) if numeric else piece.series(name).is_null().to_numpy()
    )
    return ~found if negated else found


def without_nan(values: pl.Series) -> pl.Series:
    """The values with null for NaN, under their name (fill_nan reads a name ^…$ as a pattern)."""
    return values.alias("").fill_nan(None).alias(values.name)


_WORTH_IT = 256  # comparisons; finding the places takes as long as about so many
_FLIGHT = 255


@final
class Ladder:
    """The places of one column among the numbers that it is compared with.

    Let L be the numbers, sorted. With b = #{l ∈ L: l < x}, x > Lᵢ means i < b; and with
    u = #{l ∈ L: l ≤ x}, x ≥ Lᵢ means i < u. The other two comparisons are their opposites, except
    that all four are false for NaN. Places are computed once a piece. For comparisons they are cut
    into flights of 255 numbers, so that eight bits hold where a value lies below, in or above one.
    """

    def __init__(self, name: str, numbers: Iterable[float]) -> None:
        self._name = name
        self._numbers = np.array(sorted(set(numbers)))
        self._index = {number: i for i, number in enumerate(self._numbers.tolist())}

    def compared(self, node: Compare) -> Callable[[Piece], Bools] | None:
        """The function for a comparison of this column with one of the numbers."""
        if not isinstance(node.right, Number) or node.right.value not in self._index:
            return None
        flight, step = divmod(self._index[node.right.value], _FLIGHT)
        key = (self._name, node.operator, flight)
        # As an 8-bit number, for NumPy would widen the column for a larger one.
        small, compare = np.uint8(step), np.greater if ">" in node.operator else np.less_equal
        return lambda piece: compare(self._steps(piece, key), small)

    def _steps(self, piece: Piece, key: tuple[str, str, int]) -> npt.NDArray[np.uint8]:
        found = piece.memo.get(key)
        if not isinstance(found, np.ndarray):
            _, operator, flight = key
            above = self._places(piece, operator) - flight * _FLIGHT
            found = np.clip(above, 0, _FLIGHT).astype(np.uint8)
            piece.memo[key] = found
        return found

    def _places(self, piece: Piece, operator: str) -> Places:
        key = (self._name, operator)
        found = piece.memo.get(key)
        if not isinstance(found, np.ndarray):
            values = piece.doubles(self._name)
            found = (below if operator in (">", "<=") else up_to)(self._numbers, values)
            if "<" in operator:  # NaN is not at most any number, so it goes behind the last
                found = np.where(np.isnan(values), len(self._numbers), found)
            piece.memo[key] = found
        return found


def ladders(comparisons: Iterable[Compare]) -> dict[str, Ladder]:
    """A ladder for each column that is compared with numbers often enough."""
    numbers: dict[str, dict[tuple[str, float], None]] = {}
    for node in comparisons:
        if isinstance(node.left, Column) and isinstance(node.right, Number):
            numbers.setdefault(node.left.name, {})[node.operator, node.right.value] = None
    return {
        name: Ladder(name, (number for _, number in found))
        for name, found in numbers.items()
        if len(found) >= _WORTH_IT
    }
