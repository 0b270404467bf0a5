"""Rows in memory, behind two questions: how many rows satisfy this, and which data is it."""

from collections.abc import Sequence
from functools import cached_property
from typing import final

import numpy as np
import numpy.typing as npt
import polars as pl

from holdfast.core.errors import EvaluationFailed
from holdfast.core.secret import Exact
from holdfast.data.evaluate import lazily, truth
from holdfast.data.fingerprint import fingerprint, keyed_order
from holdfast.query.question import Question
from holdfast.query.schema import Schema


@final
class Table:
    """The rows a session holds. Public: `rows`, `schema`, `fingerprint`."""

    def __init__(self, frame: pl.DataFrame, schema: Schema) -> None:
        self._frame = frame
        self.schema = schema
        self.rows = frame.height
        self._ordered: tuple[str, npt.NDArray[np.intp]] | None = None

    @cached_property
    def fingerprint(self) -> str:
        """A name for the content: the same rows in any order have the same one."""
        return fingerprint(self._frame)

    def count(self, questions: Sequence[Question]) -> list[Exact[int]]:
        """For each question, the number of rows for which it is true."""
        try:
            if len(questions) == 1:
                return [self._count_one(questions[0])]
            return self._count_many(questions)
        except (Exception, pl.exceptions.PanicException):
            raise EvaluationFailed() from None

    def count_part(
        self, questions: Sequence[Question], *, first: int, parts: int, key: str
    ) -> list[Exact[int]]:
        """For each question the count over a part of its own: `first`, `first` + 1, …"""
        if first + len(questions) > parts:
            raise EvaluationFailed()
        order, size = self._order(key), self.rows // parts
        return [
            self._taken(order[part * size : (part + 1) * size]).count([question])[0]
            for part, question in enumerate(questions, first)
        ]

    def _taken(self, rows: npt.NDArray[np.intp]) -> "Table":
        try:
            return Table(self._frame[rows], self.schema)
        except (Exception, pl.exceptions.PanicException):
            raise EvaluationFailed() from None

    def _order(self, key: str) -> npt.NDArray[np.intp]:
        if self._ordered is None or self._ordered[0] != key:
            try:
                self._ordered = key, keyed_order(self._frame, key)
            except Exception:
                raise EvaluationFailed() from None
        return self._ordered[1]

    def _count_one(self, question: Question) -> Exact[int]:
        numbered, frame = self._numbered

        def column(name: str) -> pl.Series:
            return frame.get_column(numbered[name])

        return Exact(int(truth(question.predicate, column).sum()))

    def _count_many(self, questions: Sequence[Question]) -> list[Exact[int]]:
        distinct = {question.digest: question for question in questions}
        lazy = [each for each in distinct.values() if lazily(each.predicate)]
        counts = self._count_lazily(lazy) if lazy else {}
        for digest, question in distinct.items():
            if digest not in counts:
                counts[digest] = self._count_one(question)
        return [counts[question.digest] for question in questions]

    def _count_lazily(self, questions: Sequence[Question]) -> dict[str, Exact[int]]:
        """All counts in one pass over the rows."""
        numbered, frame = self._numbered

        def column(name: str) -> pl.Expr:
            return pl.col(numbered[name])

        sums = [truth(each.predicate, column).sum().alias(each.digest) for each in questions]
        row = frame.lazy().select(sums).collect(engine="streaming").row(0, named=True)
        return {digest: Exact(int(total)) for digest, total in row.items()}

    @cached_property
    def _numbered(self) -> tuple[dict[str, str], pl.DataFrame]:
        """The same columns as c0, c1, …: Polars would read a name like ^a$ as a pattern."""
        numbered = {name: f"c{number}" for number, name in enumerate(self._frame.columns)}
        series = self._frame.get_columns()
        renamed = [each.alias(f"c{number}") for number, each in enumerate(series)]
        return numbered, pl.DataFrame(renamed)
