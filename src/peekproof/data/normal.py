"""The few types that all engines share: a frame of any types becomes one of these."""

from collections.abc import Mapping

import numpy as np
import polars as pl

from peekproof.data.evaluate import without_nan
from peekproof.query.schema import Kind, Schema

MOMENT = pl.Datetime("us", "UTC")

_KINDS: dict[type[pl.DataType], Kind] = {
    pl.Float64: Kind.NUMBER,
    pl.String: Kind.TEXT,
    pl.Boolean: Kind.FLAG,
    pl.Date: Kind.DATE,
    pl.Datetime: Kind.MOMENT,
}


def normalised(frame: pl.DataFrame) -> pl.DataFrame:
    """Numbers as doubles without NaN, categories as text, moments in UTC; no nested columns."""
    kept = [column for column in frame.get_columns() if normal_type(column.dtype) is not None]
    # By name, for in a list a column without one would be given one.
    return pl.DataFrame({column.name: _normal(column) for column in kept}).rechunk()


def normal_type(kind: pl.DataType) -> pl.DataType | None:
    """What a column of this type becomes; None if it is left out."""
    if kind.is_numeric() or kind == pl.Null:
        return pl.Float64()
    if isinstance(kind, pl.Categorical | pl.Enum):
        return pl.String()
    if isinstance(kind, pl.Datetime):
        return MOMENT
    plain = isinstance(kind, pl.String | pl.Boolean) or kind.is_temporal()
    return kind if plain else None


def schema_of(types: Mapping[str, pl.DataType]) -> Schema:
    """How columns of these normal types take part in questions."""
    return Schema({name: _KINDS.get(type(kind), Kind.OTHER) for name, kind in types.items()})


def _holds_nan(column: pl.Series) -> bool:
    """Whether NaN has to be taken out, which takes far longer than to look for it."""
    if not column.dtype.is_float():
        return False
    if column.has_nulls():
        return bool(column.alias("").is_nan().any())  # some names are patterns to Polars
    return bool(np.isnan(column.to_numpy()).any())


def _normal(column: pl.Series) -> pl.Series:
    kind = normal_type(column.dtype)
    if isinstance(kind, pl.Float64):
        plain = column.cast(pl.Float64)
        return without_nan(plain) if _holds_nan(column) else plain
    if isinstance(column.dtype, pl.Datetime):
        # Without a zone it is taken as it is written.
        zoned = column if column.dtype.time_zone else column.dt.replace_time_zone("UTC")
        return zoned.dt.convert_time_zone("UTC").cast(MOMENT)
    return column.cast(kind) if kind is not None else column
