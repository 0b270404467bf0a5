"""A connection to a table in PostgreSQL."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, final

import polars as pl
import psycopg
from psycopg import RawCursor, RawServerCursor, errors
from psycopg.pq import TransactionStatus

from peekproof.core.errors import DataChanged
from peekproof.data.sql import postgres_catalogue as catalogue
from peekproof.data.sql.bound import statement
from peekproof.data.sql.layout import Layout, stored
from peekproof.data.sql.missing import no_columns, no_rows
from peekproof.data.sql.postgres_table import Typed, layout

_PIECE = 20_000

# Everything by which a session could change what a statement means.
_SETTINGS = {
    "search_path": "pg_catalog",
    "timezone": "UTC",
    "datestyle": "ISO",
    "extra_float_digits": "1",
    "standard_conforming_strings": "on",
    # An idle session must not keep the server from clearing away old rows for ever.
    "idle_in_transaction_session_timeout": "600000",
}
_BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"


@final
class PostgresLink:
    """One snapshot at a time. A new one must hold the rows of the one before."""

    def __init__(
        self,
        conninfo: str,
        schema: str | None,
        table: str,
        name: str,
        keep: Callable[[Layout], Layout] | None = None,
    ) -> None:
        self.name, self._named = name, (schema, table)
        self._conninfo = conninfo
        self._recount: Callable[[], str] | None = None
        self._fingerprint = ""
        self._connection = self._connected()
        try:
            catalogue.check_encoding(self._run, name)
            self._place = catalogue.found(self._run, schema, table, name)
            self._begin()
            self._typed = self._columns()
            self.layout = layout(table, self._place.schema, self._typed)
            if keep is not None:
                self.layout = keep(self.layout)
            if not self.layout.columns:
                raise no_columns(name)
            counted = statement(self.layout.table.count().as_table(), "postgres")
            ((self.rows,),) = self._run(counted, [])
            if self.rows == 0 and keep is None:
                raise no_rows(name)
            self._version = catalogue.version(self._run, self._place)
        except BaseException:
            self.close()
            raise

    def _connected(self) -> psycopg.Connection[tuple[Any, ...]]:
        # What is prepared is lost where connections are pooled.
        return psycopg.connect(
            self._conninfo, autocommit=True, prepare_threshold=None, cursor_factory=RawCursor
        )

    def _begin(self) -> None:
        for setting, value in _SETTINGS.items():
            self._run("SELECT set_config($1, $2, false)", [setting, value])
        self._connection.execute(_BEGIN)

    def _columns(self) -> list[Typed]:
        return catalogue.columns(self._run, self._place)

    def _run(self, text: Any, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
        with RawCursor(self._connection) as cursor:
            return cursor.execute(text, list(parameters)).fetchall()

    def answers(self, text: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
        """The rows that a statement gives."""
        if self._lost():
            self._again()
        try:
            return self._run(text.encode(), parameters)
        except psycopg.Error:
            # Idle for too long, or the server went away: one more try.
            if not self._connection.closed:
                raise
        self._again()
        return self._run(text.encode(), parameters)

    def _lost(self) -> bool:
        status = self._connection.info.transaction_status
        return self._connection.closed or status is not TransactionStatus.INTRANS

    def _again(self) -> None:
        """A new snapshot, if it holds the same rows."""
        self.close()
        self._connection = self._connected()
        try:
            self._begin()
            self._check()
        except BaseException:
            self.close()
            raise

    def _check(self) -> None:
        try:
            version = catalogue.version(self._run, self._place)
            same = self._columns() == self._typed and (
                version == self._version or self._recounted() == self._fingerprint
            )
        except errors.UndefinedTable:
            same = False
        if not same:
            raise DataChanged(source=self.name) from None
        self._version = version

    def _recounted(self) -> str:
        return "" if self._recount is None else self._recount()

    def pieces(self) -> Iterator[pl.DataFrame]:
        """All rows of the table as it is stored, in pieces."""
        whole = statement(stored(self.layout), "postgres").encode()
        with RawServerCursor(self._connection, "peekproof") as cursor:
            cursor.execute(whole, binary=True)
            while rows := cursor.fetchmany(_PIECE):
                columns = zip(self.layout.columns, zip(*rows, strict=True), strict=True)
                yield pl.DataFrame([pl.Series(name, held, strict=False) for name, held in columns])

    def settle(self, fingerprint: str, found: Callable[[], str]) -> None:
        """The rows are those of a fingerprint, which can be found once more."""
        self._fingerprint, self._recount = fingerprint, found

    def narrowed(self, keep: Callable[[Layout], Layout]) -> "PostgresLink":
        """Another connection to some of the rows."""
        other = PostgresLink(self._conninfo, *self._named, self.name, keep)
        if other._version != self._version:
            other.close()
            raise DataChanged(source=self.name)
        return other

    def close(self) -> None:
        """End the snapshot and the connection."""
        with suppress(psycopg.Error):
            self._connection.close()
