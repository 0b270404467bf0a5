"""Scores are counted the short way as they would be the long one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from learn.models import Squared
from peekproof.core.errors import EvaluationFailed
from peekproof.learn.column import Labels, Predictions, labels_of, predictions_of
from peekproof.learn.held import HeldRows
from peekproof.learn.metric import Metric, Rows, Wants
from peekproof.learn.metrics.classification import Accuracy
from peekproof.learn.scoring import Scoring


@final
@dataclass(frozen=True, slots=True)
class Raw:
    """A metric that gives what was predicted, be it between 0 and 1, or a number, or not."""

    NAME: ClassVar[str] = "raw"
    flag: ClassVar[bool] = False
    higher: ClassVar[bool] = True
    wants: ClassVar[Wants] = Wants.LABEL
    span: ClassVar[float] = 1.0

    @property
    def text(self) -> str:
        return self.NAME

    def check(self, labels: Labels, *predictions: Predictions) -> None:
        del labels, predictions

    def values(self, labels: Labels, *predictions: Predictions) -> Rows:
        found = predictions[0].values.astype(np.float64)
        return np.where(found == 9.0, np.nan, found)


class Broken:
    """A metric that fails over rows."""

    NAME: ClassVar[str] = "broken"
    flag, higher, wants, text, span = True, True, Wants.LABEL, "broken", 1.0

    def check(self, labels: Labels, *predictions: Predictions) -> None:
        del labels, predictions

    def values(self, labels: Labels, *predictions: Predictions) -> Rows:
        raise ZeroDivisionError(str(labels.values[0]))


def held(labels: list[float]) -> HeldRows:
    names = [str(number) for number in range(len(labels))]
    return HeldRows(labels_of(labels), names=names, columns={})


numbers = st.lists(
    st.tuples(st.sampled_from([0.0, 1.0]), st.sampled_from([-3.0, 0.0, 1e-9, 0.3, 0.5, 1.0, 9.0])),
    min_size=1,
    max_size=30,
)


@given(numbers, st.sampled_from([Accuracy(), Squared(), Raw()]))
def test_totals_are_those_of_a_table(rows: list[tuple[float, float]], metric: Metric) -> None:
    source = held([label for label, _ in rows])
    predicted = predictions_of([each for _, each in rows], rows=len(rows))
    scoring = Scoring(metric, (predicted,))
    question = scoring.question(source.schema)
    with source.lending(scoring):
        (short,) = source.totals([question])
        (long,) = source._with_columns([question]).totals([question])
        assert source._plain(question) is not None
    assert short.reveal() == long.reveal()


def test_plain_and_other_questions_are_answered_in_their_order() -> None:
    source = held([0.0, 1.0, 1.0, 1.0])
    scoring = Scoring(Accuracy(), (predictions_of([1.0, 1.0, 1.0, 0.0], rows=4),))
    plain, among = scoring.question(source.schema), scoring.question(source.schema, "label < 1")
    with source.lending(scoring):
        found = source.totals([among, plain, among, plain])
    assert [each.reveal() for each in found] == [0, 2, 0, 2]


def test_a_metric_that_fails_over_rows_says_nothing_of_them() -> None:
    source = held([7.0])
    scoring = Scoring(Broken(), (predictions_of([1.0], rows=1),))
    question = scoring.question(source.schema)
    with source.lending(scoring), pytest.raises(EvaluationFailed) as failed:
        source.totals([question])
    assert failed.value.__cause__ is None
    assert failed.value.__suppress_context__
