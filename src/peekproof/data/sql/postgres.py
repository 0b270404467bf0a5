"""PostgreSQL: addresses, the catalogue, how its tables look to questions, and the connection.

The address of a table is a URI for libpq, and after # the name of the table. The catalogue says
which columns a table has, and whether its rows are still the same.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, final
from urllib.parse import quote

import ibis
import ibis.expr.datatypes as kinds
import polars as pl
import psycopg
from psycopg import RawCursor, RawServerCursor, errors, sql
from psycopg.conninfo import conninfo_to_dict, make_conninfo
from psycopg.pq import TransactionStatus

from peekproof.core.errors import DataChanged, DataError
from peekproof.data.sql.compile import Operations, Value
from peekproof.data.sql.guards import PostgresOperations
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

_DEFAULTS = {"connect_timeout": "10", "application_name": "peekproof"}
_FIXED = {"client_encoding": "utf8"}
_PORTS = re.compile(r"[0-9, ]*")  # one for each host


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """How to connect; `shown` is the same without a password."""

    connection: str = field(repr=False)
    shown: str


def read_address(where: str, names: tuple[str | None, str]) -> Address:
    """The address of a table in the database that a URI names."""
    try:
        parts = {key: str(value) for key, value in conninfo_to_dict(where).items()}
    except psycopg.Error:
        # Its message may quote a password that was taken for something else.
        raise _refused() from None
    where_shown = [parts.get(each, "") for each in ("host", "hostaddr", "port", "dbname")]
    if any("@" in each for each in where_shown) or not _PORTS.fullmatch(parts.get("port", "")):
        raise _refused()
    user, host = parts.get("user", ""), parts.get("host") or parts.get("hostaddr", "")
    socket = host.startswith("/")
    start = f"{quote(user)}@" if user else ""
    port = f":{parts['port']}" if "port" in parts else ""
    tail = f"?host={quote(host)}" if socket else ""
    table = ".".join(quote(each) for each in names if each is not None)
    database = quote(parts.get("dbname", ""))
    return Address(
        connection=make_conninfo(**{**_DEFAULTS, **parts, **_FIXED}),
        shown=f"postgresql://{start}{'' if socket else host}{port}/{database}{tail}#{table}",
    )


def _refused() -> DataError:
    """The error repeats nothing of the address, since any of it may be a password."""
    return DataError(
        source="the address",
        problem="is not one that libpq can read",
        hint="write postgresql://USER@HOST/DATABASE#TABLE, and %40 for an @ in a password, "
        "%2F for a /, %3F for a ?, %23 for a #, %25 for a %",
    )


_WHOLE = ("int2", "int4", "int8")
_CAST_TO_TEXT = ("bpchar", "citext", "name")
# A decimal is rounded to an infinite double from the middle between the largest one and 2**1024
# on, and to 0 up to the middle between 0 and the smallest one.
_INFINITE = str(2**1024 - 2**970)
_NOTHING = f"{5**1075}e-1075"
_WIDEST = 300
# Where 64 bits of microseconds end: a minute, in seconds, and how many microseconds it has left.
_LAST_MINUTE, _LEFT = 9_223_372_036_800.0, 54_775_807.0


@final
@dataclass(frozen=True, slots=True)
class Typed:
    """A column, with its base type if it has a domain."""

    name: str
    type: str
    enum: bool
    modifier: int
    bytewise: bool  # whether equal texts have equal bytes


def layout(name: str, schema: str, columns: Sequence[Typed]) -> Layout:
    """The layout of a table."""
    found = {column.name: _held(column) for column in columns}
    held = {column: each for column, each in found.items() if each is not None}
    known = {column: each[0] for column, each in held.items()}
    table = ibis.table(known, name=name, database=schema)
    return Layout(
        "postgres",
        table,
        {column: each[1] for column, each in held.items()},
        PostgresOperations,
        fenced=True,
    )


def _held(column: Typed) -> tuple[Any, Held] | None:
    match column.type:
        case "float8":
            return kinds.float64, numbers(with_nan=True)
        case "float4":
            return kinds.float32, numbers(cast("float64"), with_nan=True)
        case whole if whole in _WHOLE:
            return kinds.int64, numbers(cast("float64"))
        case "numeric":
            if _fits(column.modifier):
                return kinds.decimal, numbers(cast("float64"), with_nan=True)
            return kinds.decimal, numbers(_rounded)
        case "text" | "varchar":
            return kinds.string, texts(as_is if column.bytewise else _bytewise)
        case other if other in _CAST_TO_TEXT or column.enum:
            step = cast("string")
            plain = column.bytewise or column.enum
            return kinds.unknown, texts(step if plain else lambda v, d: _bytewise(step(v, d), d))
        case "bool":
            return kinds.boolean, flags()
        case "date":
            return kinds.date, times(Kind.DATE, _days)
        case "timestamp":
            return kinds.timestamp, times(Kind.MOMENT, _microseconds)
        case "timestamptz":
            return kinds.Timestamp("UTC"), times(Kind.MOMENT, _zoned)
        case _:
            return None


def _fits(modifier: int) -> bool:
    """Whether all decimals of a declared precision and scale are far inside the doubles."""
    if modifier < 0:
        return False
    precision, scale = (modifier - 4) >> 16 & 0xFFFF, (modifier - 4) & 0x7FF
    return precision + scale <= _WIDEST


def _rounded(value: Value, does: Operations) -> Value:
    """The nearest double; PostgreSQL's cast alone raises an error where that is 0 or ±∞."""

    def decimal(text: str) -> Value:
        return does.ground.fixed(text, "string").cast("decimal")

    beyond = does.cases(
        (value == decimal("NaN"), does.missing()),
        (value > decimal("0"), does.constant(float("inf"))),
        otherwise=does.constant(float("-inf")),
    )
    size = value.abs()
    return does.cases(
        (size >= decimal(_INFINITE), beyond),
        (size <= decimal(_NOTHING), does.constant(0.0)),
        otherwise=value.cast("float64"),
    )


