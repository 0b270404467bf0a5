"""Tables for the tests of this folder: the same values in many shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import inf, nan

import polars as pl
from hypothesis import strategies as st

from holdfast.data.table import Table
from query.naive import Cell
from query.strategies import FLAGS, NUMBERS, TEXTS, rows

# Every double and any text, with the troublesome ones often.
CELLS = st.floats(allow_nan=True, allow_infinity=True) | st.sampled_from(
    [0.0, -0.0, 0.1, 0.2, 0.30000000000000004, 1.0, 3.0, 49.0, inf, -inf, nan, 5e-324, 1.7e308]
)
TEXT = st.text(max_size=6) | st.sampled_from(["", " ", "é", "e\u0301", "\0", "NULL", "nan", "𝔸"])

TYPES = {
    **dict.fromkeys(NUMBERS, pl.Float64),
    **dict.fromkeys(TEXTS, pl.String),
    **dict.fromkeys(FLAGS, pl.Boolean),
}

Rows = list[dict[str, Cell]]
TABLES = st.lists(rows(CELLS, TEXT), min_size=1, max_size=8)


def frame(content: Sequence[dict[str, Cell]]) -> pl.DataFrame:
    """The rows as a frame whose types do not depend on the values."""
    names = content[0] if content else TYPES
    return pl.DataFrame(
        {name: [row[name] for row in content] for name in names},
        schema={name: TYPES[name] for name in names},
    )


def plain(cell: Cell) -> Cell:
    """The cell as Holdfast holds it: no NaN, one zero."""
    if isinstance(cell, float):
        return None if math.isnan(cell) else cell + 0.0
    return cell


def held(table: Table) -> dict[str, list[object]]:
    """What a table holds, column by column."""
    return table._frame.to_dict(as_series=False)
