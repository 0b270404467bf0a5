"""Anything tabular becomes a Polars frame with four kinds of columns.

Numbers become doubles and NaN becomes null, so that every engine can agree on every count;
text and true/false columns stay as they are; temporal columns stay for the fingerprint but
cannot be asked about; nested and binary columns are left out.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import polars as pl

from holdfast.core.errors import DataError
from holdfast.data.evaluate import without_nan
from holdfast.data.table import Table
from holdfast.query.schema import Kind, Schema

if TYPE_CHECKING:
    from pandas import DataFrame as PandasFrame

_ACCEPTED = (
    "give a CSV or Parquet file, a pandas, Polars or Arrow table, or a dict of equally long arrays"
)


def load(source: object) -> Table:
    """The rows of `source`, held in memory; a table is returned as it is."""
    if isinstance(source, Table):
        return source
    name = str(source) if isinstance(source, str | Path) else f"the {type(source).__name__}"
    frame = _normalised(_frame(source, name))
    if frame.width == 0:
        raise DataError(source=name, problem="has no columns", hint=_ACCEPTED)
    if frame.height == 0:
        raise DataError(
            source=name,
            problem="has no rows",
            hint="there is nothing to learn about a population from 0 rows",
        )
    return Table(frame, Schema({column: _kind(kind) for column, kind in frame.schema.items()}))


def _frame(source: object, name: str) -> pl.DataFrame:
    try:
        if isinstance(source, str | Path):
            return _read(Path(source), name)
        if isinstance(source, pl.LazyFrame):
            return source.collect()
        if isinstance(source, pl.DataFrame):
            return source
        if type(source).__module__.partition(".")[0] == "pandas":
            return _from_pandas(cast("PandasFrame", source), name)
        if isinstance(source, Mapping):
            return _from_columns(source)
        if hasattr(source, "__arrow_c_stream__"):
            return pl.DataFrame(source)
    except (DataError, MemoryError):
        raise
    except Exception as error:
        # The reader's own words may quote a cell; they stay in the chained exception.
        problem = f"cannot be read ({type(error).__name__})"
        raise DataError(source=name, problem=problem, hint=_ACCEPTED) from error
    raise DataError(source=name, problem="is not a table", hint=_ACCEPTED)


def _read(path: Path, name: str) -> pl.DataFrame:
    if path.is_dir():
        raise DataError(source=name, problem="is a folder", hint="name one CSV or Parquet file")
    if not path.exists():
        raise DataError(source=name, problem="does not exist", hint="check the path")
    if path.stat().st_size == 0:
        raise DataError(source=name, problem="is an empty file", hint=_ACCEPTED)
    match path.suffix.lower():
        case ".parquet" | ".pq":
            return pl.read_parquet(path, glob=False)
        case ".csv" | ".tsv" | ".txt" as suffix:
            # Types are inferred from all rows: a prefix could make a later row an error.
            separator = "\t" if suffix == ".tsv" else ","
            return pl.read_csv(path, infer_schema_length=None, separator=separator, glob=False)
        case suffix:
            raise DataError(
                source=name,
                problem=f"has an unknown ending {suffix!r}",
                hint="name a .csv, .tsv or .parquet file",
            )


def _from_pandas(source: "PandasFrame", name: str) -> pl.DataFrame:
    """Column by column, so that neither pyarrow nor an index is needed."""
    labels = [str(label) for label in source.columns]
    if len(set(labels)) < len(labels):
        raise DataError(
            source=name,
            problem="has two columns of the same name",
            hint="rename one of them (names are compared as text)",
        )
    columns: dict[str, object] = {}
    for label in source.columns:
        column = source[label]
        plain = isinstance(column.dtype, np.dtype) and column.dtype.kind in "iufb"
        columns[str(label)] = (
            column.to_numpy()
            if plain
            else column.astype(object).where(column.notna(), None).tolist()
        )
    return _from_columns(columns)


def _from_columns(source: Mapping[Any, object]) -> pl.DataFrame:
    """Arrays and lists; a list may mix whole numbers and others, an array may hold objects."""
    columns = {
        str(name): values.tolist()
        if isinstance(values, np.ndarray) and values.dtype.kind == "O"
        else values
        for name, values in source.items()
    }
    return pl.DataFrame(columns, strict=False)


def _normalised(frame: pl.DataFrame) -> pl.DataFrame:
    columns = []
    for column in frame.get_columns():
        kind = column.dtype
        if kind.is_numeric() or kind == pl.Null:
            columns.append(without_nan(column.cast(pl.Float64)))
        elif isinstance(kind, pl.Categorical | pl.Enum):
            columns.append(column.cast(pl.String))
        elif isinstance(kind, pl.String | pl.Boolean) or kind.is_temporal():
            columns.append(column)
    return pl.DataFrame(columns).rechunk()


def _kind(kind: pl.DataType) -> Kind:
    if isinstance(kind, pl.Float64):
        return Kind.NUMBER
    if isinstance(kind, pl.String):
        return Kind.TEXT
    return Kind.FLAG if isinstance(kind, pl.Boolean) else Kind.OTHER
