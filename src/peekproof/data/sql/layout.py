"""How one table of an engine looks to questions."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, final

from peekproof.data.sql.ground import Value
from peekproof.data.sql.operations import Operations
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
