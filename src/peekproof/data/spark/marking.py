"""The fingerprint of a Spark frame: executors add up their own rows, the driver adds the sums."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

import polars as pl
import pyarrow as pa
from pyspark.sql import DataFrame

from peekproof.data.evaluate import without_nan
from peekproof.data.fingerprint import Fingerprint
from peekproof.data.spark.columns import Columns

_TOTALS = "rows long, low long, high long"
_PIECE = 1 << 16


def on_executors(frame: DataFrame, columns: Columns) -> Fingerprint:
    """The fingerprint of all rows, each partition's part of it computed where it lies."""
    found = Fingerprint(columns.types)
    adder = _adder(columns.types, _named(columns))
    for rows, low, high in columns.marked(frame).mapInArrow(adder, _TOTALS).collect():
        found.add_totals(rows, [low % 2**64, high % 2**64])
    return found


def on_driver(frame: DataFrame, columns: Columns) -> Fingerprint:
    """The same, with one partition of rows after another brought here."""
    found, names = Fingerprint(columns.types), _named(columns)
    rows = columns.marked(frame).toLocalIterator(prefetchPartitions=True)
    while piece := list(islice(rows, _PIECE)):
        found.add(_renamed(_framed(piece, columns.types, names), names))
    return found


def of_arrow(
    pieces: Iterable[pa.Table], types: Mapping[str, pl.DataType], names: Mapping[str, str]
) -> Fingerprint:
    """The fingerprint of pieces whose columns have other names."""
    found = Fingerprint(types)
    for piece in pieces:
        found.add(_renamed(pl.DataFrame(pl.from_arrow(piece)), names))
    return found


def _named(columns: Columns) -> dict[str, str]:
    return {columns.plain(name): name for name in columns.types}


def _adder(
    types: Mapping[str, pl.DataType], names: Mapping[str, str]
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    def added(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        try:
            tables = (pa.Table.from_batches([batch]) for batch in batches)
            found = of_arrow(tables, types, names)
        except Exception:
            # What went wrong may quote a row, and executors write down what is raised.
            raise RuntimeError("the rows of a partition cannot be read") from None
        low, high = (_signed(total) for total in found.totals)
        yield pa.RecordBatch.from_pydict({"rows": [found.rows], "low": [low], "high": [high]})

    return added


def _signed(total: int) -> int:
    """The same 64 bits as a signed number, for Spark has no other."""
    return total - 2**64 if total >= 2**63 else total


def _renamed(frame: pl.DataFrame, names: Mapping[str, str]) -> pl.DataFrame:
    return pl.DataFrame(
        [
            (without_nan(column) if column.dtype == pl.Float64 else column).alias(names[plain])
            for plain, column in zip(frame.columns, frame.get_columns(), strict=True)
        ]
    )


def _framed(
    rows: list[Any], types: Mapping[str, pl.DataType], names: Mapping[str, str]
) -> pl.DataFrame:
    def held(kind: pl.DataType) -> pl.DataType:
        return pl.Int64() if isinstance(kind, pl.Date | pl.Datetime) else kind

    return pl.DataFrame(
        [
            pl.Series(plain, [row[place] for row in rows], dtype=held(types[name]))
            for place, (plain, name) in enumerate(names.items())
        ]
    )