def _bytewise(value: Value, does: Operations) -> Value:
    """Text without its collation, under which different texts may be equal."""
    utf8 = does.ground.fixed("UTF8", "string")
    encoded = does.ground.call("convert_to", "string, string > binary", value, utf8)
    return does.ground.call("convert_from", "binary, string > string", encoded, utf8)


def _days(value: Value, does: Operations) -> Value:
    epoch = does.ground.fixed(EPOCH, "date")
    days = does.ground.call("date_mi", "date, date > int32", value, epoch)
    return finite(value, does, "date", days.cast("int64"))


def _zoned(value: Value, does: Operations) -> Value:
    utc = does.ground.fixed("UTC", "string")
    zone = does.ground.call("timezone", "string, timestamp('UTC') > timestamp", utc, value)
    return _microseconds(zone, does)


def _microseconds(value: Value, does: Operations) -> Value:
    """By whole minutes and the microseconds of the last one, both of which doubles hold."""
    ground = does.ground

    def part(field: str, of: Value) -> Value:
        name = ground.fixed(field, "string")
        return ground.call("date_part", "string, timestamp > float64", name, of)

    minute = ground.call(
        "date_trunc", "string, timestamp > timestamp", ground.fixed("minute", "string"), value
    )
    start, rest = part("epoch", minute), part("microseconds", value)
    last = (start == does.constant(_LAST_MINUTE)) & (rest <= does.constant(_LEFT))
    held = (start.abs() < does.constant(_LAST_MINUTE)) | last
    whole = start.cast("int64") * does.long(1_000_000) + rest.cast("int64")
    return held.ifelse(whole, ground.null("int64"))


Run = Callable[[Any, Sequence[Any]], list[tuple[Any, ...]]]

_REFUSED = {"v": "view", "f": "foreign table"}
_KEPT = ("r", "p", "m")

