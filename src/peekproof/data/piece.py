"""Some rows as an engine in memory sees them, column by column.

Numbers, dates and moments are arrays of doubles with NaN for null: arithmetic keeps NaN, every
comparison with it is false, and no time depends on how many there are. Text and true/false
columns stay as Polars has them.
"""

from collections.abc import Mapping
from typing import final

import numpy as np
import numpy.typing as npt
import polars as pl

Doubles = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]


@final
class Columns:
    """Columns of equal length, from which pieces are cut."""

    def __init__(self, series: Mapping[str, pl.Series]) -> None:
        # Without a name, for Polars reads one like ^a$ as a pattern.
        self._series = {name: each.alias("") for name, each in series.items()}
        self._arrays: dict[str, Doubles] = {}

    def series(self, name: str) -> pl.Series:
        return self._series[name]

    def numeric(self, name: str) -> bool:
        return isinstance(self._series[name].dtype, pl.Float64 | pl.Date | pl.Datetime)

    def doubles(self, name: str) -> Doubles:
        """The column as numbers: the rows themselves where nothing is missing, else a copy."""
        found = self._arrays.get(name)
        if found is None:
            # Two threads may both come here; they find the same.
            found = self._arrays.setdefault(name, _doubles(self._series[name]))
        return found


def _doubles(series: pl.Series) -> Doubles:
    """With NaN for null. Steps that change nothing are left out, as they take time all the same."""
    plain = series
    if not isinstance(series.dtype, pl.Float64):
        plain = series.to_physical().cast(pl.Float64)
    return plain.fill_null(np.nan).to_numpy() if plain.has_nulls() else plain.to_numpy()


@final
class Piece:
    """Rows `start` to `stop` of some columns, with what has been computed of them so far."""

    __slots__ = ("_columns", "memo", "rows", "start", "stop")

    def __init__(self, columns: Columns, start: int, stop: int) -> None:
        self._columns = columns
        self.start, self.stop, self.rows = start, stop, stop - start
        self.memo: dict[object, object] = {}

    def numeric(self, name: str) -> bool:
        return self._columns.numeric(name)

    def doubles(self, name: str) -> Doubles:
        return self._columns.doubles(name)[self.start : self.stop]

    def series(self, name: str) -> pl.Series:
        return self._columns.series(name).slice(self.start, self.rows)
