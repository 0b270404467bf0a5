"""Anything tabular becomes a Polars frame with four kinds of columns.

Numbers become doubles and NaN becomes null, so that every engine can agree on every count;
text and true/false columns and dates stay as they are; moments are in UTC and microseconds;
times of a day and durations stay for the fingerprint but cannot be asked about; nested and
binary columns are left out.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import polars as pl

from peekproof.core.errors import DataError
from peekproof.data.address import is_address, is_pattern, scheme_of, shown
from peekproof.data.csv_types import csv_types
from peekproof.data.files import SEPARATORS
from peekproof.data.normal import normalised, schema_of
from peekproof.data.room import fits
from peekproof.data.scan import scan
from peekproof.data.source import Progress, Source
from peekproof.data.table import Table

if TYPE_CHECKING:
    from ibis import Table as IbisTable
    from pandas import DataFrame as PandasFrame
    from pyspark.sql import DataFrame as SparkFrame

_ACCEPTED = (
    "give a CSV or Parquet file, a pandas, Polars or Arrow table, or a dict of equally long arrays"
)


def load(source: object, *, progress: Progress | None = None) -> Source:
    """The rows of `source`, where they are if they are too many to be read into memory.

    `progress` is told how much of how much is done, whenever an engine reads all of them.
    """
    if isinstance(source, Source):
        return source
    if isinstance(source, str) and is_address(source):
        return _at(source, progress)
    match type(source).__module__.partition(".")[0]:
        case "ibis":
            from peekproof.data.sql.address import from_ibis  # noqa: PLC0415 (an extra)

            return from_ibis(cast("IbisTable", source), progress=progress)
        case "pyspark":
            from peekproof.data.spark.opening import from_dataframe  # noqa: PLC0415 (an extra)

            return from_dataframe(cast("SparkFrame", source))
    if isinstance(source, str | Path) and _stays_outside(source):
        return scan(source, progress=progress)
    return in_memory(source, progress=progress)


def _stays_outside(source: str | Path) -> bool:
    try:
        return is_pattern(source) or (Path(source).is_file() and not fits(source))
    except OSError:
        return False  # what is wrong with the path is said where it is read


def _at(address: str, progress: Progress | None) -> Source:
    """The table at an address; each engine is imported only for its own."""
    match scheme_of(address):
        case "duckdb" | "postgresql" | "postgres":
            from peekproof.data.sql.address import open_url  # noqa: PLC0415 (an extra)

            return open_url(address, progress=progress)
        case "spark":
            from peekproof.data.spark.opening import open_spark  # noqa: PLC0415 (an extra)

            return open_spark(address)
        case scheme:
            raise DataError(
                source=shown(address),
                problem=f"has an unknown scheme {scheme!r}",
                hint="write duckdb:///FILE#TABLE, postgresql://HOST/DB#TABLE or "
                "spark://MASTER#TABLE",
            )


def in_memory(source: object, *, progress: Progress | None = None) -> Table:
    """The rows of `source`, read into memory; `progress` is told of questions to them."""
    frame = normal_frame(source)
    return Table(frame, schema_of(frame.schema), progress=progress)


def normal_frame(source: object) -> pl.DataFrame:
    """The rows of `source` as they are held, for what holds them by itself."""
    name = str(source) if isinstance(source, str | Path) else f"the {type(source).__name__}"
    frame = _frame(source, name)
    if frame.width == 0:
        raise DataError(source=name, problem="has no columns", hint=_ACCEPTED)
    if frame.height == 0:
        raise DataError(
            source=name,
            problem="has no rows",
            hint="there is nothing to learn about a population from 0 rows",
        )
    return frame


def _frame(source: object, name: str) -> pl.DataFrame:
    """The rows as a normal frame."""
    try:
        return normalised(_given(source, name))
    except (DataError, MemoryError):
        raise
    except (Exception, pl.exceptions.PanicException) as error:
        # The reader's own words may quote a cell; they stay in the chained exception.
        problem = f"cannot be read ({type(error).__name__})"
        raise DataError(source=name, problem=problem, hint=_ACCEPTED) from error


def _given(source: object, name: str) -> pl.DataFrame:
    if isinstance(source, str | Path):
        return _read(Path(source), name)
    if isinstance(source, pl.LazyFrame):
        return source.collect()
    if isinstance(source, pl.DataFrame):
        return source
    if type(source).__module__.partition(".")[0] == "pandas":
        return _from_pandas(cast("PandasFrame", source), name)
    if isinstance(source, Mapping):
        return _from_columns(source, name)
    if hasattr(source, "__arrow_c_stream__"):
        return pl.DataFrame(source)
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
            # By the types that a scan finds: the same file is the same data in and out of memory.
            separator = SEPARATORS[suffix]
            types = csv_types(path, separator)
            return pl.read_csv(path, schema=types, separator=separator, glob=False)
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
        raise _same_names(name)
    columns: dict[str, object] = {}
    for label in source.columns:
        column = source[label]
        plain = isinstance(column.dtype, np.dtype) and column.dtype.kind in "iufb"
        columns[str(label)] = (
            column.to_numpy()
            if plain
            else column.astype(object).where(column.notna(), None).tolist()
        )
    return _from_columns(columns, name)


def _from_columns(source: Mapping[Any, object], name: str) -> pl.DataFrame:
    """Arrays and lists; a list may mix whole numbers and others, an array may hold objects."""
    if len(set(map(str, source))) < len(source):
        raise _same_names(name)
    columns = {str(label): _own(values) for label, values in source.items()}
    return pl.DataFrame(columns, strict=False)


def _own(values: object) -> object:
    """Values that nobody changes later: Polars shares the memory of an array with its owner."""
    if not isinstance(values, np.ndarray):
        return values
    return values.tolist() if values.dtype.kind == "O" else values.copy()


def _same_names(name: str) -> DataError:
    return DataError(
        source=name,
        problem="has two columns of the same name",
        hint="rename one of them (names are compared as text)",
    )
