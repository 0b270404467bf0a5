"""Rows in memory."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import final

import numpy as np
import numpy.typing as npt
import polars as pl

from peekproof.core.errors import EvaluationFailed
from peekproof.core.secret import Exact
from peekproof.core.shared_columns import ColumnMark
from peekproof.data.column_marks import table_marks
from peekproof.data.evaluate import Bools, Columns
from peekproof.data.fingerprint import fingerprint, keyed_order
from peekproof.data.frame import Frame, drawn, empty
from peekproof.data.source import Progress, Total
from peekproof.data.statistic import PairStatistic, Statistic
from peekproof.data.totals import Bitmaps, Remembering, as_exact
from peekproof.query.form import Share
from peekproof.query.question import Question
from peekproof.query.schema import Schema

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