_RELATIONS = """
    SELECT n.nspname, c.relname, c.relkind::text, c.oid::bigint, pg_table_is_visible(c.oid)
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind IN ('r', 'p', 'm', 'v', 'f')
      AND n.nspname NOT IN ('pg_catalog', 'information_schema', 'pg_toast')
"""
_FOREIGN_PARTS = """
    SELECT count(*) FROM pg_catalog.pg_partition_tree($1::bigint::oid::regclass) t
    JOIN pg_catalog.pg_class c ON c.oid = t.relid WHERE c.relkind = 'f'
"""
# A domain is followed to the type that it is made of.
_COLUMNS = """
    WITH RECURSIVE based AS (
        SELECT a.attnum, a.attname, a.attcollation, a.atttypid AS type, a.atttypmod AS modifier
        FROM pg_catalog.pg_attribute a
        WHERE a.attrelid = $1::bigint::oid AND a.attnum > 0 AND NOT a.attisdropped
      UNION ALL
        SELECT b.attnum, b.attname, b.attcollation, t.typbasetype, t.typtypmod
        FROM based b JOIN pg_catalog.pg_type t ON t.oid = b.type WHERE t.typtype = 'd'
    )
    SELECT b.attname, t.typname, t.typtype = 'e', b.modifier, coalesce(c.collisdeterministic, true)
    FROM based b JOIN pg_catalog.pg_type t ON t.oid = b.type
    LEFT JOIN pg_catalog.pg_collation c ON c.oid = b.attcollation
    WHERE t.typtype <> 'd' ORDER BY b.attnum
"""
_DEFINITION = """
    SELECT attnum, attname, atttypid::bigint, atttypmod, attcollation::bigint
    FROM pg_catalog.pg_attribute
    WHERE attrelid = $1::bigint::oid AND attnum > 0 AND NOT attisdropped ORDER BY attnum
"""
_VERSIONS = """
    SELECT count(*), sum(x), sum(x * x), count(DISTINCT x)
    FROM (SELECT xmin::text::numeric AS x FROM {}) AS held
"""


@final
@dataclass(frozen=True, slots=True)
class Relation:
    """A table of a database."""

    schema: str
    table: str
    oid: int


def found(run: Run, schema: str | None, table: str, source: str) -> Relation:
    """The table of this name, in the schema or where the user's search path finds it."""
    known = run(_RELATIONS, [])
    for held, name, kind, oid, visible in known:
        if name == table and (held == schema if schema is not None else visible):
            if kind in _REFUSED:
                raise not_a_table(source, table, _REFUSED[kind])
            ((foreign,),) = run(_FOREIGN_PARTS, [oid]) if kind == "p" else ((0,),)
            if foreign:
                raise not_a_table(source, table, "table with foreign partitions")
            return Relation(held, table, oid)
    names = [
        f"{held}.{name}" if schema or not visible else name
        for held, name, kind, _, visible in known
        if kind in _KEPT
    ]
    wanted = table if schema is None else f"{schema}.{table}"
    raise no_such_table(source, wanted, names)


def columns(run: Run, relation: Relation) -> list[Typed]:
    """The columns with their types."""
    return [Typed(*row) for row in run(_COLUMNS, [relation.oid])]


def version(run: Run, relation: Relation) -> tuple[Any, ...]:
    """A token that changes with the rows: which transactions wrote how many of them."""
    place = sql.Identifier(relation.schema, relation.table)
    held = run(sql.SQL(_VERSIONS).format(place), [])
    return (relation.oid, *held, *run(_DEFINITION, [relation.oid]))


def check_encoding(run: Run, source: str) -> None:
    """Refuse a database that cannot hold every text."""
    ((encoding,),) = run("SELECT current_setting('server_encoding')", [])
    if encoding != "UTF8":
        raise DataError(
            source=source,
            problem=f"is in a database with the encoding {encoding}",
            hint="text is compared in UTF8 only; copy the table to a database with that encoding",
        )


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
            check_encoding(self._run, name)
            self._place = found(self._run, schema, table, name)
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
            self._version = version(self._run, self._place)
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
        return columns(self._run, self._place)

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
            found = version(self._run, self._place)
            same = self._columns() == self._typed and (
                found == self._version or self._recounted() == self._fingerprint
            )
        except errors.UndefinedTable:
            same = False
        if not same:
            raise DataChanged(source=self.name) from None
        self._version = found

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
