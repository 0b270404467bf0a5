"""The rows of a holdout, as a source to which columns are lent while a question is answered."""

import threading
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import replace
from functools import cached_property
from typing import final

import numpy as np
import polars as pl

from peekproof.core.errors import EvaluationFailed, InvalidInput
from peekproof.core.secret import Exact
from peekproof.core.shared_columns import ColumnMark, together
from peekproof.data.column_marks import table_marks
from peekproof.data.fingerprint import fingerprint
from peekproof.data.normal import normalised, schema_of
from peekproof.data.source import Total, sealed
from peekproof.data.statistic import PairStatistic, Statistic
from peekproof.data.table import Table
from peekproof.data.totals import contributions
from peekproof.learn.column import Labels
from peekproof.learn.features import Features
from peekproof.learn.metric import Rows
from peekproof.learn.metrics.custom import Custom, Worth
from peekproof.learn.metrics.kinds import same_function
from peekproof.learn.naming import order_of
from peekproof.learn.scoring import Scoring
from peekproof.query.form import Mean, Share
from peekproof.query.mentioned import mentioned
from peekproof.query.question import Question
from peekproof.query.schema import Schema
from peekproof.query.tree import Column, Flag
from peekproof.session.custody import LABELS
from peekproof.session.forks import note_rows, refuse_forked

LABEL = "label"
ROW = "row"
_TOGETHER = 64  # questions whose columns are in memory at a time


