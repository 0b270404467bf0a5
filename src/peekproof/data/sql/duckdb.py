"""DuckDB: how its tables look to questions, and the connection to one of them."""

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, final

import ibis
import ibis.expr.datatypes as kinds
import polars as pl

from peekproof.core.errors import DataError
from peekproof.data.sql.compile import Operations, Value
from peekproof.data.sql.layout import (
    EPOCH,
    Held,
    Layout,
    as_is,
    cast,
    finite,
    flags,
    no_columns,
    no_rows,
    no_such_table,
    not_a_table,
    numbers,
    stored,
    texts,
    times,
)
from peekproof.data.sql.statement import statement
from peekproof.query.schema import Kind

_NUMBERS = re.compile(r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|DECIMAL\(.*\)|FLOAT")
_MOMENTS = ("TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP WITH TIME ZONE")


class DuckDBOperations(Operations):
    """IEEE arithmetic, and whole division of whole numbers."""

    def divided(self, dividend: Value, divisor: int) -> Value:
        by = self.long(divisor)
        return self.ground.call("divide", "int64, int64 > int64", dividend, by)


def layout(name: str, place: tuple[str, str], types: dict[str, str], *, collated: bool) -> Layout:
    """The layout of a table, by its columns' types as DuckDB writes them."""
    found = {column: _held(kind, collated) for column, kind in types.items()}
    held = {column: each for column, each in found.items() if each is not None}
    table = ibis.table(
        {column: kind for column, (kind, _) in held.items()},
        name=name,
        catalog=place[0],
        database=place[1],
    )
    columns = {column: each for column, (_, each) in held.items()}
    return Layout("duckdb", table, columns, DuckDBOperations, fenced=False)


def _held(kind: str, collated: bool) -> tuple[Any, Held] | None:
    if kind == "DOUBLE":
        return kinds.float64, numbers(with_nan=True)
    if _NUMBERS.fullmatch(kind):
        return kinds.unknown, numbers(cast("float64"), with_nan=kind == "FLOAT")
    if kind == "VARCHAR":
        return kinds.string, texts(_bytewise if collated else as_is)
    if kind.startswith("ENUM("):
        return kinds.unknown, texts(cast("string"))
    if kind == "BOOLEAN":
        return kinds.boolean, flags()
    if kind == "DATE":
        return kinds.date, times(Kind.DATE, _days)
    if kind in _MOMENTS:
        return kinds.timestamp, times(Kind.MOMENT, _microseconds)
    if kind == "TIMESTAMP_NS":
        return kinds.timestamp, times(Kind.MOMENT, _from_nanoseconds)
    if kind == "TIME":
        return kinds.time, Held(Kind.OTHER, as_is, as_is)
    return None


def _bytewise(value: Value, does: Operations) -> Value:
    """Text without the collation of its column: neither casts nor functions of text drop it."""
    encoded = does.ground.call("encode", "string > binary", value)
    return does.ground.call("decode", "binary > string", encoded)


def _days(value: Value, does: Operations) -> Value:
    unit, epoch = does.ground.fixed("day", "string"), does.ground.fixed(EPOCH, "date")
    days = does.ground.call("date_diff", "string, date, date > int64", unit, epoch, value)
    return finite(value, does, "date", days)


def _microseconds(value: Value, does: Operations) -> Value:
    count = does.ground.call("epoch_us", "timestamp > int64", value)
    return finite(value, does, "timestamp", count)


def _from_nanoseconds(value: Value, does: Operations) -> Value:
    """Rounded down, also before 1970."""
    thousand, zero = does.long(1000), does.long(0)
    count = does.ground.call("epoch_ns", "timestamp > int64", value)
    rest = count % thousand
    down = (rest < zero).ifelse(does.long(1), zero)
    return finite(value, does, "timestamp", does.divided(count - rest, 1000) - down)


_PIECE = 1 << 18

Place = tuple[str | None, str | None, str]  # catalogue and schema, if they are given, and table

_TABLES = (
    "SELECT database_name, schema_name, table_name, coalesce(sql, '') FROM duckdb_tables() "
    "WHERE NOT internal AND database_name = coalesce($1, current_database())"
)
_VIEWS = "SELECT view_name FROM duckdb_views() WHERE NOT internal"
_TYPES = (
    "SELECT column_name, data_type FROM duckdb_columns() "
    "WHERE database_name = $1 AND schema_name = $2 AND table_name = $3 ORDER BY column_index"
)
_SETTINGS = (
    "SELECT current_setting('ieee_floating_point_ops'), current_setting('default_collation'), "
    "current_schema()"
)


@final
class DuckDBLink:
    """One transaction on a connection of its own, in which rows stay the same."""

    def __init__(
        self,
        connection: Any,
        place: Place,
        name: str,
        keep: Callable[[Layout], Layout] | None = None,
    ) -> None:
        self.name, self._place = name, place
        self._connection = connection
        connection.execute("BEGIN TRANSACTION")
        ((exact, collation, usual),) = self.answers(_SETTINGS, [])
        if not exact:
            problem = "is open with ieee_floating_point_ops off, so 1/0 is not what it is elsewhere"
            raise DataError(source=name, problem=problem, hint="set it to true")
        catalog, schema, table = place
        catalog, schema, definition = self._found(catalog, schema or usual, table)
        types = dict(self.answers(_TYPES, [catalog, schema, table]))
        collated = bool(collation) or "collate" in definition.lower()
        self.layout = layout(table, (catalog, schema), types, collated=collated)
        if keep is not None:
            self.layout = keep(self.layout)
        if not self.layout.columns:
            raise no_columns(name)
        counted = statement(self.layout.table.count().as_table(), "duckdb")
        ((self.rows,),) = self.answers(counted, [])
        if self.rows == 0 and keep is None:
            raise no_rows(name)

    def _found(self, catalog: str | None, schema: str, table: str) -> tuple[str, str, str]:
        known = self.answers(_TABLES, [catalog])
        for held, inner, each, definition in known:
            if (inner, each) == (schema, table):
                return held, inner, definition
        if (table,) in self.answers(_VIEWS, []):
            raise not_a_table(self.name, table, "view")
        names = [each if inner == schema else f"{inner}.{each}" for _, inner, each, _ in known]
        raise no_such_table(self.name, table, names)

    def answers(self, text: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
        """The rows that a statement gives."""
        rows: list[tuple[Any, ...]] = self._connection.execute(text, list(parameters)).fetchall()
        return rows

    def pieces(self) -> Iterator[pl.DataFrame]:
        """All rows of the table as it is stored, in pieces."""
        whole = statement(stored(self.layout), "duckdb")
        for batch in self._connection.sql(whole).to_arrow_reader(_PIECE):
            yield pl.DataFrame(batch)

    def settle(self, fingerprint: str, found: Callable[[], str]) -> None:
        """Nothing to do: the transaction lasts as long as the link."""

    def narrowed(self, keep: Callable[[Layout], Layout]) -> "DuckDBLink":
        """Another connection to some of the rows."""
        return DuckDBLink(self._connection.cursor(), self._place, self.name, keep)

    def close(self) -> None:
        """End the transaction and the connection."""
        self._connection.close()
