"""Rows in memory: those to be asked about, and those that anybody may look at."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import final

import numpy as np
import numpy.typing as npt
import polars as pl

from peekproof.core.errors import EvaluationFailed, InvalidInput
from peekproof.core.secret import Exact
from peekproof.core.shared_columns import ColumnMark
from peekproof.data.column_marks import table_marks
from peekproof.data.evaluate import Bools, Columns, Evaluation, Piece, without_nan
from peekproof.data.fingerprint import fingerprint, keyed_order
from peekproof.data.frame import Frame, drawn, empty
from peekproof.data.source import Progress, Total
from peekproof.data.statistic import PairStatistic, Statistic
from peekproof.data.totals import CHUNK, Bitmaps, Remembering, as_exact, contributions
from peekproof.query.form import FINE, Mean, Share
from peekproof.query.question import Question
from peekproof.query.schema import Kind, Schema
from peekproof.query.tree import Numeric, Predicate
from peekproof.query.tree import columns as columns_of

ROOM = 256 * 2**20  # bytes for bits of atoms
_SHARE_OF_ROWS = 2  # and at most half of what the rows take themselves


@final
class Table:
    """The rows a session holds: a `Source` in memory. Public: `rows`, `schema`, `fingerprint`.

    `room` bytes at most keep which rows satisfy the atoms of past questions. `progress` hears of
    each pass how many rows of how many are read.
    """

    ordered = True
    charge_first = False

    def __init__(
        self,
        frame: pl.DataFrame,
        schema: Schema,
        *,
        room: int = ROOM,
        part: Frame | None = None,
        progress: Progress | None = None,
    ) -> None:
        self._frame = frame
        self.frame = part
        self.schema = schema
        self.rows = frame.height
        self._ordered: tuple[str, npt.NDArray[np.intp]] | None = None
        least = min(room, frame.estimated_size() // _SHARE_OF_ROWS)
        self._bitmaps = Bitmaps(rows=self.rows, room=int(least))
        columns = Columns({each.name: each for each in frame.get_columns()})
        self._progress = progress
        self._engine = Remembering(columns, self.rows, self._bitmaps, progress)

    @cached_property
    def fingerprint(self) -> str:
        """A name for the content: the same rows in any order have the same one."""
        return fingerprint(self._frame)

    @cached_property
    def marks(self) -> list[ColumnMark]:
        """What the columns are recognised by, under any names and types."""
        return table_marks(self._frame)

    def count(self, questions: Sequence[Question]) -> list[Exact[int]]:
        """For each question, the number of rows for which it is true."""
        try:
            counts = self._engine.counts([question.predicate for question in questions])
            return [Exact(count) for count in counts]
        except (Exception, pl.exceptions.PanicException):
            raise EvaluationFailed() from None

    def holds(self, question: Question) -> Bools:
        """Whether a condition is true, row by row: for a source that counts by it, and no other."""
        try:
            return self._engine.holds(question.predicate)
        except (Exception, pl.exceptions.PanicException):
            raise EvaluationFailed() from None

    def totals(self, questions: Sequence[Question]) -> list[Total]:
        """For each question what all rows contribute to it, in exact integers."""
        distinct = {question.digest: question for question in questions}
        shares = [each for each in distinct.values() if isinstance(each.form, Share)]
        others = [each for each in distinct.values() if not isinstance(each.form, Share)]
        found: dict[str, Total] = {}
        found.update(zip((each.digest for each in shares), self.count(shares), strict=True))
        found.update(zip((each.digest for each in others), self._others(others), strict=True))
        return [found[question.digest] for question in questions]

    def _others(self, questions: Sequence[Question]) -> list[Total]:
        try:
            totals = self._engine.totals([question.form for question in questions])
            return [as_exact(total) for total in totals]
        except (Exception, pl.exceptions.PanicException):
            raise EvaluationFailed() from None

    def totals_part(
        self, questions: Sequence[Question], *, first: int, parts: int, key: str
    ) -> list[Total]:
        """For each question the total over a part of its own: `first`, `first` + 1, …"""
        held = self._parts(len(questions), first=first, parts=parts, key=key)
        found: list[Total] = []
        for part, each in zip(held, questions, strict=True):
            found += part.totals([each])
            if self._progress is not None:
                self._progress(len(found) * part.rows, len(questions) * part.rows)
        return found

    def measure(self, statistic: Statistic | PairStatistic, *, levels: int) -> Exact[int]:
        """What the custodian's function gives for all rows, in fixed point."""
        return statistic.total(self._frame.clone(), levels=levels)

    def _parts(self, count: int, *, first: int, parts: int, key: str) -> Iterator["Table"]:
        if not 0 <= first <= parts - count:
            raise EvaluationFailed()
        order, size = self._order(key), self.rows // parts
        for part in range(first, first + count):
            yield self._taken(order[part * size : (part + 1) * size])

    def totals_round(
        self, questions: Sequence[Question], *, number: int, rounds: int, key: str
    ) -> list[Total]:
        """For each question the total over one part, the same for all."""
        (part,) = self._parts(1, first=number, parts=rounds, key=key)
        return Table(part._frame, self.schema, room=0, progress=self._progress).totals(questions)

    def _taken(self, rows: npt.NDArray[np.intp]) -> "Table":
        try:
            return Table(self._frame[rows], self.schema, room=0)
        except (Exception, pl.exceptions.PanicException):
            raise EvaluationFailed() from None

    def _order(self, key: str) -> npt.NDArray[np.intp]:
        if self._ordered is None or self._ordered[0] != key:
            try:
                self._ordered = key, keyed_order(self._frame, key)
            except Exception:
                raise EvaluationFailed() from None
        return self._ordered[1]

    def restricted(self, frame: Frame) -> "Table":
        """The rows of a part, copied."""
        rows = self._frame[drawn(self._frame, frame)]
        if rows.height == 0:
            raise empty(frame)
        return Table(rows, self.schema, part=frame, progress=self._progress)

    def close(self) -> None:
        """Let go of what was kept of past questions; the rows stay as long as the table."""
        self._bitmaps.clear()


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
