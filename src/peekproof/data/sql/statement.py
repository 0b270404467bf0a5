"""Questions as statements, each made once for all questions of its shape."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, Protocol, final

from peekproof.data.sql.aggregate import Groups, Sums, Totals, aggregate, summed
from peekproof.data.sql.bound import Binding, statement
from peekproof.data.sql.compile import Scope, number
from peekproof.data.sql.fence import Levels, is_named
from peekproof.data.sql.ground import Value
from peekproof.data.sql.layout import Layout
from peekproof.data.sql.operations import Operations
from peekproof.data.sql.sketch import Notes
from peekproof.query.form import Drawn
from peekproof.query.schema import Kind

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
