"""How a DuckDB table looks to questions."""

import re
from typing import Any

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
