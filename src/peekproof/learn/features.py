"""Features of rows, as they are compared: whatever holds them, and rounded to 32 bits.

Names of rows are of all digits, for predictions are about these very rows. Copies are not: models
are fitted to 32-bit floats, to arrays instead of frames, and to columns in another order.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import numpy as np
import numpy.typing as npt
import polars as pl

from peekproof.core.shared_columns import ColumnMark
from peekproof.data.column_marks import canonical, rows_mark, short_words, table_marks
from peekproof.data.fingerprint import CHUNK, Words, mixed, words_of
from peekproof.data.load import given_frame
from peekproof.data.normal import normal_type, normalised
from peekproof.learn.naming import numbers, plain

ACCEPTED = (
    "an array, a list, a pandas, Polars or Arrow table or one column of it, a dictionary of "
    "columns, or a SciPy matrix"
)
_COLUMNS = 64  # whose values are marked; images and embeddings have thousands
_DIGITS = 3  # after the point, of numbers that somebody has written down or rounded
_ROUNDED = 2.0**-22  # of a number, by which 32 bits may miss it
_KEY = np.uint64(0x9E37_79B9_7F4A_7C15)


@final
@dataclass(frozen=True, slots=True)
class Spread:
    """How many different values a column has, and how many there are that it may well have.

    Of whole numbers, and of decimals of few digits, these are all between the least and the
    greatest; of measurements more than can be counted, which is None; of others those it has.
    """

    different: int
    possible: int | None
    text: bool = False


@final
class Features:
    """The features of rows: a word for each row, the same for the same values.

    Numbers are taken as 32-bit floats, −0 as 0, true as 1, and all that is missing as the same.
    `names` are those of the columns, if they have some: then they may come in any order.
    """

    def __init__(
        self, rows: Words, columns: Sequence[Callable[[], pl.Series]], names: tuple[str, ...] | None
    ) -> None:
        self.rows = rows
        self.names = names
        self._columns = columns

    @classmethod
    def of(cls, given: object) -> "Features | None":
        """The features that somebody gives; None if their rows cannot be told apart."""
        features: Any = plain(given)
        if hasattr(features, "tocsr"):
            return cls(_of_sparse(features.tocsr()), (), None)
        names = _names(features)
        found = numbers(features)
        if found is not None:
            matrix = found.reshape(len(found), -1) if len(found) else found.reshape(0, 1)
            columns = [_part(matrix, place) for place in range(matrix.shape[1])]
            return cls(_of_matrix(matrix), columns, names)
        series = [each.alias("") for each in _series(features)]  # some names are patterns to Polars
        if not series:
            return None
        return cls(_combined([_words(each) for each in series]), [_given(e) for e in series], names)

    @cached_property
    def by_name(self) -> Words | None:
        """As `rows`, with the columns in the order of their names; None if they have none."""
        if self.names is None:
            return None
        order = sorted(range(len(self.names)), key=self.names.__getitem__)
        if order == list(range(len(order))):
            return self.rows
        return _combined([_words(self._columns[place]()) for place in order])

    def like(self, other: "Features") -> tuple[Words, Words]:
        """The words of the rows of both, by the names of columns if these are the same."""
        mine, theirs = self.by_name, other.by_name
        same = self.names and other.names and set(self.names) == set(other.names)
        if same and mine is not None and theirs is not None:
            return mine, theirs
        return self.rows, other.rows

    def spreads(self, places: npt.NDArray[np.intp]) -> list["Spread"]:
        """How far each column tells these rows apart; a matrix that is sparse has none."""
        return [_spread(each().gather(places)) for each in self._columns]

    def marks(self, label: pl.Series) -> list[ColumnMark]:
        """What labels are recognised by together with features, in any order of rows.

        Always of both: the same rows may have other labels, which have a budget of their own. One
        mark is of whole rows, and tells as much as a fingerprint does. Others are of the first
        columns one by one, for some may be left out.
        """
        words = canonical(label.alias(""), words_of(label))
        beside = mixed(mixed(words ^ _KEY) ^ _KEY)
        rows = [self.rows] if self.names is None else [self.rows, self.by_name]
        found = [rows_mark(label.name, each ^ beside) for each in rows if each is not None]
        columns = {str(at): each() for at, each in enumerate(self._columns[:_COLUMNS])}
        frame = normalised(pl.DataFrame(columns))
        return [*found, *table_marks(frame, beside=beside, name=label.name)]


def _names(features: Any) -> tuple[str, ...] | None:
    """The names of the columns of a frame, if they are texts, each once: else places tell more."""
    frame = isinstance(features, pl.DataFrame) or hasattr(features, "itertuples")
    names = list(features.columns) if frame else []
    fine = all(isinstance(each, str) for each in names) and len(set(names)) == len(names)
    return tuple(names) if names and fine else None


def _part(matrix: npt.NDArray[np.generic], place: int) -> Callable[[], pl.Series]:
    return lambda: pl.Series("", matrix[:, place].astype(np.float64))


def _given(column: pl.Series) -> Callable[[], pl.Series]:
    return lambda: column


def _series(features: Any) -> list[pl.Series]:
    """The columns of features that are not all numbers; rows that have none are one."""
    if isinstance(features, pl.DataFrame):
        return features.get_columns()
    if hasattr(features, "itertuples"):  # a pandas frame
        try:
            return given_frame(features).get_columns()
        except (Exception, pl.exceptions.PanicException):  # two of one name, or objects
            return [_as_written(features.itertuples(index=False, name=None))]
    if not isinstance(features, list | tuple | np.ndarray):
        return []
    try:
        table = np.array(features, dtype=object)
    except ValueError:  # rows of different lengths
        return [_as_written(features)]
    if table.ndim > 2 or not table.size:
        return [_as_written(features)]
    return [_column(each) for each in (table.T if table.ndim == 2 else [table])]


def _column(values: npt.NDArray[np.object_]) -> pl.Series:
    """Values of a list as a column of their type; as they are written if they have several."""
    listed = [None if _is_missing(each) else each for each in values.tolist()]
    if any(isinstance(each, Mapping | Sequence) and not isinstance(each, str) for each in listed):
        return _as_written(listed)  # as one type, of which the first few decide, some would be lost
    try:
        return pl.Series("", listed)
    except (Exception, pl.exceptions.PanicException):  # of several types, or of none it knows
        return _as_written(listed)


def _is_missing(each: object) -> bool:
    nothing = each is None or type(each).__name__ in ("NAType", "NaTType")
    return nothing or (isinstance(each, float) and math.isnan(each))


def _as_written(values: Any) -> pl.Series:
    return pl.Series("", [repr(each) for each in values], dtype=pl.String)


def _normal(column: pl.Series) -> pl.Series:
    """A column of one of the few types that all engines share; what has none as it is written."""
    column = column.alias("")
    if normal_type(column.dtype) is None:  # nested values, bytes and objects
        column = _as_written(column.to_list())
    return normalised(pl.DataFrame({"": column}))[""]


def _words(column: pl.Series) -> Words:
    """A word for each value of a column, the same whatever its type is."""
    normal = _normal(column)
    return canonical(normal, words_of(normal))


def _spread(column: pl.Series) -> Spread:
    normal = _normal(column)
    different = len(np.unique(canonical(normal, words_of(normal))))
    if isinstance(normal.dtype, pl.String | pl.Boolean):
        return Spread(different, different, text=normal.dtype == pl.String)
    values = normal.drop_nulls().to_physical().cast(pl.Float64).to_numpy()
    values = values[np.isfinite(values)]
    for digits in range(_DIGITS + 1):
        units = values * 10.0**digits
        if np.all(np.abs(units - np.round(units)) <= _ROUNDED * np.abs(units)):
            return Spread(different, round(float(np.ptp(units))) + 1 if len(units) else 1)
    return Spread(different, None)


def _keys(columns: int) -> Words:
    return mixed(np.arange(1, columns + 1, dtype=np.uint64) * _KEY)


def _combined(columns: Sequence[Words]) -> Words:
    rows = np.zeros(len(columns[0]), np.uint64)
    for words, key in zip(columns, _keys(len(columns)), strict=True):
        rows += mixed(words ^ key)
    return mixed(rows)


def _of_matrix(matrix: npt.NDArray[np.generic]) -> Words:
    """As `_combined` of the columns, in pieces of rows that stay in the caches of a processor."""
    keys = _keys(matrix.shape[1])
    size = max(1, CHUNK // max(1, len(keys)))
    pieces = [
        mixed(short_words(matrix[start : start + size]) ^ keys).sum(axis=1, dtype=np.uint64)
        for start in range(0, len(matrix), size)
    ]
    return mixed(np.concatenate(pieces)) if pieces else np.empty(0, np.uint64)


def _of_sparse(matrix: Any) -> Words:
    """As for the dense matrix: 0 has the word 0, so only other values add something of theirs."""
    matrix = matrix.copy()
    matrix.sum_duplicates()
    keys = _keys(matrix.shape[1])
    own = keys[matrix.indices]
    more = mixed(short_words(np.asarray(matrix.data)) ^ own) - mixed(own)
    sums = np.concatenate([np.zeros(1, np.uint64), np.cumsum(more, dtype=np.uint64)])
    every = mixed(keys).sum(dtype=np.uint64)
    return mixed(sums[matrix.indptr[1:]] - sums[matrix.indptr[:-1]] + every)
