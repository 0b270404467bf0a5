"""Tables in DuckDB and PostgreSQL for tests."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from itertools import count
from pathlib import Path

import duckdb
import polars as pl
from psycopg import sql

from ledger.postgres_server import Database
from peekproof.data.scan import scan
from peekproof.data.source import Source
from peekproof.data.sql.address import open_url
from peekproof.data.sql.database import DatabaseSource
from peekproof.data.sql.duckdb import DuckDBLink

Opened = Callable[[pl.DataFrame], Source]

_numbers = count(1)

_TYPES: dict[type[pl.DataType], str] = {
    pl.Float64: "double precision",
    pl.String: "text",
    pl.Boolean: "boolean",
    pl.Date: "date",
    pl.Datetime: "timestamp",
}


def in_files(folder: Path) -> Opened:
    """The rows in two Parquet files, read in pieces."""

    def opened(frame: pl.DataFrame) -> Source:
        place = folder / str(next(_numbers))
        place.mkdir()
        half = frame.height // 2
        frame[:half].write_parquet(place / "1.parquet")
        frame[half:].write_parquet(place / "2.parquet")
        return scan(place)

    return opened


def in_duckdb(frame: pl.DataFrame) -> Source:
    """A table in DuckDB's memory, where no disk is waited for."""
    connection = duckdb.connect()
    connection.register("given", frame.to_arrow())
    connection.execute("CREATE TABLE held AS SELECT * FROM given")
    return DatabaseSource(DuckDBLink(connection, (None, None, "held"), "held"))


def file_of(folder: Path, frame: pl.DataFrame, table: str = "held") -> Path:
    """A DuckDB file with one table."""
    path = folder / f"{next(_numbers)}.duckdb"
    with closing(duckdb.connect(str(path))) as connection:
        connection.register("given", frame.to_arrow())
        quoted = table.replace('"', '""')
        connection.execute(f'CREATE TABLE "{quoted}" AS SELECT * FROM given')
    return path


def in_postgres(database: Database) -> Opened:
    """Tables in a database, each opened by its address."""

    def opened(frame: pl.DataFrame) -> Source:
        name = f"held{next(_numbers)}"
        fill(database, name, frame)
        return open_url(f"{database.uri}#{name}")

    return opened


def fill(database: Database, name: str, frame: pl.DataFrame) -> None:
    """A table with the rows of a frame. No text there can hold a NUL."""
    columns = [
        sql.SQL("{} {}").format(
            sql.Identifier(column),
            sql.SQL(_TYPES[type(kind)]),
        )
        for column, kind in frame.schema.items()
    ]
    with closing(database.connect()) as connection:
        table = sql.Identifier(name)
        listed = sql.SQL(", ").join(columns)
        connection.execute(sql.SQL("CREATE TABLE {} ({})").format(table, listed))
        copy = sql.SQL("COPY {} FROM STDIN").format(table)
        with connection.cursor().copy(copy) as stream:
            for row in frame.iter_rows():
                stream.write_row(row)
