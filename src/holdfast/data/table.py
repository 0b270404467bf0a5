"""Rows in memory, behind two questions: what do they add up to, and which data is it."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import final

import numpy as np
import numpy.typing as npt
import polars as pl

from holdfast.core.errors import EvaluationFailed
from holdfast.core.secret import Exact
from holdfast.data.evaluate import lazily, truth
from holdfast.data.fingerprint import fingerprint, keyed_order
from holdfast.data.statistic import Statistic
from holdfast.data.totals import histogram_totals, mean_total, quantile_totals
from holdfast.query.form import Histogram, Mean, Quantile, Share
from holdfast.query.question import Question
from holdfast.query.schema import Schema

Total = Exact[int] | Exact[tuple[int, ...]]


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

    def totals(self, questions: Sequence[Question]) -> list[Total]:
        """For each question what all rows contribute to it, in exact integers.

        A share has a count, a mean a sum of contributions in fixed point (see `data.totals`), a
        histogram one of these a cell, and a quantile the count of each cell of its grid.
        """
        distinct = {question.digest: question for question in questions}
        shares = [each for each in distinct.values() if isinstance(each.form, Share)]
        found: dict[str, Total] = {}
        found.update(zip((each.digest for each in shares), self.count(shares), strict=True))
        for digest, question in distinct.items():
            if digest not in found:
                found[digest] = self._total(question)
        return [found[question.digest] for question in questions]

    def totals_part(
        self, questions: Sequence[Question], *, first: int, parts: int, key: str
    ) -> list[Total]:
        """For each question the total over a part of its own: `first`, `first` + 1, …"""
        held = self._parts(len(questions), first=first, parts=parts, key=key)
        return [part.totals([each])[0] for part, each in zip(held, questions, strict=True)]

    def measure(self, statistic: Statistic, *, levels: int) -> Exact[int]:
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
        return part.totals(questions)

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

    def _total(self, question: Question) -> Total:
        try:
            match question.form:
                case Mean() as mean:
                    return Exact(mean_total(mean, self._column))
                case Histogram() as histogram:
                    return Exact(histogram_totals(histogram, self._column))
                case Quantile() as quantile:
                    return Exact(quantile_totals(quantile, self._column))
                case Share():
                    return self._count_one(question)
        except (Exception, pl.exceptions.PanicException):
            raise EvaluationFailed() from None

    def _column(self, name: str) -> pl.Series:
        numbered, frame = self._numbered
        return frame.get_column(numbered[name])

    def _count_one(self, question: Question) -> Exact[int]:
        return Exact(int(truth(question.predicate, self._column).sum()))

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
