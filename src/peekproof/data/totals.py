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

The contributions are whole doubles; those of one piece add up to at most 2⁴¹ < 2⁵³, in any order
and without rounding. No rows are filtered: every row passes through the same operations.
"""

from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt
import polars as pl

from peekproof.core.secret import Exact
from peekproof.data.evaluate import Evaluation, Truth
from peekproof.data.piece import Doubles, Piece
from peekproof.data.places import below, up_to
from peekproof.data.source import sealed
from peekproof.query.cells import Edges, Values
from peekproof.query.form import (
    FINE,
    Form,
    Given,
    Grouped,
    Histogram,
    Mean,
    Quantile,
    Share,
    contribution,
)

Codes = npt.NDArray[np.intp]
Wholes = npt.NDArray[np.int64]
Total = int | Wholes
Column = Callable[[Piece], Doubles]
Cells = Callable[[Piece], Codes]
# Rows of a piece: they stay in a processor's cache, their sums stay far below 2⁵³, and eight of
# them share a byte in packed bits.
CHUNK = 1 << 17

# What the rows of a piece add; the totals of pieces are added up.
Adds = Callable[[Piece], Total]


def contributions(values: Doubles, *, low: float, high: float) -> Doubles:
    """The contribution of each value of [low, high] on the scale [low, high]."""
    return np.floor((values - low) / (high - low) * FINE + 0.5)


def as_exact(total: Total) -> Exact[int] | Exact[tuple[int, ...]]:
    """A total as it is handed on to mechanisms."""
    return sealed(tuple(total.tolist()) if isinstance(total, np.ndarray) else total)


def adding(form: Form, by: Evaluation) -> Adds:
    """What each piece of rows adds to the total of a form."""
    match form:
        case Share(predicate):
            found = by.truth(predicate)
            return lambda piece: int(np.count_nonzero(found(piece)))
        case Mean(missing=None) | Given():
            raise TypeError("a quotient is drawn as its parts")
        case Mean():
            return partial(_mean, form, by.doubles(form.operand))
        case Quantile():
            ends = np.array(form.values[:-1])
            return partial(_quantile, form.steps, ends, by.doubles(form.operand))
        case Histogram():
            return _histogram(form, by)
        case Grouped():
            return _grouped(form, by)


def _mean(mean: Mean, column: Column, piece: Piece) -> int:
    return int(_placed(mean, column(piece), mean.span).sum())


def _quantile(steps: int, ends: Doubles, column: Column, piece: Piece) -> Wholes:
    """The number of rows in each cell of the grid; a missing value is in the last one."""
    values = column(piece)
    return np.bincount(_numbered(below(ends, values), values, steps - 1), minlength=steps)


def _histogram(form: Histogram, by: Evaluation) -> Adds:
    """For each cell the number of rows, or with a mean as weight the sum of contributions."""
    codes, cells = _codes(form.by, by), form.dimension
    match form.weight:
        case Mean() as mean:
            return partial(_weighted, form, mean, codes, by.doubles(mean.operand))
        case None:
            return lambda piece: _counted(codes(piece), cells)
        case predicate:
            held = by.truth(predicate)
            return lambda piece: _counted(np.where(held(piece), codes(piece), cells), cells)


def _weighted(form: Histogram, mean: Mean, codes: Cells, column: Column, piece: Piece) -> Wholes:
    """A row adds its value to its own cell and 0 to all others; 0 has a contribution too."""
    low, high = form.extent
    values = column(piece)
    cells = _having_part(mean, values, codes(piece), form.dimension)
    inside = _summed(cells, _placed(mean, values, (low, high)), form.dimension)
    nothing = contribution(0.0, low=low, high=high)
    return inside + nothing * (piece.rows - _counted(cells, form.dimension))


def _grouped(form: Grouped, by: Evaluation) -> Adds:
    """For each cell what counts, then for each cell what does not (see `Grouped`)."""
    codes = _codes(form.by, by)
    match form.weight:
        case Mean() as mean:
            return partial(_shared_out, len(form.by), mean, codes, by.doubles(mean.operand))
        case predicate:
            return partial(_divided_up, len(form.by), codes, by.truth(predicate))


def _shared_out(cells: int, mean: Mean, codes: Cells, column: Column, piece: Piece) -> Wholes:
    values = column(piece)
    numbered = _having_part(mean, values, codes(piece), cells)
    counted = _summed(numbered, _placed(mean, values, mean.span), cells)
    return np.concatenate([counted, FINE * _counted(numbered, cells) - counted])


def _divided_up(cells: int, codes: Cells, satisfied: Truth, piece: Piece) -> Wholes:
    numbered, held = codes(piece), satisfied(piece)
    counted = _counted(np.where(held, numbered, cells), cells)
    return np.concatenate([counted, _counted(np.where(held, cells, numbered), cells)])


def _counted(codes: Codes, cells: int) -> Wholes:
    return np.bincount(codes, minlength=cells + 1)[:-1]


def _summed(codes: Codes, added: Doubles, cells: int) -> Wholes:
    return np.bincount(codes, weights=added, minlength=cells + 1)[:-1].astype(np.int64)


def _having_part(mean: Mean, values: Doubles, codes: Codes, none: int) -> Codes:
    """The cells of rows; a row without a value lies in none, unless it counts as something."""
    return codes if mean.missing is not None else np.where(np.isnan(values), none, codes)


def _placed(mean: Mean, values: Doubles, bounds: tuple[float, float]) -> Doubles:
    clipped = np.where(np.isnan(values), mean.filled, np.clip(values, mean.low, mean.high))
    return contributions(clipped, low=bounds[0], high=bounds[1])


def _codes(by: Edges | Values, evaluation: Evaluation) -> Cells:
    """The number of each row's cell; the number of cells for a row that lies in none."""
    if isinstance(by, Edges):
        return evaluation.shared(by, _between(by, evaluation.doubles(by.operand)))
    return evaluation.shared(by, partial(_among, by))


def _between(by: Edges, column: Column) -> Cells:
    edges = np.array(by.edges)

    def codes(piece: Piece) -> Codes:
        values = column(piece)
        return _numbered(up_to(edges, values), values, len(by))

    return codes


def _among(by: Values, piece: Piece) -> Codes:
    numbered = piece.series(by.column.name).replace_strict(
        list(by.values), range(len(by)), default=len(by), return_dtype=pl.Int64
    )
    return numbered.fill_null(len(by)).to_numpy()


def _numbered(places: Codes, values: Doubles, missing: int) -> Codes:
    return np.where(np.isnan(values), missing, places)
