"""Rows in memory, behind two questions: how many rows satisfy this, and which data is it."""

from collections.abc import Sequence
from functools import cached_property
from typing import final

import polars as pl

from holdfast.core.errors import EvaluationFailed
from holdfast.core.secret import Exact
from holdfast.data.evaluate import truth
from holdfast.data.fingerprint import fingerprint
from holdfast.query.question import Question
from holdfast.query.schema import Schema

# Polars' optimiser takes time quadratic in the depth of an expression; long sums (a weighted
# vote over a thousand columns) are evaluated eagerly even in a batch.
_LONGEST_LAZY = 2_000


@final
class Table:
    """The rows a session holds. Public: `rows`, `schema`, `fingerprint`."""

    def __init__(self, frame: pl.DataFrame, schema: Schema) -> None:
        self._frame = frame
        self.schema = schema
        self.rows = frame.height

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

    def _count_one(self, question: Question) -> Exact[int]:
        return Exact(int(truth(question.predicate, self._frame.get_column).sum()))

    def _count_many(self, questions: Sequence[Question]) -> list[Exact[int]]:
        counts = {
            question.digest: self._count_one(question)
            for question in questions
            if len(question.text) > _LONGEST_LAZY
        }
        lazy = [question for question in questions if question.digest not in counts]
        if lazy:
            sums = [truth(each.predicate, pl.col).sum().alias(each.digest) for each in lazy]
            row = self._frame.lazy().select(sums).collect(engine="streaming").row(0, named=True)
            counts.update((digest, Exact(int(total))) for digest, total in row.items())
        return [counts[question.digest] for question in questions]
