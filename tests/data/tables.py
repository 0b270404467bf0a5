"""Tables for the tests of this folder: the same values in many shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import inf, nan

import polars as pl
from hypothesis import strategies as st

from peekproof.data.table import Table
from query.naive import Cell
from query.strategies import DATES, FLAGS, MOMENTS, NUMBERS, TEXTS, rows

# Every double and any text, with the troublesome ones often.
CELLS = st.floats(allow_nan=True, allow_infinity=True) | st.sampled_from(
    [0.0, -0.0, 0.1, 0.2, 0.30000000000000004, 1.0, 3.0, 49.0, inf, -inf, nan, 5e-324, 1.7e308]
)
TEXT = st.text(max_size=6) | st.sampled_from(["", " ", "é", "e\u0301", "\0", "NULL", "nan", "𝔸"])

TYPES: dict[str, pl.DataType] = {
    **dict.fromkeys(NUMBERS, pl.Float64()),
    **dict.fromkeys(TEXTS, pl.String()),
    **dict.fromkeys(FLAGS, pl.Boolean()),
    **dict.fromkeys(DATES, pl.Date()),
    **dict.fromkeys(MOMENTS, pl.Datetime("us")),
}

Rows = list[dict[str, Cell]]
TABLES = st.lists(rows(CELLS, TEXT), min_size=1, max_size=8)


def frame(content: Sequence[dict[str, Cell]]) -> pl.DataFrame:
    """The rows as a frame whose types do not depend on the values."""
    names = content[0] if content else TYPES
    return pl.DataFrame(
        [_column(name, [row[name] for row in content]) for name in names],
    )


def _column(name: str, cells: Sequence[Cell]) -> pl.Series:
    if name in (*DATES, *MOMENTS):
        # Rows hold the numbers that dates and moments stand for.
        whole = pl.Series(name, cells, dtype=pl.Float64).cast(pl.Int64)
        return whole.cast(pl.Int32).cast(pl.Date) if name in DATES else whole.cast(TYPES[name])
    return pl.Series(name, cells, dtype=TYPES[name])


def plain(cell: Cell) -> Cell:
    """The cell as Peekproof holds it: no NaN, one zero."""
    if isinstance(cell, float):
        return None if math.isnan(cell) else cell + 0.0
    return cell


def held(table: Table) -> dict[str, list[object]]:
    """What a table holds, column by column."""
    return table._frame.to_dict(as_series=False)
