"""What the rows add up to under a form other than a share: exact integers.

A record contributes a number of [0, 1] after scaling; a real one is fixed point, with FINE + 1
levels. For a value x clipped to [low, high] and the scale [a, b] around it,

    contribution(x) = ⌊(x − a)/(b − a)·FINE + ½⌋,        in doubles, in this order,

is an integer of 0 … FINE with |contribution(x)/FINE − (x − a)/(b − a)| ≤ 1/FINE.

Proof. Subtraction, division by b − a > 0, and multiplication by a power of two round
monotonically, so x = a gives 0, x = b gives the quotient 1, and everything between lies between.
Each of the two differences and the quotient has a relative error of at most u = 2⁻⁵³ (a
difference of doubles never underflows; a quotient that does is below 2⁻¹⁰²² and rounds to 0),
so the quotient of at most 1 is off by less than 4u, times FINE less than 2⁻²⁷. Adding ½ errs by
at most 2⁻²⁹, and ⌊y + ½⌋ is within ½ of y: together less than 1. ∎

The contributions are whole doubles; those of one chunk add up to at most 2⁴⁰ < 2⁵³, in any order
and without rounding. No rows are filtered: every row passes through the same operations.
"""

from collections.abc import Callable, Iterator
from typing import TypeVar, cast

import numpy as np
import numpy.typing as npt
import polars as pl

from holdfast.data.evaluate import number, truth
from holdfast.query.cells import Edges, Values
from holdfast.query.form import FINE, Histogram, Mean, Quantile, contribution
from holdfast.query.tree import Numeric, Predicate

Doubles = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int64]
Scalar = TypeVar("Scalar", np.float64, np.int64)
Columns = Callable[[str], pl.Series]

CHUNK = 1 << 16  # fits a cache, and keeps sums of contributions far below 2⁵³


def contributions(values: Doubles, *, low: float, high: float) -> Doubles:
    """The contribution of each value of [low, high] on the scale [low, high]."""
    return np.floor((values - low) / (high - low) * FINE + 0.5)


def mean_total(mean: Mean, column: Columns) -> int:
    """The sum of all contributions to a mean, out of FINE times the rows."""
    return sum(
        int(contributions(_clipped(values, mean), low=mean.low, high=mean.high).sum())
        for values in _chunks(_doubles(mean.operand, column))
    )


def quantile_totals(quantile: Quantile, column: Columns) -> tuple[int, ...]:
    """The number of rows in each cell of the grid; a missing value is in the last one."""
    ends = np.array(quantile.values[:-1])
    counts = np.zeros(quantile.steps, np.int64)
    for values in _chunks(_doubles(quantile.operand, column)):
        # A missing value is NaN here, which sorts behind every number.
        codes = np.searchsorted(ends, values, side="left")
        counts += np.bincount(codes, minlength=quantile.steps)
    return tuple(counts.tolist())


def histogram_totals(histogram: Histogram, column: Columns) -> tuple[int, ...]:
    """For each cell the number of rows, or with a mean as weight the sum of contributions."""
    codes, none = _codes(histogram.by, column), histogram.dimension
    match histogram.weight:
        case Mean() as mean:
            return _weighted(codes, histogram, mean, column)
        case None:
            held = codes
        case predicate:
            held = np.where(_satisfied(predicate, column), codes, none)
    return tuple(np.bincount(held, minlength=none + 1)[:-1].tolist())


def _weighted(codes: Codes, histogram: Histogram, mean: Mean, column: Columns) -> tuple[int, ...]:
    """A row adds its value to its own cell and 0 to all others; 0 has a contribution too."""
    low, high = histogram.extent
    cells = histogram.dimension
    rows = np.zeros(cells + 1, np.int64)
    inside = np.zeros(cells + 1, np.int64)
    values = _doubles(mean.operand, column)
    for code, chunk in zip(_chunks(codes), _chunks(values), strict=True):
        added = contributions(_clipped(chunk, mean), low=low, high=high)
        rows += np.bincount(code, minlength=cells + 1)
        inside += np.bincount(code, weights=added, minlength=cells + 1).astype(np.int64)
    nothing = contribution(0.0, low=low, high=high)
    pairs = zip(inside[:-1].tolist(), rows[:-1].tolist(), strict=True)
    return tuple(total + nothing * (len(codes) - held) for total, held in pairs)


def _codes(by: Edges | Values, column: Columns) -> Codes:
    """The number of each row's cell; the number of cells for a row that lies in none."""
    if isinstance(by, Edges):
        values = _doubles(by.operand, column)
        codes = np.searchsorted(np.array(by.edges), values, side="right")
        return np.where(np.isnan(values), len(by), codes)
    numbered = column(by.column.name).replace_strict(
        list(by.values), range(len(by)), default=len(by), return_dtype=pl.Int64
    )
    return numbered.fill_null(len(by)).to_numpy()


def _satisfied(predicate: Predicate, column: Columns) -> npt.NDArray[np.bool_]:
    return truth(predicate, column).fill_null(False).to_numpy()


def _doubles(operand: Numeric, column: Columns) -> Doubles:
    """The operand of each row, with NaN where it is missing."""
    # Not a float: a number that is the same for all rows was refused.
    return cast(pl.Series, number(operand, column)).to_numpy()


def _clipped(values: Doubles, mean: Mean) -> Doubles:
    return np.where(np.isnan(values), mean.missing, np.clip(values, mean.low, mean.high))


def _chunks(values: npt.NDArray[Scalar]) -> Iterator[npt.NDArray[Scalar]]:
    for start in range(0, len(values), CHUNK):
        yield values[start : start + CHUNK]
