"""Columns of a CSV or Parquet file: with the types they have elsewhere, or as they are written."""

from dataclasses import dataclass, field
from pathlib import Path
from typing import final

import polars as pl

from peekproof.core.errors import DataError, InvalidInput
from peekproof.data.files import SEPARATORS
from peekproof.data.fingerprint import fingerprint
from peekproof.data.load import normal_frame


@final
@dataclass(frozen=True, slots=True, eq=False)
class TableFile:
    """A file in memory. `name` is what errors call it, `content` names all that it says."""

    path: Path
    name: str
    content: str
    frame: pl.DataFrame = field(repr=False)

    @classmethod
    def read(cls, path: Path, *, name: str = "") -> "TableFile":
        """A file that holds as data, with the types that it has as data."""
        frame = normal_frame(path)
        return cls(path, name or str(path), fingerprint(frame), frame)

    @property
    def columns(self) -> list[str]:
        return self.frame.columns

    def need(self, argument: str, column: str) -> None:
        """Refuse a column that the file has not."""
        if column not in self.columns:
            raise InvalidInput(
                argument=argument,
                accepted=f"a column of {self.name} ({_listed(self.columns)})",
                given=repr(column)[:80],
            )

    def typed(self, argument: str, column: str) -> pl.Series:
        """A column in which nothing is missing."""
        self.need(argument, column)
        return self._complete(self.frame[column], column)

    def written(self, argument: str, column: str) -> pl.Series:
        """A column as text: of ids, all digits count and 007 is not 7."""
        self.need(argument, column)
        found = self._raw(column)
        if len(found) != self.frame.height:
            raise self._changed()
        return self._complete(found, column)

    def _changed(self) -> DataError:
        return DataError(
            source=self.name,
            problem="changed while it was read",
            hint="try again when nobody writes to it",
        )

    def _raw(self, column: str) -> pl.Series:
        separator = SEPARATORS.get(self.path.suffix.lower())
        if separator is not None:
            every = pl.read_csv(self.path, infer_schema=False, separator=separator, glob=False)
            return every[column]
        found = pl.read_parquet(self.path, columns=[column], glob=False)[column]
        return found.cast(pl.String)

    def _complete(self, column: pl.Series, name: str) -> pl.Series:
        missing = column.null_count()
        if missing:
            first = column.is_null().arg_max() or 0
            rows = f"row {first:,} (from 0)"
            if missing > 1:
                rows = f"{missing:,} rows, of which the first is {rows}"
            raise DataError(
                source=self.name,
                problem=f"has nothing in column {name!r} in {rows}",
                hint="give a value for every row, or leave these rows out",
            )
        return column


def _listed(columns: list[str], most: int = 12) -> str:
    more = f" and {len(columns) - most:,} more" if len(columns) > most else ""
    return ", ".join(columns[:most]) + more
