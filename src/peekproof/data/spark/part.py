"""A part of a split, decided row by row on the executors."""

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as f

from peekproof.data.drawing import LARGEST, needs_column, unsuitable
from peekproof.data.frame import Frame
from peekproof.data.spark.columns import Columns
from peekproof.query.schema import Kind


def part_of(frame: DataFrame, columns: Columns, part: Frame) -> DataFrame:
    """The rows of a part only: which ones depends on no question."""
    positions = _positions(frame)
    digest = f.md5(f.concat(f.lit(part.salted("")), _written(positions, columns, part.by)))
    held = positions.filter(f.substring(digest, 1, 2).isin(sorted(part.buckets)))
    return held.toDF(*frame.columns)


def check_distinct(frame: DataFrame, columns: Columns, by: str, *, rows: int) -> None:
    """Refuse a column that cannot tell all rows apart."""
    if not by:
        raise needs_column()
    positions = _positions(frame)
    key = _key(positions, columns, by)
    usable = key.isNotNull()
    if columns.schema.columns[by] is Kind.NUMBER:
        usable = (f.abs(key) < f.lit(LARGEST)) & (f.floor(key) == key)
    counted = f.sum(f.when(usable, f.lit(1)).otherwise(f.lit(0)))
    ((values, whole),) = positions.select(f.count_distinct(key), counted).collect()
    if whole != rows:
        raise unsuitable(by, "a value that is missing, not whole or too large")
    if values != rows:
        raise unsuitable(by, "a value that two rows have")


def _positions(frame: DataFrame) -> DataFrame:
    """The columns by position: what one is called reaches no expression."""
    return frame.toDF(*(f"p{place}" for place in range(len(frame.columns))))


def _key(positions: DataFrame, columns: Columns, by: str) -> Column:
    column = positions[f"p{columns.places[by]}"]
    kind = "double" if columns.schema.columns[by] is Kind.NUMBER else "string"
    return column.cast(kind)


def _written(positions: DataFrame, columns: Columns, by: str) -> Column:
    """The column as all engines write it: text as it is, whole numbers in decimal digits."""
    key = _key(positions, columns, by)
    number = columns.schema.columns[by] is Kind.NUMBER
    return key.cast("long").cast("string") if number else key
