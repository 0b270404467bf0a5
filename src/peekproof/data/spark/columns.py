"""A Spark frame as questions see it, and as a fingerprint does: plain types, plain names.

Columns are taken by position and named c0, c1, …: what a column is called reaches no expression.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import polars as pl
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f
from pyspark.sql import types as spark
from pyspark.sql.types import DataType

from peekproof.core.errors import DataError
from peekproof.data.normal import MOMENT, schema_of
from peekproof.query.schema import Kind, Schema

_Shown = Callable[[Column, Kind, DataType], Column]


@final
@dataclass(frozen=True, slots=True)
class Columns:
    """The columns that are held: their normal types, in the order of the frame."""

    types: dict[str, pl.DataType]
    places: dict[str, int]
    with_nan: frozenset[str]

    @property
    def schema(self) -> Schema:
        return schema_of(self.types)

    def plain(self, name: str) -> str:
        """What the column is called in `asked` and `marked`."""
        return f"c{self.places[name]}"

    def asked(self, frame: DataFrame) -> DataFrame:
        """Numbers, dates and moments as doubles, text by code points, flags as they are."""
        return self._selected(frame, _asked)

    def marked(self, frame: DataFrame) -> DataFrame:
        """What a fingerprint is made of: dates and moments as whole numbers, exactly."""
        return self._selected(frame, _marked)

    def _selected(self, frame: DataFrame, shown: _Shown) -> DataFrame:
        positions = frame.toDF(*(f"p{place}" for place in range(len(frame.columns))))
        kinds = self.schema.columns
        fields = positions.schema.fields
        return positions.select(
            *(
                # Metadata would make Spark pad what a CHAR column is compared with.
                shown(positions[f"p{place}"], kinds[name], fields[place].dataType).alias(
                    f"c{place}", metadata={}
                )
                for name, place in self.places.items()
            )
        )


def columns_of(frame: DataFrame, *, source: str) -> Columns:
    """The columns of a frame that can be held; nested and binary ones are left out."""

    fields = frame.schema.fields
    names = [field.name for field in fields]
    if len(set(names)) < len(names):
        raise DataError(
            source=source, problem="has two columns of the same name", hint="rename one of them"
        )
    normal = {field.name: _normal(field.dataType) for field in fields}
    types = {name: kind for name, kind in normal.items() if kind is not None}
    if not types:
        raise DataError(
            source=source,
            problem="has no columns that can be held",
            hint="give columns of numbers, text, true/false, dates or moments",
        )
    floating = (spark.DoubleType, spark.FloatType)
    return Columns(
        types=types,
        places={name: place for place, name in enumerate(names) if name in types},
        with_nan=frozenset(each.name for each in fields if isinstance(each.dataType, floating)),
    )


def _normal(kind: DataType) -> pl.DataType | None:
    match kind:
        case spark.NumericType() | spark.NullType():
            return pl.Float64()
        case spark.StringType() | spark.CharType() | spark.VarcharType():
            return pl.String()
        case spark.BooleanType():
            return pl.Boolean()
        case spark.DateType():
            return pl.Date()
        case spark.TimestampType() | spark.TimestampNTZType():
            return MOMENT
        case spark.DayTimeIntervalType():
            return pl.Duration("us")
        case spark.TimeType():
            return pl.Time()
        case _:
            return None


def _asked(column: Column, kind: Kind, given: DataType) -> Column:
    match kind:
        case Kind.DATE | Kind.MOMENT:
            return _marked(column, kind, given).cast("double")
        case Kind.OTHER:
            # Only whether it is missing can be asked.
            return f.when(column.isNotNull(), f.lit(0.0))
        case _:
            return _marked(column, kind, given)


def _marked(column: Column, kind: Kind, given: DataType) -> Column:
    match kind:
        case Kind.NUMBER:
            return column.cast("double")
        case Kind.TEXT:
            # Without this a column's collation would decide what is equal.
            return column.cast(spark.StringType())
        case Kind.DATE:
            return f.unix_date(column).cast("long")
        case Kind.MOMENT:
            zoned = isinstance(given, spark.TimestampType)
            return f.unix_micros(column if zoned else column.cast("timestamp"))
        case _:
            return column
