"""Rows that are public by construction, and what a question says of each of them."""

from collections.abc import Mapping
from typing import final

import numpy as np
import numpy.typing as npt
import polars as pl

from peekproof.core.errors import InvalidInput
from peekproof.data.evaluate import Columns, Evaluation, Piece, without_nan
from peekproof.data.totals import CHUNK, contributions
from peekproof.query.form import FINE, Mean, Share
from peekproof.query.question import Question
from peekproof.query.schema import Kind, Schema
from peekproof.query.tree import Numeric, Predicate
from peekproof.query.walk import columns as columns_of

Array = npt.NDArray[np.generic]


@final
class PublicTable:
    """Columns that anyone may see: the cells of a declared domain, or a published data set.

    What it says of a row is a plain number and not an `Exact` one, for there is nothing to
    withhold. So it is made from arrays by name and from nothing else: a table, a frame or a file,
    which is how the rows of a session come, is refused.
    """

    __slots__ = ("_columns", "rows", "schema")

    def __init__(self, columns: Mapping[str, Array]) -> None:
        if type(columns) is not dict or not columns:
            raise InvalidInput(
                argument="columns",
                accepted="a dict of NumPy arrays, such as those of a domain",
                given=f"a {type(columns).__name__}",
                hint="a public table shows every row, so it takes no session's data",
            )
        held = {name: _series(name, array) for name, array in columns.items()}
        self.rows = len(next(iter(held.values())))
        if self.rows == 0 or any(len(each) != self.rows for each in held.values()):
            raise InvalidInput(
                argument="columns",
                accepted="arrays of one length, at least 1",
                given=", ".join(str(len(each)) for each in held.values())[:80],
            )
        self._columns = Columns(held)
        self.schema = Schema({name: _KINDS[each.dtype] for name, each in held.items()})

    def values(self, question: Question) -> npt.NDArray[np.bool_] | npt.NDArray[np.float64]:
        """For each row whether it counts for a share, or its part in [0, 1] of a mean.

        The part of a mean is the clipped value on the scale of its bounds, rounded as it is for
        the rows of a session.
        """
        match question.form:
            case Share(predicate):
                piece = self._piece(predicate)
                with np.errstate(all="ignore"):
                    return Evaluation().truth(predicate)(piece)
            case Mean(operand) as mean:
                piece = self._piece(operand)
                with np.errstate(all="ignore"):
                    numbers = Evaluation().doubles(operand)(piece)
                parts = np.empty(self.rows)
                for start in range(0, self.rows, CHUNK):  # of a size that stays in a cache
                    some = slice(start, start + CHUNK)
                    parts[some] = _parts(numbers[some], mean)
                return parts
            case form:
                raise InvalidInput(
                    argument="question",
                    accepted="a share or a mean, which have one number",
                    given=f"a {type(form).__name__.lower()}",
                )

    def _piece(self, node: Predicate | Numeric) -> Piece:
        """All rows, if their columns are all that is asked about."""
        public = self.schema.columns
        for name in columns_of(node):
            if name not in public:
                raise InvalidInput(
                    argument="question",
                    accepted=f"about columns that are public: {', '.join(public)}"[:200],
                    given=f"about {name}"[:80],
                )
        return Piece(self._columns, 0, self.rows)


def _parts(numbers: npt.NDArray[np.float64], mean: Mean) -> npt.NDArray[np.float64]:
    clipped = np.clip(numbers, mean.low, mean.high)
    held = np.where(np.isnan(numbers), mean.filled, clipped)
    return contributions(held, low=mean.low, high=mean.high) / FINE


_KINDS = {pl.Float64(): Kind.NUMBER, pl.Boolean(): Kind.FLAG, pl.String(): Kind.TEXT}


def _series(name: str, array: object) -> pl.Series:
    """The array as the engine wants it, without a name, for the engine reads some as patterns."""
    if isinstance(array, np.ndarray) and array.ndim == 1:
        if array.dtype.kind in "iuf":
            return without_nan(pl.Series(array.astype(np.float64)))
        if array.dtype.kind == "b":
            return pl.Series(array)
        if array.dtype.kind in "UO":
            cells = array.tolist()
            for kind, held in ((str, pl.String), (bool, pl.Boolean)):
                if all(cell is None or isinstance(cell, kind) for cell in cells):
                    return pl.Series(cells, dtype=held)
    raise InvalidInput(
        argument=str(name)[:80],
        accepted="an array of numbers, of flags or of text",
        given=f"a {type(array).__name__}",
    )
