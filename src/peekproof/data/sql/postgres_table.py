"""How a PostgreSQL table looks to questions."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, final

import ibis
import ibis.expr.datatypes as kinds

from peekproof.data.sql.ground import Value
from peekproof.data.sql.layout import Held, Layout
from peekproof.data.sql.normal import (
    EPOCH,
    as_is,
    cast,
    finite,
    flags,
    numbers,
    texts,
    times,
)
from peekproof.data.sql.operations import Operations
from peekproof.data.sql.postgres_operations import PostgresOperations
from peekproof.query.schema import Kind

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
