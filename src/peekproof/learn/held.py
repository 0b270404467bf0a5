"""The rows of a holdout as a source: labels that scores are counted by, and groups."""

import threading
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from functools import cached_property
from typing import final

import polars as pl

from peekproof.core.errors import EvaluationFailed, InvalidInput
from peekproof.core.secret import Exact
from peekproof.core.shared_columns import ColumnMark, together
from peekproof.data.column_marks import table_marks
from peekproof.data.evaluate import Bools
from peekproof.data.fingerprint import fingerprint
from peekproof.data.normal import normalised, schema_of
from peekproof.data.source import Total
from peekproof.data.statistic import PairStatistic, Statistic
from peekproof.data.table import Table
from peekproof.learn.column import Labels
from peekproof.learn.features import Features
from peekproof.learn.metric import innermost
from peekproof.learn.metrics.custom import Custom, Worth
from peekproof.learn.metrics.kinds import same_function
from peekproof.learn.naming import order_of
from peekproof.query.question import Question
from peekproof.query.schema import Schema
from peekproof.session.custody import LABELS
from peekproof.session.forks import note_rows, refuse_forked

LABEL = "label"
ROW = "row"


@final
class HeldRows:
    """Labels, groups, and a name for each row: a `Source`.

    `columns` are those that conditions may mention besides the label. `names` tell rows apart in
    the fingerprint, so that the same rows are recognised in another order. Whatever they are
    grouped by, the same labels have the same fingerprint, for they have one budget; `about` names
    the groups, so that no ledger answers for others. `features` are what rows are compared by, and
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
        self._functions: dict[str, Worth] = {}
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

    def check_function(self, metric: object) -> None:
        """Refuse a function under a name that another had: the answers for that would be its."""
        known = innermost(metric)
        if isinstance(known, Custom):
            with self._turn:
                before = self._functions.setdefault(known.NAME, known.function)
            if not same_function(before, known.function):
                raise InvalidInput(
                    argument="metric",
                    accepted="the function that had this name before, or another name",
                    given=repr(known.NAME),
                )

    def holds(self, condition: Question) -> Bools:
        """Whether a condition about groups or labels is true, row by row: for scores alone."""
        return self._table.holds(condition)

    def totals(self, questions: Sequence[Question]) -> list[Total]:
        """For each question about groups or labels what all rows contribute to it."""
        return self._table.totals(questions)

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

    def totals_round(
        self,
        questions: Sequence[Question],  # noqa: ARG002
        *,
        number: int,  # noqa: ARG002
        rounds: int,  # noqa: ARG002
        key: str,  # noqa: ARG002
    ) -> list[Total]:
        """Refused as well."""
        raise EvaluationFailed()

    def measure(self, statistic: Statistic | PairStatistic, *, levels: int) -> Exact[int]:
        """What the custodian's function gives for all rows, in fixed point."""
        return self._table.measure(statistic, levels=levels)

    def close(self) -> None:
        """Let go of what was kept."""
        self._table.close()
