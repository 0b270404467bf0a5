"""Addresses of tables: which database, and which table in it."""

from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from peekproof.core.errors import DataError
from peekproof.data.load import scheme_of
from peekproof.data.source import Progress, Source

if TYPE_CHECKING:
    import ibis

Names = tuple[str | None, str]  # of a schema, if one is given, and of a table

FORMS = "write duckdb:///PATH#TABLE or postgresql://USER@HOST/DATABASE#SCHEMA.TABLE"

_PACKAGES = {"duckdb": ("ibis", "duckdb", "pyarrow"), "postgres": ("ibis", "psycopg")}


def open_url(url: str, *, progress: Progress | None = None) -> Source:
    """The table at an address; `progress` hears how many rows were read, and of how many.

    All rows are read once for their fingerprint, and after that none leaves the database.
    """
    where, _, table = url.rpartition("#")
    scheme = scheme_of(where)
    where = scheme + where[len(scheme) :]
    engine = {"duckdb": "duckdb", "postgresql": "postgres", "postgres": "postgres"}.get(scheme)
    if engine is None:
        # Nothing of it is repeated: any of it may be a password.
        raise DataError(source="the address", problem="names no table", hint=FORMS)
    names = _names(table)
    _require(engine)
    if engine == "duckdb":
        return _from_file(Path(unquote(where.removeprefix("duckdb://"))), names, progress)
    from peekproof.data.sql.postgres import read_address  # noqa: PLC0415

    address = read_address(where, names)
    return _from_server(address.connection, names, address.shown, progress)


def from_ibis(table: "ibis.Table", *, progress: Progress | None = None) -> Source:
    """A table of DuckDB or PostgreSQL that Ibis is connected to, on a connection of its own."""
    import ibis.expr.operations as ops  # noqa: PLC0415

    held = table.op()
    backend: Any = table.get_backend() if isinstance(held, ops.DatabaseTable) else None
    name = getattr(backend, "name", "")
    if name not in _PACKAGES or not isinstance(held, ops.DatabaseTable):
        raise DataError(
            source="the Ibis table",
            problem="is not a table of DuckDB or PostgreSQL",
            hint="give the table itself, without filters or other steps",
        )
    _require(name)
    names = held.namespace.database, held.name
    if name == "duckdb":
        place = held.namespace.catalog, *names
        return _in_duckdb(backend.con.cursor(), place, f"the DuckDB table {held.name}", progress)
    from psycopg.conninfo import make_conninfo  # noqa: PLC0415

    info = backend.con.info
    conninfo = make_conninfo(info.dsn, password=info.password)
    return _from_server(conninfo, names, f"the PostgreSQL table {held.name}", progress)


def _names(table: str) -> Names:
    parts = [unquote(part) for part in table.split(".")]
    if len(parts) > 2 or not all(parts) or "@" in table or any("\0" in part for part in parts):
        hint = f"{FORMS}, with %2E for a dot in a name, %23 for a # and %40 for an @"
        raise DataError(source="the address", problem="names no table", hint=hint)
    return (parts[0], parts[1]) if len(parts) == 2 else (None, parts[0])


def _require(engine: str) -> None:
    from importlib.util import find_spec  # noqa: PLC0415

    absent = [name for name in _PACKAGES[engine] if find_spec(name) is None]
    if absent:
        raise DataError(
            source="the address",
            problem=f"needs {' and '.join(absent)}",
            hint=f"run: pip install 'peekproof[{engine}]'",
        )


def _from_file(path: Path, names: Names, progress: Progress | None) -> Source:
    import duckdb  # noqa: PLC0415

    shown = f"duckdb://{path}#{'.'.join(filter(None, names))}"
    if not path.is_file():
        problem = "is a folder" if path.is_dir() else "does not exist"
        raise DataError(source=str(path), problem=problem, hint="name a DuckDB file")
    try:
        connection = duckdb.connect(str(path), read_only=True)
    except duckdb.Error as error:
        raise DataError(
            source=shown,
            problem=f"cannot be opened ({type(error).__name__})",
            hint="name a DuckDB file that no other process writes to",
        ) from error
    return _in_duckdb(connection, (None, *names), shown, progress)


def _in_duckdb(
    connection: Any,
    place: tuple[str | None, str | None, str],
    shown: str,
    progress: Progress | None,
) -> Source:
    import duckdb  # noqa: PLC0415

    from peekproof.data.sql.database import DatabaseSource  # noqa: PLC0415
    from peekproof.data.sql.duckdb import DuckDBLink  # noqa: PLC0415

    try:
        return DatabaseSource(DuckDBLink(connection, place, shown), progress)
    except duckdb.Error as error:
        connection.close()
        # Its own words may quote a cell; they stay in the chained exception.
        problem = f"cannot be read ({type(error).__name__})"
        hint = "check that all of the table can be read"
        raise DataError(source=shown, problem=problem, hint=hint) from error
    except BaseException:
        connection.close()
        raise


def _from_server(conninfo: str, names: Names, shown: str, progress: Progress | None) -> Source:
    import psycopg  # noqa: PLC0415

    from peekproof.data.sql.database import DatabaseSource  # noqa: PLC0415
    from peekproof.data.sql.postgres import PostgresLink  # noqa: PLC0415

    try:
        link = PostgresLink(conninfo, *names, shown)
        try:
            return DatabaseSource(link, progress)
        except BaseException:
            link.close()
            raise
    except psycopg.OperationalError as error:
        raise DataError(
            source=shown,
            problem=f"cannot be reached ({type(error).__name__})",
            hint="check host, port, user, password and database, and that the server runs",
        ) from None
    except psycopg.Error as error:
        raise DataError(
            source=shown,
            problem=f"cannot be read ({type(error).__name__})",
            hint="check that this user may read the table",
        ) from None
