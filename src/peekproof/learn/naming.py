"""A name for each row of a holdout, from its features: what tells the same rows again."""

import hashlib
from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import polars as pl

from peekproof.core.errors import InvalidInput


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
    have the same law, so what is promised of predictions for them is the same.
    """
    return _digest("\n".join(names).encode())


def digests(features: object) -> Iterable[str] | None:
    """A digest of the features of each row, made as it is wanted; None if nothing can be told."""
    numbers = _numbers(features)
    if numbers is not None:
        return (_digest((np.asarray(row, dtype=np.float64) + 0.0).tobytes()) for row in numbers)
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
        plain = features.tolist() if isinstance(features, np.ndarray) else features
        return (_digest(repr(row).encode()) for row in plain)
    return None


def _numbers(features: object) -> npt.NDArray[np.generic] | None:
    """Features that are numbers, whatever holds them: the same ones have one name for each row."""
    if isinstance(features, pl.DataFrame):
        plain = all(kind.is_numeric() or kind == pl.Boolean for kind in features.dtypes)
        found = features.cast(pl.Float64).to_numpy() if plain and features.width else None
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


def _digest(content: bytes) -> str:
    return hashlib.blake2b(content, digest_size=16).hexdigest()
