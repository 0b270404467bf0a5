"""A table in a database as a source of rows, and the parts of a split of it.

Which part a row belongs to is decided row by row inside the database.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from threading import RLock
from typing import Any, Protocol, final

import ibis
import polars as pl

from peekproof.core.errors import DataChanged, EvaluationFailed
from peekproof.core.shown import visible
from peekproof.data.column_marks import ColumnMarks
from peekproof.data.fingerprint import Fingerprint
from peekproof.data.frame import LARGEST, Frame, empty, needs_column, unsuitable
from peekproof.data.normal import MOMENT, normalised
from peekproof.data.source import Progress, Total, Unordered, sealed
from peekproof.data.sql.aggregate import FEW
from peekproof.data.sql.compile import Value
from peekproof.data.sql.layout import Layout
from peekproof.data.sql.statement import Statements, statement
from peekproof.query.form import Drawn, Given, Grouped, Histogram, Quantile
from peekproof.query.question import Question
from peekproof.query.schema import Kind, Schema


def part_of(layout: Layout, frame: Frame) -> Layout:
    """The table with the rows of a part only: which ones depends on no question."""
    does = layout.operations()
    salted = ibis.literal(frame.salted(""), type="string") + _written(layout, frame.by)
    digest = does.ground.call("md5", "string > string", salted)
    held = digest.substr(0, 2).isin(sorted(frame.buckets))
    return replace(layout, table=layout.table.filter(held))


def suitable(layout: Layout, by: str) -> str:
    """The statement that counts the values of a column, and the rows that can be written."""
    if not by:
        raise needs_column()
    key, does = _key(layout, by), layout.operations()
    usable = key.notnull()
    if layout.columns[by].kind is Kind.NUMBER:
        small = (key < does.constant(LARGEST)) & (key > does.constant(-LARGEST))
        usable = small & (key.floor() == key)
    found = layout.table.aggregate(
        values=key.nunique(), usable=usable.ifelse(does.whole(1), does.whole(0)).sum()
    )
    return statement(found, layout.dialect)


def _key(layout: Layout, by: str) -> Value:
    return layout.columns[by].asked(layout.table[by], layout.operations())


def _written(layout: Layout, by: str) -> Value:
    """The column as all engines write it: text as it is, whole numbers in decimal digits."""
    key = _key(layout, by)
    return key if layout.columns[by].kind is Kind.TEXT else key.cast("int64").cast("string")


_TOGETHER = 100  # questions in one statement

_STORED: dict[Kind, tuple[pl.DataType, ...]] = {
    Kind.NUMBER: (pl.Float64(),),
    Kind.TEXT: (pl.String(),),
    Kind.FLAG: (pl.Boolean(),),
    Kind.DATE: (pl.Int32(), pl.Date()),
    Kind.MOMENT: (pl.Int64(), MOMENT),
    Kind.OTHER: (pl.Time(),),
}


class Link(Protocol):
    """A connection to a table whose rows stay the same."""

    name: str
    layout: Layout
    rows: int

    def answers(self, statement: str, parameters: Sequence[Any]) -> list[tuple[Any, ...]]:
        """The rows that a statement gives."""

    def pieces(self) -> Iterator[pl.DataFrame]:
        """All rows of the table as it is stored, in pieces."""

    def settle(self, fingerprint: str, found: Callable[[], str]) -> None:
        """The rows are those of a fingerprint, which can be found once more."""

    def narrowed(self, keep: Callable[[Layout], Layout]) -> "Link":
        """Another connection to some of the rows."""

    def close(self) -> None: ...


@final
class DatabaseSource(Unordered):
    """Rows in a database: questions go to them, and sums come back."""

    def __init__(
        self, link: Link, progress: Progress | None = None, *, frames: Sequence[Frame] = ()
    ) -> None:
        self._link = link
        self._progress = progress
        self._frames = tuple(frames)  # a part of a part has several
        self.frame = frames[-1] if frames else None
        self._lock = RLock()
        self._process = os.getpid()
        self._statements = Statements(link.layout, link.rows)
        self.schema: Schema = link.layout.schema
        self.rows = link.rows
        marks = ColumnMarks()
        self.fingerprint = self._found(progress, marks)
        self.marks = marks.found()
        link.settle(self.fingerprint, lambda: self._found(None))

    def __repr__(self) -> str:
        return visible(f"<{self._link.name}: {self.rows:,} rows>")

    def _found(self, progress: Progress | None, marks: ColumnMarks | None = None) -> str:
        kinds = {name: held.kind for name, held in self._link.layout.columns.items()}
        found = Fingerprint({name: _STORED[kind][-1] for name, kind in kinds.items()})
        for piece in self._link.pieces():
            rows = normalised(_typed(piece, kinds))
            words = found.add(rows)
            if marks is not None:
                marks.add(rows, words)
            if progress is not None:
                progress(found.rows, self.rows)
        return found.digest

    def totals(self, questions: Sequence[Question]) -> list[Total]:
        """For each question what all rows contribute to it, in exact integers."""
        if os.getpid() != self._process:
            # Two processes on one connection would read each other's answers.
            raise EvaluationFailed()
        try:
            return self._totals(questions)
        except DataChanged:
            raise
        except Exception:
            raise EvaluationFailed() from None

    def _totals(self, questions: Sequence[Question]) -> list[Total]:
        asked = {question.digest: question.form for question in questions}
        alone, together = list[str](), list[str]()
        distinct: dict[str, Drawn] = {}
        for digest, form in asked.items():
            if isinstance(form, Given):
                raise TypeError("a quotient is drawn as its parts")
            distinct[digest] = form
            grouped = isinstance(form, Histogram | Grouped) and len(form.by) > FEW
            grouped = grouped or (isinstance(form, Quantile) and form.steps > FEW)
            (alone if grouped else together).append(digest)
        batches = [together[at : at + _TOGETHER] for at in range(0, len(together), _TOGETHER)]
        batches += [[digest] for digest in alone]
        found: dict[str, Total] = {}
        with self._lock:
            while batches:
                batch = batches.pop()
                ready = self._statements.prepared([distinct[digest] for digest in batch])
                if ready is None:
                    half = len(batch) // 2
                    batches += batch[:half], batch[half:]
                    continue
                rows = self._link.answers(ready.text, ready.parameters)
                found.update(zip(batch, map(sealed, ready.read(rows)), strict=True))
        return [found[question.digest] for question in questions]

    def restricted(self, frame: Frame) -> "DatabaseSource":
        """The rows of a part, on a connection of its own."""
        with self._lock:
            ((values, usable),) = self._link.answers(suitable(self._link.layout, frame.by), [])
        if usable != self.rows:
            raise unsuitable(frame.by, "a value that is missing, not whole or too large")
        if values != self.rows:
            raise unsuitable(frame.by, "a value that two rows have")
        frames = *self._frames, frame
        link = self._link.narrowed(lambda layout: reduce(part_of, frames, layout))
        try:
            if link.rows == 0:
                raise empty(frame)
            return DatabaseSource(link, self._progress, frames=frames)
        except BaseException:
            link.close()
            raise

    def close(self) -> None:
        """Let go of the connection."""
        if os.getpid() != self._process:
            return  # it is the parent's
        with self._lock, suppress(Exception):
            self._link.close()


def _typed(piece: pl.DataFrame, kinds: dict[str, Kind]) -> pl.DataFrame:
    columns = []
    for name, kind in kinds.items():
        column = piece.get_column(name)
        for step in _STORED[kind]:
            column = column.cast(step)
        columns.append(column)
    return pl.DataFrame(columns)
