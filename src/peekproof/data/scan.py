"""Rows in files that may be larger than memory, read in bounded pieces."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Lock
from typing import final

import numpy as np
import polars as pl

from peekproof.core.errors import DataChanged, DataError, EvaluationFailed
from peekproof.data.column_marks import ColumnMarks
from peekproof.data.evaluate import Columns
from peekproof.data.files import Files, Reading, Token, listed, silent
from peekproof.data.fingerprint import Fingerprint
from peekproof.data.frame import Frame, chosen, empty, key_texts, needs_column, unsuitable
from peekproof.data.normal import schema_of
from peekproof.data.source import Progress, Total, Unordered
from peekproof.data.totals import Plan, added_up, as_exact
from peekproof.data.totals import Total as Sum
from peekproof.query.mentioned import mentioned
from peekproof.query.question import Question

_FAULTS = (Exception, pl.exceptions.PanicException)
_ATTEMPTS = 3


def scan(pattern: str | Path, *, progress: Progress | None = None) -> "Scan":
    """The rows of a CSV, TSV or Parquet file, of a folder of them, or of all that match a pattern.

    All rows are read once to name their content, a CSV file twice. `progress` hears of each
    pass how many bytes of how many it has read, now and when questions are asked.
    """
    files = listed(pattern)
    return Scan(files, Reading.of(files, progress or silent))


@final
class Scan(Unordered):
    """A `Source` in files: a pass over them for every batch, one piece in memory at a time.

    A pass reads the columns that the questions mention and all of their rows: no filter and no
    statistics of the files may skip some, for the time would tell.
    """

    charge_first = False

    def __init__(self, files: Files, reading: Reading, *, frames: Sequence[Frame] = ()) -> None:
        self._files, self._reading = files, reading
        self._frames = tuple(frames)  # a part of a part has several
        self.frame = frames[-1] if frames else None
        self._lock = Lock()
        self._token = self._stat()
        marks = ColumnMarks()
        name = _named(reading, frames, marks)
        if name.rows == 0 and frames:
            raise empty(frames[-1])
        if name.rows == 0:
            raise DataError(
                source=files.pattern,
                problem="has no rows",
                hint="there is nothing to learn about a population from 0 rows",
            )
        self.schema = schema_of(reading.types)
        self.rows, self.fingerprint = name.rows, name.digest
        self.marks = marks.found()

    def totals(self, questions: Sequence[Question]) -> list[Total]:
        """For each question what all rows contribute to it, in one pass for all of them."""
        distinct = {question.digest: question for question in questions}
        if not distinct:
            return []
        with self._lock:
            sums = self._unchanged(list(distinct.values()))
        found = {digest: as_exact(each) for digest, each in zip(distinct, sums, strict=True)}
        return [found[question.digest] for question in questions]

    def _unchanged(self, questions: Sequence[Question]) -> list[Sum]:
        """Totals of rows that were the same before and after they were read."""
        for _ in range(_ATTEMPTS):
            before = self._checked()
            rows, sums = self._pass(questions)
            if self._stat() == before and rows == self.rows:
                return sums
        raise DataChanged(source=self._files.pattern)

    def _pass(self, questions: Sequence[Question]) -> tuple[int, list[Sum]]:
        try:
            plan = Plan([question.form for question in questions])
            needed = sorted(set().union(*(mentioned(each.form) for each in questions)))
            # Rows are counted even for what is the same in all of them.
            names = needed or list(self._reading.types)[:1]
            rows = 0
            sums: list[Sum] = [0] * len(questions)
            for piece in _pieces(self._reading, names, self._frames):
                columns = Columns({each.name: each for each in piece.get_columns()})
                rows += piece.height
                sums = added_up([sums, plan.totals(columns, piece.height)])
        except _FAULTS:
            raise EvaluationFailed() from None
        return rows, sums

    def _checked(self) -> Token:
        """The files as they are now, if they hold the rows of the fingerprint."""
        now = self._stat()
        if now != self._token:
            try:
                files = listed(self._files.pattern)
                reading = Reading.of(files, self._reading.progress)
                same = _named(reading, self._frames).digest == self.fingerprint
            except (DataError, OSError):
                same = False
            except _FAULTS:
                raise EvaluationFailed() from None
            if not same or self._stat() != now:
                raise DataChanged(source=self._files.pattern)
            self._files, self._reading, self._token = files, reading, now
        return now

    def _stat(self) -> Token:
        try:
            return self._files.token()
        except OSError:
            return ()  # a file has gone since it was listed

    def restricted(self, frame: Frame) -> "Scan":
        """The rows of a part; each decides by its value of a column."""
        if not frame.by:
            raise needs_column()
        self._check_distinct(frame.by)
        return Scan(self._files, self._reading, frames=(*self._frames, frame))

    def _check_distinct(self, by: str) -> None:
        """Refuse a column that repeats a value, by 8 bytes a row."""
        words = np.empty(self.rows, np.uint64)
        start = 0
        for piece in _pieces(self._reading, [by], self._frames):
            texts = key_texts(piece.get_column(by), by)
            words[start : start + len(texts)] = texts.hash(seed=0).to_numpy()
            start += len(texts)
        words.sort()
        if start != self.rows or (words[1:] == words[:-1]).any():
            raise unsuitable(by, "a value that two rows have")

    def close(self) -> None:
        """Nothing to let go of: files are open during a pass only."""


def _pieces(
    reading: Reading, names: Sequence[str], frames: Sequence[Frame]
) -> Iterator[pl.DataFrame]:
    """All rows, or those of a part: which ones depends on no question."""
    for whole in reading.pieces(sorted({*names, *(frame.by for frame in frames)})):
        piece = whole
        for frame in frames:
            piece = piece.filter(chosen(piece.get_column(frame.by), frame))
        yield piece


def _named(
    reading: Reading, frames: Sequence[Frame], marks: ColumnMarks | None = None
) -> Fingerprint:
    """The fingerprint of all rows, or of those of a part; `marks` are added up in the same pass."""
    found = Fingerprint(reading.types)
    try:
        for piece in _pieces(reading, list(reading.types), frames):
            words = found.add(piece)
            if marks is not None:
                marks.add(piece, words)
    except MemoryError:
        raise
    except _FAULTS as error:
        # The reader's own words may quote a cell; they stay in the chained exception.
        problem = f"cannot be read ({type(error).__name__})"
        hint = "check that each file is whole, and of the format that its name says"
        raise DataError(source=reading.files.pattern, problem=problem, hint=hint) from error
    return found
