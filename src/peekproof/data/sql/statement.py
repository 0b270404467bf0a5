"""Prepared statements: a question becomes SQL with parameters, made once for each shape.

Ibis takes milliseconds to build and compile what an engine answers in as many. The code that
builds expressions is run on sketches first: they note what is done to them, and the values that
are given. What was noted is the shape of the expression, found without building it. Questions of
the same shape have the same statement, and their values are its parameters. Values go to the
engine beside the statement, never in it.

`Levels` gives a name, in a subquery of its own, to what is said more than once.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any, Protocol, final

import ibis
import ibis.expr.datashape as shapes
import ibis.expr.datatypes as kinds
import ibis.expr.operations as ops
import sqlglot.expressions as syntax
from ibis.backends.sql.compilers import DuckDBCompiler, PostgresCompiler

from peekproof.data.sql.aggregate import Groups, Sums, Totals, aggregate, summed
from peekproof.data.sql.compile import Ground, Operations, Scope, Value, number
from peekproof.data.sql.layout import Layout
from peekproof.query.form import Drawn, Edges, Grouped, Histogram, Mean, Quantile, Share, Values
from peekproof.query.schema import Kind
from peekproof.query.tree import (
    And,
    Clip,
    Column,
    Compare,
    If,
    IsNull,
    Member,
    Number,
    Numeric,
    Or,
    Predicate,
    Product,
    Quotient,
    Sum,
    columns,
)

Note = tuple[Any, ...]


@final
class Notes(Ground):
    """A ground on which everything is a sketch. `values` are the parameters, in order."""

    def __init__(self) -> None:
        self.shape: list[Note] = []
        self.values: list[Any] = []

    def literal(self, value: Any, kind: str) -> Value:
        self.values.append(value)
        return self.noted("literal", kind)

    def fixed(self, value: Any, kind: str) -> Value:
        return self.noted("fixed", value, kind)

    def null(self, kind: str) -> Value:
        return self.noted("null", kind)

    def cases(self, cases: Sequence[tuple[Value, Value]], otherwise: Value) -> Value:
        flat = [part for case in cases for part in case]
        return self.noted("cases", *flat, otherwise)

    def call(self, name: str, signature: str, *arguments: Value) -> Value:
        return self.noted("call", name, signature, *arguments)

    def noted(self, *what: Any) -> "Sketch":
        """Note what was done, and to which sketches."""
        self.shape.append(tuple(_plain(each) for each in what))
        return Sketch(self, len(self.shape))


@final
class Sketch:
    """Stands for an expression: the place of a note."""

    __slots__ = ("_notes", "_place")

    def __init__(self, notes: Notes, place: int) -> None:
        self._notes = notes
        self._place = place

    def __getattr__(self, name: str) -> Callable[..., "Sketch"]:
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *given: self._notes.noted(name, self, *given)

    def __hash__(self) -> int:
        return self._place


def _plain(what: Any) -> Any:
    if isinstance(what, Sketch):
        return "sketch", what._place
    if isinstance(what, list | tuple):
        return tuple(_plain(each) for each in what)
    return what


def _operator(name: str) -> Callable[..., Sketch]:
    def done(self: Sketch, *others: Any) -> Sketch:
        return self._notes.noted(name, self, *others)

    return done


for _name in (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "neg", "invert", "getitem"),
    *("and", "or", "lt", "le", "gt", "ge", "eq", "ne"),
):
    setattr(Sketch, f"__{_name}__", _operator(_name))


MOST_TERMS = 8  # of one guarded sum
_MARK = "\0"  # no column of a database has this in its name


@final
class Levels:
    """Forms with their inner numbers named, and what the names mean, level by level.

    They are for engines whose arithmetic needs guards: a guard says its operands several times, so
    nested guards would grow beyond all bounds. Trees are taken apart into levels. Each level is
    one subquery with the numbers that the levels above refer to as columns.
    """

    def __init__(self) -> None:
        self.levels: list[dict[str, Numeric]] = []
        self._names: dict[Numeric, str] = {}
        self._heights: dict[str, int] = {}

    def form(self, form: Drawn) -> Drawn:
        """The form with shallow arithmetic."""
        match form:
            case Share(predicate):
                return Share(self._predicate(predicate))
            case Mean(operand) | Quantile(operand):
                return replace(form, operand=self._named(operand))
            case Histogram(by, weight):
                held = None if weight is None else self._weight(weight)
                return Histogram(self._cells(by), held)
            case Grouped(by, weight):
                return Grouped(self._cells(by), self._weight(weight))

    def _cells(self, by: Edges | Values) -> Edges | Values:
        return Edges(self._named(by.operand), by.edges) if isinstance(by, Edges) else by

    def _weight(self, weight: Predicate | Mean) -> Predicate | Mean:
        if isinstance(weight, Mean):
            return replace(weight, operand=self._named(weight.operand))
        return self._predicate(weight)

    def _predicate(self, node: Predicate) -> Predicate:
        match node:
            case And(terms):
                return And(tuple(map(self._predicate, terms)))
            case Or(terms):
                return Or(tuple(map(self._predicate, terms)))
            case Compare(operator, left, right):
                return Compare(operator, self._number(left), self._number(right))
            case Member(subject, values, negated):
                return Member(self._number(subject), values, negated)
            case IsNull(operand, negated):
                return IsNull(self._number(operand), negated)
            case _:
                return node

    def _number(self, node: Numeric) -> Numeric:
        """The node, with a name for every operand that a guard says more than once."""
        match node:
            case Sum(terms):
                return self._sum([self._named(term) for term in terms])
            case Product(factors):
                held = [self._named(factor) for factor in factors]
                while len(held) > 2:
                    held[:2] = [self._hold(Product((held[0], held[1])))]
                return Product(tuple(held))
            case Quotient(dividend, divisor):
                return Quotient(self._named(dividend), self._named(divisor))
            case Clip(operand, low, high):
                return Clip(self._named(operand), low, high)
            case If(condition, then, otherwise):
                return If(self._predicate(condition), self._number(then), self._number(otherwise))
            case _:
                return node

    def _sum(self, terms: list[Numeric]) -> Numeric:
        while len(terms) > MOST_TERMS:
            terms[:MOST_TERMS] = [self._hold(Sum(tuple(terms[:MOST_TERMS])))]
        return Sum(tuple(terms))

    def _named(self, node: Numeric) -> Numeric:
        return node if isinstance(node, Column | Number) else self._hold(self._number(node))

    def _hold(self, node: Numeric) -> Column:
        if node not in self._names:
            name = f"{_MARK}{len(self._names)}"
            height = max((self._heights[each] for each in _marked(node)), default=-1) + 1
            self._names[node], self._heights[name] = name, height
            if height == len(self.levels):
                self.levels.append({})
            self.levels[height][name] = node
        return Column(self._names[node])


def is_named(column: str) -> bool:
    """Whether a column is one of these numbers."""
    return column.startswith(_MARK)


def _marked(node: Numeric) -> set[str]:
    return {name for name in columns(node) if is_named(name)}


class Bound(ops.Value):  # type: ignore[misc]
    """A parameter of a statement, by its number from 1."""

    number: int
    dtype: kinds.DataType
    shape = shapes.scalar


@final
class Binding(Ground):
    """A ground on which what questions give are parameters, numbered as they are asked for."""

    def __init__(self) -> None:
        self._count = 0

    def literal(self, value: Any, kind: str) -> Value:  # noqa: ARG002
        self._count += 1
        return Bound(number=self._count, dtype=ibis.dtype(kind)).to_expr()


def _parameter(compiler: Any, number: int, dtype: kinds.DataType) -> Any:
    return compiler.cast(syntax.Parameter(this=syntax.Literal.number(number)), dtype)


@final
class _DuckDB(DuckDBCompiler):  # type: ignore[misc]
    __slots__ = ()

    def visit_Bound(self, op: Any, *, number: int, dtype: kinds.DataType) -> Any:  # noqa: ARG002, N802
        return _parameter(self, number, dtype)


@final
class _Postgres(PostgresCompiler):  # type: ignore[misc]
    __slots__ = ()

    def visit_Bound(self, op: Any, *, number: int, dtype: kinds.DataType) -> Any:  # noqa: ARG002, N802
        return _parameter(self, number, dtype)

    def visit_Limit(self, op: Any, *, parent: Any, n: Any, offset: Any) -> Any:  # noqa: N802
        """No limit and an offset of 0 stay: PostgreSQL does not look through them."""
        inner = parent.this if isinstance(parent, syntax.Subquery) else None
        if n is not None or offset or inner is None:
            return super().visit_Limit(op, parent=parent, n=n, offset=offset)
        return inner.offset(0, copy=False)


_COMPILERS: dict[str, Any] = {"duckdb": _DuckDB(), "postgres": _Postgres()}


def statement(table: Any, dialect: str) -> str:
    """The text of a table expression for an engine, with $1, $2, … for its parameters."""
    made: str = _COMPILERS[dialect].to_sqlglot(table).sql(dialect)
    return made


_MOST_KEPT = 512
_MOST_PARAMETERS = 20_000  # PostgreSQL takes up to 65,535

Rows = Sequence[Sequence[Any]]
Part = Sums | Groups


@final
@dataclass(frozen=True, slots=True)
class Prepared:
    """A statement, its parameters, and how totals are read off the rows it gives."""

    text: str
    parameters: list[Any]
    read: Callable[[Rows], list[Totals]]


@final
class Statements:
    """The statements for one table, kept by shape."""

    def __init__(self, layout: Layout, rows: int) -> None:
        self._layout = layout
        self._rows = rows
        self._kept: dict[tuple[Any, ...], str] = {}

    def prepared(self, forms: Sequence[Drawn]) -> Prepared | None:
        """One statement for forms that all add up, or for a single one.

        None for several that have too many parameters together: engines have a limit.
        """
        notes = Notes()
        parts = self._parts(forms, self._layout.operations(notes), _Noted(notes))
        if len(notes.values) > _MOST_PARAMETERS and len(forms) > 1:
            return None
        shape = tuple(notes.shape)
        if shape not in self._kept:
            if len(self._kept) >= _MOST_KEPT:
                self._kept.clear()
            self._kept[shape] = self._made(forms)
        return Prepared(self._kept[shape], notes.values, _reader(parts))

    def _made(self, forms: Sequence[Drawn]) -> str:
        place = _Real(self._layout)
        parts = self._parts(forms, place.does, place)
        return statement(place.summed(parts), self._layout.dialect)

    def _parts(self, forms: Sequence[Drawn], does: Operations, place: "_Place") -> list[Part]:
        levels = Levels()
        if self._layout.fenced:
            forms = [levels.form(form) for form in forms]
        scope = self._scope(place, does)
        for level in levels.levels:
            place.rise({name: number(node, scope) for name, node in level.items()})
        parts = [aggregate(form, scope, self._rows) for form in forms]
        place.end(parts)
        return parts

    def _scope(self, place: "_Place", does: Operations) -> Scope:
        held = self._layout.columns

        def kind(name: str) -> Kind:
            return Kind.NUMBER if is_named(name) else held[name].kind

        def with_nan(name: str) -> bool:
            return not is_named(name) and held[name].with_nan

        return Scope(place.column, kind, with_nan, does)


class _Place(Protocol):
    """Where expressions find their columns: in a table, or in the notes of a shape."""

    def column(self, name: str) -> Value: ...

    def rise(self, named: dict[str, Value]) -> None:
        """Go on above a subquery that names these numbers."""

    def end(self, parts: Sequence[Part]) -> None:
        """These are the parts of the statement."""


@final
class _Noted:
    def __init__(self, notes: Notes) -> None:
        self._notes = notes
        self._known: dict[str, Value] = {}

    def column(self, name: str) -> Value:
        if name not in self._known:
            self._known[name] = self._notes.noted("column", name)
        return self._known[name]

    def rise(self, named: dict[str, Value]) -> None:
        self._known.clear()
        # With their names, for the second name may be on the first level or on the second.
        self._notes.noted("rise", *named, *named.values())

    def end(self, parts: Sequence[Part]) -> None:
        for part in parts:
            if isinstance(part, Sums):
                self._notes.noted("sums", *part.sums)
            else:
                self._notes.noted("groups", part.cell, part.weight)


@final
class _Real:
    """The table, and above it one subquery a level."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self.does = layout.operations(Binding())
        self._table = layout.table
        self._names: dict[str, str] = {}  # what subqueries call the numbers of levels
        taken = layout.table.columns
        marks = (f"level{number}_" for number in count())
        self._mark = next(m for m in marks if not any(each.startswith(m) for each in taken))

    def column(self, name: str) -> Value:
        if name in self._names:
            return self._table[self._names[name]]
        return self._layout.columns[name].asked(self._table[name], self.does)

    def rise(self, named: dict[str, Value]) -> None:
        old = self._names
        kept = {each: self._table[each] for each in self._table.columns}
        mark = self._mark
        fresh = {f"{mark}{len(old) + number}": each for number, each in enumerate(named.values())}
        self._names = old | dict(zip(named, fresh, strict=True))
        # A subquery with an offset is one that PostgreSQL does not dissolve.
        self._table = self._table.select(kept | fresh).limit(None, offset=0)

    def end(self, parts: Sequence[Part]) -> None:
        """Nothing: the table is asked for afterwards."""

    def summed(self, parts: Sequence[Part]) -> Any:
        """The table with the totals."""
        groups = parts[0]
        if isinstance(groups, Groups):
            grouped = self._table.select(cell=groups.cell, weight=groups.weight).group_by("cell")
            return grouped.aggregate(rows=lambda t: t.count(), total=lambda t: t.weight.sum())
        sums = [value for part in parts if isinstance(part, Sums) for value in part.sums]
        return self._table.aggregate(
            **{f"s{number}": summed(value, self._table) for number, value in enumerate(sums)}
        )


def _reader(parts: Sequence[Part]) -> Callable[[Rows], list[Totals]]:
    first = parts[0]
    if isinstance(first, Groups):
        return lambda rows: [first.totals(rows)]

    def read(rows: Rows) -> list[Totals]:
        sums, found, start = [int(each or 0) for each in rows[0]], list[Totals](), 0
        for part in parts:
            if isinstance(part, Sums):
                found.append(part.read(sums[start : start + len(part.sums)]))
                start += len(part.sums)
        return found

    return read
