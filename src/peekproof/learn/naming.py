"""A name for each row of a holdout, from its features: what tells the same rows again."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from peekproof.core.errors import InvalidInput

_TOGETHER = 1 << 12  # rows of numbers that are in memory twice at a time


def row_names(features: object, *, rows: int) -> list[str]:
    """A digest of the features of each row; its number where there are none to digest.

    The same rows in another order then have the same fingerprint, and so the same budget.
    """
    found = digests(features)
    if found is None:
        return [str(number) for number in range(rows)]
    names = list(found)
    if len(names) != rows:
        raise InvalidInput(
            argument="X", accepted=f"one row for each of the {rows:,} labels", given=f"{len(names)}"
        )
    return names


def order_of(names: Iterable[str]) -> str:
    """A name for the order in which rows come.

    Rows of equal features may have changed places without a trace. That is no harm: their labels
    have the same law, so what is promised of predictions for them is the same. So names are of
    all digits: features that are only nearly equal are not the same.
    """
    return _digest("\n".join(names).encode())


def digests(features: object) -> Iterable[str] | None:
    """A digest of the features of each row, made as it is wanted; None if nothing can be told."""
    features = plain(features)
    found = numbers(features)
    if found is not None:
        return _of_numbers(found)
    if isinstance(features, pl.DataFrame):
        return (_digest(repr(row).encode()) for row in features.iter_rows())
    if hasattr(features, "itertuples"):  # a pandas frame
        return (_digest(repr(row).encode()) for row in features.itertuples(index=False, name=None))
    if hasattr(features, "tocsr"):  # a SciPy matrix
        rows = features.tocsr()
        return (
            _digest(rows.indices[low:high].tobytes() + rows.data[low:high].tobytes())
            for low, high in zip(rows.indptr[:-1], rows.indptr[1:], strict=True)
        )
    if isinstance(features, list | tuple | np.ndarray):
        listed = features.tolist() if isinstance(features, np.ndarray) else features
        return (_digest(repr(row).encode()) for row in listed)
    return None


def plain(features: object) -> object:
    """Features as an array, a list, a pandas or Polars frame, or a SciPy matrix, where they can be.

    A column by itself, a lazy or Arrow table, a dictionary of columns and whatever says itself how
    it becomes an array hold the same rows as these; anything else is returned as it is.
    """
    given: Any = features
    if isinstance(given, pl.LazyFrame):
        return given.collect()
    if isinstance(given, pl.Series):
        return given.to_numpy() if given.dtype.is_numeric() else given.to_list()
    known = isinstance(given, pl.DataFrame | list | tuple | np.ndarray | str | bytes)
    if known or hasattr(given, "itertuples") or hasattr(given, "tocsr"):
        return None if isinstance(given, np.ndarray) and not given.ndim else given
    try:
        if isinstance(given, Mapping):
            return pl.DataFrame({str(name): _column(each) for name, each in given.items()})
        if hasattr(given, "column_names") and hasattr(given, "__arrow_c_stream__"):
            return pl.DataFrame(given)
        if hasattr(given, "__array__"):
            found = np.asarray(given)
            return found if found.ndim else given
        return list(given) if isinstance(given, Sequence) else given
    except (Exception, pl.exceptions.PanicException):  # whatever it is, these are not rows
        return given


def _column(given: object) -> pl.Series:
    found = np.asarray(given)
    return pl.Series("", found.tolist() if found.dtype.kind in "OUS" else found, strict=False)


def numbers(features: object) -> npt.NDArray[np.generic] | None:
    """Features that are numbers, whatever holds them: the same ones have one name for each row."""
    if isinstance(features, pl.DataFrame):
        fine = all(kind.is_numeric() or kind == pl.Boolean for kind in features.dtypes)
        found = features.cast(pl.Float64).to_numpy() if fine and features.width else None
    elif hasattr(features, "itertuples"):  # a pandas frame
        found = np.asarray(features)
    elif isinstance(features, list | tuple | np.ndarray):
        try:
            found = np.asarray(features)
        except ValueError:  # rows of different lengths
            return None
    else:
        return None
    return found if found is not None and found.ndim and found.dtype.kind in "biuf" else None


def _of_numbers(found: npt.NDArray[np.generic]) -> Iterator[str]:
    for start in range(0, len(found), _TOGETHER):
        some = np.ascontiguousarray(found[start : start + _TOGETHER], dtype=np.float64) + 0.0
        wide = some.nbytes // len(some)
        content = some.tobytes()
        for row in range(len(some)):
            yield _digest(content[row * wide : (row + 1) * wide])


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()
