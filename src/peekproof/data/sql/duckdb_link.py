"""A connection to a table in DuckDB."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, final

import polars as pl

from peekproof.core.errors import DataError
from peekproof.data.sql.bound import statement
from peekproof.data.sql.duckdb_table import layout
from peekproof.data.sql.layout import Layout, stored
from peekproof.data.sql.missing import no_columns, no_rows, no_such_table, not_a_table

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
