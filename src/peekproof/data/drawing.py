"""Which rows of a table a part of a split holds."""

import numpy as np
import numpy.typing as npt
import polars as pl

from peekproof.core.errors import InvalidInput
from peekproof.data.fingerprint import keyed_order
from peekproof.data.frame import Frame

LARGEST = 2.0**53  # beyond, doubles do not tell whole numbers apart


def needs_column() -> InvalidInput:
    """Why rows that are not in memory cannot be split without a column."""
    return InvalidInput(
        argument="by",
        accepted="a column with another value in every row, for rows that are not in memory",
        given="none",
    )


def drawn(rows: pl.DataFrame, frame: Frame) -> npt.NDArray[np.intp]:
    """The places of the part's rows, in the order of the table."""
    if not frame.by:
        return np.sort(keyed_order(rows, frame.key)[frame.places(rows.height)])
    values = rows.get_column(frame.by)
    if values.n_unique() < len(values):
        raise unsuitable(frame.by, "a value that two rows have")
    return np.flatnonzero(chosen(values, frame))


def chosen(values: pl.Series, frame: Frame) -> npt.NDArray[np.bool_]:
    """For each row whether its value puts it into the part."""
    texts = key_texts(values, frame.by)
    return np.fromiter(map(frame.holds, texts), np.bool_, len(texts))


def key_texts(values: pl.Series, by: str) -> pl.Series:
    """The values as all engines write them: text as it is, whole numbers in decimal digits."""
    if values.has_nulls():
        raise unsuitable(by, "a missing value")
    if isinstance(values.dtype, pl.String):
        return values
    numbers = values.to_numpy()
    if not (np.abs(numbers) < LARGEST).all() or (np.floor(numbers) != numbers).any():
        raise unsuitable(by, "a number that is not whole, or beyond 2⁵³")
    return values.cast(pl.Int64).cast(pl.String)


def unsuitable(by: str, given: str) -> InvalidInput:
    """Why rows cannot be split by a column."""
    return InvalidInput(
        argument="by",
        accepted="a column of whole numbers or text, with another value in every row",
        given=f"{by}, with {given}",
    )


def empty(frame: Frame) -> InvalidInput:
    """Why a part cannot be held."""
    return InvalidInput(
        argument="parts",
        accepted="shares of which each has at least one row",
        given=f"{frame.name}: {float(frame.high - frame.low):g}",
    )