@final
class HeldRows:
    """Labels, groups, and a name for each row: a `Source`.

    `columns` are those that questions may mention besides scores. `names` tell rows apart in the
    fingerprint, so that the same rows are recognised in another order. Whatever they are grouped
    by, the same labels have the same fingerprint, for they have one budget; `about` names the
    groups, so that no ledger answers for others. `features` are what rows are compared by, and
    `given` are the labels in the order that they came in, where this is not the order of the rows.
    """

    ordered = True
    charge_first = False

    def __init__(
        self,
        labels: Labels,
        *,
        names: Sequence[str],
        columns: Mapping[str, object],
        features: Features | None = None,
        given: Labels | None = None,
    ) -> None:
        refuse_forked("of a new holdout")
        note_rows()
        self.labels = replace(labels, order=order_of(names))
        # Copies of the columns: Polars shares the memory of arrays, which their owner may change.
        every = {**deepcopy(dict(columns)), LABEL: labels.values, ROW: list(names)}
        self._frame = normalised(pl.DataFrame(every))
        schema = schema_of(self._frame.schema)
        self._table = Table(self._frame, schema)
        self.fingerprint = fingerprint(self._frame.select([LABEL, ROW]))
        self.about = LABELS
        if columns:
            self.about = f"{LABELS} {fingerprint(self._frame.select([*sorted(columns), ROW]))}"
        known = {name: kind for name, kind in schema.columns.items() if name != ROW}
        self.schema = Schema(known, schema.categories, frozenset({LABEL} & known.keys()))
        self.rows = labels.rows
        self.features = features
        self._given = given
        self._lent: dict[str, Scoring] = {}
        self._functions: dict[str, Worth] = {}
        self._borrowers: Counter[str] = Counter()
        self._turn = threading.Lock()

    @cached_property
    def marks(self) -> list[ColumnMark]:
        """What the labels are recognised by: alone in their order, and in any with features.

        Never by features alone: the labels of another task may be about the same rows.
        """
        label = self._frame[LABEL]
        found = [table_marks(label.to_frame())]
        if self._given is not None:
            found.append(table_marks(normalised(pl.DataFrame({LABEL: self._given.values}))))
        if self.features is not None:
            found.append(self.features.marks(label))
        return together(*found)

    @property
    def parts(self) -> tuple[Labels, list[str], dict[str, pl.Series]]:
        """Labels, names and columns, from which the same rows can be made elsewhere."""
        columns = {each.name: each for each in self._frame.get_columns()}
        names = columns.pop(ROW).to_list()
        del columns[LABEL]
        return self.labels, names, columns

    @contextmanager
    def lending(self, *scorings: Scoring) -> Iterator[None]:
        """The columns of these scorings are there, for as long as it lasts."""
        names = [each.column for each in scorings]
        with self._turn:
            for each in scorings:
                self._check_function(each.metric)
            self._lent.update(zip(names, scorings, strict=True))
            self._borrowers.update(names)
        try:
            yield
        finally:
            with self._turn:
                self._borrowers.subtract(names)
                for name in names:
                    if not self._borrowers[name]:
                        del self._borrowers[name]
                        self._lent.pop(name, None)

    def _check_function(self, metric: object) -> None:
        """Refuse a function under a name that another had: the answers for that would be its."""
        while (inner := getattr(metric, "of", getattr(metric, "metric", None))) is not None:
            metric = inner
        if isinstance(metric, Custom):
            known = self._functions.setdefault(metric.NAME, metric.function)
            if not same_function(known, metric.function):
                raise InvalidInput(
                    argument="metric",
                    accepted="the function that had this name before, or another name",
                    given=repr(metric.NAME),
                )

    def totals(self, questions: Sequence[Question]) -> list[Total]:
        """For each question what all rows contribute to it, in exact integers."""
        found = {each.digest: self._plain(each) for each in questions}
        rest = [each for each in questions if found[each.digest] is None]
        for start in range(0, len(rest), _TOGETHER):
            some = rest[start : start + _TOGETHER]
            totals = self._with_columns(some).totals(some)
            found.update(zip((each.digest for each in some), totals, strict=True))
        return [total for each in questions if (total := found[each.digest]) is not None]

    def totals_round(
        self,
        questions: Sequence[Question],
        *,
        number: int,
        rounds: int,
        key: str,  # noqa: ARG002 (nothing is shuffled)
    ) -> list[Total]:
        """As `totals`: the one round of a final, which has all rows."""
        if (number, rounds) != (0, 1):
            raise EvaluationFailed()
        return self.totals(questions)

    def totals_part(
        self,
        questions: Sequence[Question],  # noqa: ARG002
        *,
        first: int,  # noqa: ARG002
        parts: int,  # noqa: ARG002
        key: str,  # noqa: ARG002
    ) -> list[Total]:
        """Refused: holdouts promise nothing by parts of their rows."""
        raise EvaluationFailed()

    def measure(self, statistic: Statistic | PairStatistic, *, levels: int) -> Exact[int]:
        """What the custodian's function gives for all rows, in fixed point."""
        return self._table.measure(statistic, levels=levels)

    def _plain(self, question: Question) -> Total | None:
        """The total of a question about one lent column and nothing else, as most of them are.

        The integers that a table would give, without its plans and threads.
        """
        match question.form:
            case Share(Flag(Column(name), negated=False)) if name in self._lent:
                flag = True
            case Mean(Column(name), low=0.0, high=1.0) if name in self._lent:
                flag = False
            case _:
                return None
        try:
            scoring = self._lent[name]
            if scoring.metric.flag is not flag:
                return None
            values = self._values(scoring)
            if flag:
                return sealed(int(np.count_nonzero(values > 0.5)))
            return sealed(int(contributions(values, low=0.0, high=1.0).astype(np.int64).sum()))
        except Exception:
            raise EvaluationFailed() from None

    def _with_columns(self, questions: Sequence[Question]) -> Table:
        wanted = sorted(set().union(*(mentioned(each.form) for each in questions)))
        try:
            columns = [
                self._column(self._lent[name]) if name in self._lent else self._frame[name]
                for name in wanted
            ]
            return Table(pl.DataFrame(columns), self.schema, room=0)
        except (Exception, pl.exceptions.PanicException):
            raise EvaluationFailed() from None

    def _column(self, scoring: Scoring) -> pl.Series:
        column = pl.Series(scoring.column, self._values(scoring))
        return column > 0.5 if scoring.metric.flag else column * scoring.metric.span

    def _values(self, scoring: Scoring) -> Rows:
        """What each row is worth, from 0 to 1; nothing if that is no number."""
        values: Rows = np.fmin(np.fmax(scoring.values(self.labels), 0.0), 1.0)
        return values

    def close(self) -> None:
        """Let go of what was kept."""
        self._table.close()
