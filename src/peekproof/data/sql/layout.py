"""Table layouts: how columns of a database become the few kinds that questions know.

Here are also the errors about the name of a table, and about a table that cannot be asked.
"""

import datetime as dt
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, final

from peekproof.core.errors import DataError
from peekproof.data.sql.compile import Operations, Value
from peekproof.query.schema import Kind, Schema


@final
@dataclass(frozen=True, slots=True)
class Held:
    """A column: its kind, how its values become normal, and whether they may be NaN then.

    Numbers, dates and moments become doubles for questions (`asked`); for the fingerprint
    (`stored`) dates stay whole days and moments whole microseconds.
    """

    kind: Kind
    asked: Callable[[Value, Operations], Value]
    stored: Callable[[Value, Operations], Value]
    with_nan: bool = False


@final
@dataclass(frozen=True, slots=True)
class Layout:
    """A table of an engine, as Ibis knows it, and its columns by name."""

    dialect: str
    table: Any
    columns: Mapping[str, Held]
    operations: type[Operations]
    fenced: bool  # whether arithmetic is guarded, and so taken apart into levels

    @property
    def schema(self) -> Schema:
        return Schema({name: held.kind for name, held in self.columns.items()})


def stored(layout: Layout) -> Any:
    """All rows of the table as its fingerprint sees them."""
    does = layout.operations()
    return layout.table.select(
        {name: held.stored(layout.table[name], does) for name, held in layout.columns.items()}
    )


Step = Callable[[Value, Operations], Value]

EPOCH = dt.date(1970, 1, 1)


def as_is(value: Value, does: Operations) -> Value:  # noqa: ARG001
    """The value itself."""
    return value


def cast(kind: str) -> Step:
    """The value as another type, by the engine's own cast."""
    return lambda value, _: value.cast(kind)


def numbers(step: Step = as_is, *, with_nan: bool = False) -> Held:
    """A column of numbers, with the step that makes them doubles."""
    return Held(Kind.NUMBER, step, step, with_nan)


def texts(step: Step = as_is) -> Held:
    """A column of text."""
    return Held(Kind.TEXT, step, step)


def flags() -> Held:
    """A column of true and false."""
    return Held(Kind.FLAG, as_is, as_is)


def times(kind: Kind, step: Step) -> Held:
    """A column of dates or moments, with the step that makes them whole numbers since 1970."""
    return Held(kind, lambda value, does: step(value, does).cast("float64"), step)


def finite(value: Value, does: Operations, kind: str, then: Value) -> Value:
    """`then` for a time that is not ±infinity, and null for one that is."""
    ground = does.ground
    test = ground.call("isfinite", f"{kind} > boolean", value)
    return test.ifelse(then, ground.null("int64"))


def no_such_table(source: str, wanted: str, known: Iterable[str]) -> DataError:
    """There is no table of this name, but perhaps one that is spelled nearly so."""
    names = sorted(set(known))
    near = get_close_matches(wanted, names, n=3) or names[:3]
    hint = f"there is {', '.join(near)}" if near else "it has no tables that this user can see"
    return DataError(source=source, problem=f"has no table {wanted}", hint=hint)


def not_a_table(source: str, wanted: str, kind: str) -> DataError:
    """Something of this name is there, whose rows may differ from one question to the next."""
    return DataError(
        source=source,
        problem=f"has {wanted} as a {kind}, whose rows can differ between two questions",
        hint="name a table or a materialised view, for example one made from it",
    )


def no_columns(source: str) -> DataError:
    """Nothing in the table can be asked about."""
    return DataError(
        source=source,
        problem="has no columns of numbers, text, flags or times",
        hint="columns of other types cannot be asked about",
    )


def no_rows(source: str) -> DataError:
    """The table is empty."""
    return DataError(
        source=source,
        problem="has no rows",
        hint="there is nothing to learn about a population from 0 rows",
    )
