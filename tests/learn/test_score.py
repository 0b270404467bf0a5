"""Scores as queries: which integers they count, and what makes two of them the same."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import floor
from pathlib import Path
from typing import Any, ClassVar, final
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import peekproof
from peekproof.core.errors import EvaluationFailed, InvalidInput, LedgerDamaged
from peekproof.core.secret import Exact
from peekproof.data.source import Source
from peekproof.learn.column import Labels, Predictions, predictions_of
from peekproof.learn.desk import Desk, Guessed
from peekproof.learn.held import HeldRows
from peekproof.learn.metric import Metric, Rows, Wants
from peekproof.learn.metrics.classification import Accuracy, Gain
from peekproof.learn.metrics.custom import metric
from peekproof.learn.metrics.named import metric_of
from peekproof.learn.metrics.ranked import Order, Ranked
from peekproof.learn.opening import held_rows
from peekproof.learn.score import LargestScore, MeanScore, PairScore, is_score_by, score_text
from peekproof.ledger.ledger import Ledger
from peekproof.query.form import FINE
from peekproof.query.question import parse_question
from peekproof.query.schema import Kind, Schema
from peekproof.session.receipt import receipts
from peekproof.session.records import check_record

LABELS = [0.0, 1.0, 1.0, 0.0, 1.0, 1.0]
REGIONS = ["a", "a", "b", "b", None, "b"]
SIZES = [1.0, 5.0, float("nan"), 2.0, 7.0, 9.0]
SCHEMA = Schema(
    {"label": Kind.NUMBER, "region": Kind.TEXT, "size": Kind.NUMBER}, {}, frozenset({"label"})
)


def held(labels: Sequence[float] = LABELS) -> HeldRows:
    rows = len(labels)
    columns = {"region": (REGIONS * rows)[:rows], "size": np.array((SIZES * rows)[:rows])}
    return held_rows(None, list(labels), columns)


def predicted(values: Sequence[float]) -> Predictions:
    return predictions_of(list(values), rows=len(values))


def read(what: MeanScore | PairScore | LargestScore, rows: HeldRows) -> Any:
    found: Exact[Any] = what.exact((), rows)
    return found.reveal()


@final
@dataclass(frozen=True, slots=True)
class Raw:
    """A metric that gives what was predicted, be it between 0 and 1, or a number, or not."""

    NAME: ClassVar[str] = "raw"
    flag: ClassVar[bool] = False
    charge_first: ClassVar[bool] = False
    higher: ClassVar[bool] = True
    wants: ClassVar[Wants] = Wants.LABEL
    span: ClassVar[float] = 2.5

    @property
    def text(self) -> str:
        return self.NAME

    def check(self, labels: Labels, *predictions: Predictions) -> None:
        del labels, predictions

    def values(self, labels: Labels, *predictions: Predictions) -> Rows:
        found = predictions[0].values.astype(np.float64)
        return np.where(found == 9.0, np.nan, found)


@final
@dataclass(frozen=True, slots=True)
class Broken:
    """A metric that fails over rows, or gives another number of numbers."""

    NAME: ClassVar[str] = "broken"
    flag: ClassVar[bool] = True
    charge_first: ClassVar[bool] = False
    higher: ClassVar[bool] = True
    wants: ClassVar[Wants] = Wants.LABEL
    span: ClassVar[float] = 1.0

    short: bool

    @property
    def text(self) -> str:
        return self.NAME

    def check(self, labels: Labels, *predictions: Predictions) -> None:
        del labels, predictions

    def values(self, labels: Labels, *predictions: Predictions) -> Rows:
        del predictions
        if self.short:
            return np.ones(labels.rows + 1)
        raise ValueError(f"the labels are {labels.values}")


# What is counted -------------------------------------------------------------------------------

CONDITIONS: dict[str, Any] = {
    "": lambda label, region, size: True,
    "region = 'b'": lambda label, region, size: region == "b",
    "not region = 'b'": lambda label, region, size: region not in ("b", None),
    "size > 4 or label < 1": lambda label, region, size: size > 4 or label < 1,
    "size is null": lambda label, region, size: size != size,
}
METRICS: dict[str, Any] = {
    "accuracy": lambda label, one: float(label == one),
    "brier": lambda label, one: (one - label) ** 2,
    "absolute_error(-1, 9)": lambda label, one: abs(label - one) / 10,
    "pinball(0.25, -1, 9)": lambda label, one: (
        max(0.25 * (label - one), -0.75 * (label - one)) / 7.5
    ),
}
cells = st.lists(
    st.tuples(st.sampled_from([0.0, 1.0]), st.sampled_from([0.0, 1e-9, 0.3, 0.5, 1.0])),
    min_size=1,
    max_size=30,
)


def counted(worth: Sequence[float], where: Sequence[bool], *, flag: bool, span: float) -> int:
    """Row by row, in Python's own numbers."""
    kept = [each if holds else 0.0 for each, holds in zip(worth, where, strict=True)]
    if flag:
        return sum(each > 0.5 for each in kept)
    return sum(floor(each * span / span * FINE + 0.5) for each in kept)


@given(cells, st.sampled_from(sorted(METRICS)), st.sampled_from(sorted(CONDITIONS)))
def test_a_mean_over_rows_is_counted_row_by_row(
    rows: list[tuple[float, float]], name: str, where: str
) -> None:
    labels, values = [label for label, _ in rows], [each for _, each in rows]
    source, scored = held(labels), metric_of(name)
    condition = parse_question(where, source.schema) if where else None
    score = MeanScore(metric=scored, predictions=(predicted(values),), where=condition)
    worth = [METRICS[name](label, one) for label, one in rows]
    holds = [
        CONDITIONS[where](label, REGIONS[row % 6], SIZES[row % 6])
        for row, label in enumerate(labels)
    ]
    assert read(score, source) == counted(worth, holds, flag=scored.flag, span=scored.span)
    assert (score.shape, score.levels) == (("share", 1) if scored.flag else ("mean", FINE))
    assert score.span.high == scored.span


@given(cells)
def test_what_one_prediction_is_worth_beyond_another_is_counted(
    rows: list[tuple[float, float]],
) -> None:
    source = held([label for label, _ in rows])
    first, second = [each for _, each in rows], [1 - label for label, _ in rows]
    for name in ("accuracy", "brier"):
        inner = metric_of(name)
        score = MeanScore(metric=Gain(inner), predictions=(predicted(first), predicted(second)))
        apart = [
            max(0.0, METRICS[name](label, one) - METRICS[name](label, two))
            for (label, one), two in zip(rows, second, strict=True)
        ]
        assert read(score, source) == counted(apart, [True] * len(rows), flag=inner.flag, span=1.0)


def test_what_is_worth_no_number_counts_nothing_and_what_is_beyond_the_scale_its_end() -> None:
    score = MeanScore(metric=Raw(), predictions=(predicted([9.0, -3.0, 0.5, 7.0, 1.0, 0.25]),))
    assert read(score, held()) == counted([0, 0, 0.5, 1, 1, 0.25], [True] * 6, flag=False, span=2.5)


@given(cells.filter(lambda rows: len(rows) > 1), st.sampled_from(list(Order)))
def test_pairs_are_counted_one_by_one(rows: list[tuple[float, float]], order: Order) -> None:
    source = held([label for label, _ in rows])
    score = PairScore.of(Ranked(order), source.labels, predicted([each for _, each in rows]))
    halves = 0
    for label, one in rows:
        for other, two in rows:
            if label == 1 and other != 1:
                above, below = (one, two) if order is Order.CONCORDANT else (two, one)
                halves += 2 * (above > below) + (above == below)
    count = len(rows)
    assert read(score, source) == halves
    assert (count // 2) * score.levels == count * (count - 1)  # so the share is exact


def test_the_candidates_of_a_choice_are_counted_in_their_order() -> None:
    source = held()
    scores = [
        MeanScore.of(Accuracy(), source.labels, predicted(each))
        for each in ([1.0] * 6, [0.0] * 6, LABELS)
    ]
    asked = LargestScore(tuple(scores))
    assert read(asked, source) == (4, 2, 6)
    assert asked.text == f"the largest of 3: {'; '.join(each.text for each in scores)}"
    assert (asked.cells, asked.levels, asked.span) == (3, 1, scores[0].span)


@pytest.mark.parametrize("short", [True, False])
@pytest.mark.parametrize("where", ["", "region = 'b'"])
def test_a_metric_that_fails_over_rows_says_nothing_of_them(short: bool, where: str) -> None:
    condition = parse_question(where, SCHEMA) if where else None
    score = MeanScore(metric=Broken(short), predictions=(predicted(LABELS),), where=condition)
    with pytest.raises(EvaluationFailed) as failed:
        score.exact((), held())
    assert failed.value.__cause__ is None
    assert failed.value.__suppress_context__


def test_other_rows_than_those_of_a_holdout_cannot_be_scored() -> None:
    other: Source = peekproof.load({"label": LABELS})
    for score in (
        MeanScore(metric=Accuracy(), predictions=(predicted(LABELS),)),
        PairScore(metric=Ranked(Order.CONCORDANT), predictions=(predicted(LABELS),)),
    ):
        with pytest.raises(EvaluationFailed):
            score.exact((), other)


# What is the same ------------------------------------------------------------------------------

ONE, TWO = predicted([0.0, 1.0, 1.0, 1.0, 0.0, 1.0]), predicted([1.0, 1.0, 0.0, 1.0, 0.0, 1.0])
WHERE = "size > 4 and region = 'b'"


def digest(
    metric: Metric | None = None,
    *predictions: Predictions,
    order: str = "",
    where: str = "",
) -> str:
    condition = parse_question(where, SCHEMA) if where else None
    return MeanScore(
        metric=metric or Accuracy(), predictions=predictions or (ONE,), order=order, where=condition
    ).digest


@pytest.mark.parametrize(
    "spelling", ["region = 'b' and size > 4", "not (size <= 4) and (region in ('b'))", f" {WHERE} "]
)
def test_spellings_of_a_condition_are_one_score(spelling: str) -> None:
    assert digest(where=spelling) == digest(where=WHERE)


def test_whatever_else_differs_makes_another_score() -> None:
    ranking = Ranked(Order.CONCORDANT)
    single = MeanScore(metric=Accuracy(), predictions=(ONE,))
    found = [
        digest(),
        digest(where=WHERE),
        digest(where="size > 4"),
        digest(order="another"),
        digest(metric_of("zero_one")),
        digest(metric_of('brier("1")')),
        digest(None, TWO),
        digest(Gain(Accuracy()), ONE, TWO),
        digest(Gain(Accuracy()), TWO, ONE),
        PairScore(metric=ranking, predictions=(ONE,)).digest,
        PairScore(metric=ranking, predictions=(TWO,)).digest,
        PairScore(metric=ranking, predictions=(ONE,), order="another").digest,
        PairScore(metric=Ranked(Order.ANTICONCORDANT), predictions=(ONE,)).digest,
        LargestScore((single, replace(single, predictions=(TWO,)))).digest,
        LargestScore((replace(single, predictions=(TWO,)), single)).digest,
    ]
    assert len(set(found)) == len(found)


def test_labels_do_not_identify_a_score() -> None:
    source, other = held(), held([1 - each for each in LABELS])
    one, two = (MeanScore.of(Accuracy(), each.labels, ONE) for each in (source, other))
    assert (one.digest, one.text) == (two.digest, two.text)


def test_a_score_is_the_same_in_every_process() -> None:
    program = (
        "from learn.test_score import WHERE, digest\n"
        "import json\n"
        "print(json.dumps([digest(), digest(where=WHERE)]))\n"
    )
    for seed in ("1", "2"):
        done = subprocess.run(
            [sys.executable, "-c", program],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(sys.path)},
        )
        assert json.loads(done.stdout) == [digest(), digest(where=WHERE)]


def test_texts_are_for_people() -> None:
    one, two = ONE.digest[:16], TWO.digest[:16]
    condition = parse_question("region = 'b'", SCHEMA)
    single = MeanScore(metric=Accuracy(), predictions=(ONE,))
    ranking = PairScore(metric=Ranked(Order.CONCORDANT), predictions=(ONE,))
    assert single.text == f"accuracy of predictions {one}"
    assert replace(single, where=condition).text == f"{single.text}, counting 0 unless region = 'b'"
    assert (
        score_text(Gain(Accuracy()), ONE, TWO) == f"gain(accuracy) of predictions {one} over {two}"
    )
    assert score_text(metric_of("label_mean(0, 1)")) == "label_mean(0, 1) of the labels"
    assert ranking.text == f"pairs: concordant(1) of predictions {one}"


def test_the_text_of_a_score_tells_by_which_metric_it_is() -> None:
    brier, single = metric_of("brier"), MeanScore(metric=Accuracy(), predictions=(ONE,))
    condition = parse_question("region = 'b'", SCHEMA)
    assert is_score_by(Accuracy(), single.text)
    for other in (
        replace(single, where=condition),
        replace(single, metric=brier),
        replace(single, metric=Gain(Accuracy()), predictions=(ONE, TWO)),
        LargestScore((single, replace(single, predictions=(TWO,)))),
        PairScore(metric=Ranked(Order.CONCORDANT), predictions=(ONE,)),
    ):
        assert not is_score_by(Accuracy(), other.text)
    assert not is_score_by(Accuracy(), f"rest_of_{single.text}")
    assert not is_score_by(Accuracy(), "accuracy = 1")


def test_candidates_are_different_scores_by_one_metric() -> None:
    single = MeanScore(metric=Accuracy(), predictions=(ONE,))
    for wrong, said in (
        ((single,), "from 2 to 100,000"),
        ((single, single), "one of them twice"),
        ((single, replace(single, metric=metric_of("brier"))), "by one metric"),
    ):
        with pytest.raises(InvalidInput, match=said):
            LargestScore(wrong)


# In a ledger -----------------------------------------------------------------------------------


def opened(**more: Any) -> peekproof.Holdout:
    labels = np.random.default_rng(3).integers(0, 2, 500)
    return peekproof.Holdout(None, labels, questions=20, **more)


def right(holdout: peekproof.Holdout, share: float) -> list[float]:
    labels = holdout.desk.labels.values.astype(np.float64)
    wrong = np.arange(len(labels)) >= share * len(labels)
    found: list[float] = np.where(wrong, 1 - labels, labels).tolist()
    return found


def forged(desk: Desk, before: str, after: str) -> None:
    """Audit the ledger as if it recorded one text in place of the other."""
    session = desk.session
    check_record(session.plan, session.ledger)
    entries = session.ledger.entries()
    changed = [replace(each, text=each.text.replace(before, after)) for each in entries]
    assert changed != entries
    with mock.patch.object(Ledger, "entries", return_value=changed):
        check_record(session.plan, session.ledger)


def test_pairs_that_are_recorded_as_a_mean_over_rows_are_damage() -> None:
    with opened(metric="auc") as holdout:
        holdout.score(np.random.default_rng(1).random(500), guess=0.5)
        assert holdout.desk.held is not None
        with pytest.raises(LedgerDamaged, match="something else than its text asks for"):
            forged(holdout.desk, "pairs: concordant", "concordant")


def test_a_mean_over_rows_that_is_recorded_as_pairs_is_damage() -> None:
    with opened() as holdout:
        holdout.score(right(holdout, 0.8), guess=0.8)
        assert holdout.desk.held is not None
        with pytest.raises(LedgerDamaged, match="does not ask for what was drawn"):
            forged(holdout.desk, "accuracy of predictions", "pairs: accuracy of predictions")


def test_a_score_that_is_recorded_in_other_units_is_damage() -> None:
    labels = np.random.default_rng(3).uniform(0, 100, 500)
    with peekproof.Holdout(None, labels, questions=20, metric="absolute_error(0, 100)") as holdout:
        holdout.score(labels * 0.99, guess=0.5)
        assert holdout.desk.held is not None
        for high in ("1", "99", "101"):
            with pytest.raises(LedgerDamaged, match="something else than its text asks for"):
                forged(holdout.desk, '"high":"100"', f'"high":"{high}"')
        with pytest.raises(LedgerDamaged, match="something else than its text asks for"):
            forged(holdout.desk, "absolute_error(0, 100)", "absolute_error(0, 10)")


def test_a_score_of_a_function_of_ones_own_is_from_0_to_1() -> None:
    own = metric(lambda labels, predicted: labels == predicted, name="mine")
    with opened(metric=own) as holdout:
        holdout.score(right(holdout, 0.8), guess=0.8)
        holdout.compare(right(holdout, 0.9), right(holdout, 0.7), guess=(0.9, 0.7))
        assert holdout.desk.held is not None
        forged(holdout.desk, "mine of predictions", "yours of predictions")
        with pytest.raises(LedgerDamaged, match="something else than its text asks for"):
            forged(holdout.desk, "mine of predictions", "accuracy of predictions")


def test_a_choice_that_is_recorded_among_more_scores_than_there_were_is_damage() -> None:
    with opened() as holdout:
        holdout.best([right(holdout, each) for each in (0.6, 0.9)])
        assert holdout.desk.held is not None
        with pytest.raises(LedgerDamaged, match="does not ask for what was drawn"):
            forged(holdout.desk, "the largest of 2", "the largest of 3")


def test_a_restart_finds_every_kind_of_score_again(tmp_path: Path) -> None:
    def asked(holdout: peekproof.Holdout) -> list[float]:
        better, worse = right(holdout, 0.9), right(holdout, 0.6)
        chosen = holdout.best([worse, better])
        return [
            holdout.score(better, guess=0.9).value,
            holdout.score(better, guess=0.9, where="region = 'b'").value,
            holdout.score(better, metric="auc", guess=0.9).value,
            holdout.compare(better, worse, guess=(0.9, 0.6)).difference.value,
            chosen.answer.value,
        ]

    groups = {"region": ["a", "b"] * 250}
    with opened(groups=groups, ledger=tmp_path / "ledger") as holdout:
        first, left = asked(holdout), holdout.left
        texts = [each.question for each in holdout.answers()]
        assert [each.question for each in receipts(holdout.desk.session.ledger)] == texts
    with opened(groups=groups, ledger=tmp_path / "ledger") as holdout:
        assert (asked(holdout), holdout.left) == (first, left)
        assert [each.certificate.verify() for each in holdout.answers()]


def test_the_last_score_is_that_by_the_metric_on_all_rows() -> None:
    with opened(groups={"region": ["a", "b"] * 250}) as holdout:
        assert holdout.last() is None
        first = holdout.score(right(holdout, 0.8), guess=0.8)
        holdout.score(right(holdout, 0.7), guess=0.3, metric="zero_one")
        holdout.score(right(holdout, 0.7), guess=0.7, where="region = 'b'")
        holdout.best([right(holdout, each) for each in (0.6, 0.9)])
        assert holdout.last() == first.value
        assert holdout.last("zero_one") == 0.3
        assert holdout.last("brier") is None


def test_a_score_is_named_in_the_ledger_by_its_digest() -> None:
    with opened() as holdout:
        predictions = right(holdout, 0.8)
        holdout.score(predictions, guess=0.8)
        (recorded,) = holdout.answers()
        assert recorded.digest == holdout.digest(predictions)
        assert recorded.digest != holdout.digest(predictions, metric="zero_one")


def test_a_function_that_ends_the_process_for_some_labels_is_paid_for() -> None:
    stops = False

    def mine(labels: Any, given: Any) -> Any:
        if stops:
            raise KeyboardInterrupt
        return np.equal(labels, given)

    with opened() as holdout:
        made = metric(mine, name="mine")
        score = MeanScore.of(made, holdout.desk.labels, predicted(right(holdout, 0.8)))
        assert score.charge_first
        stops = True
        with pytest.raises(KeyboardInterrupt):
            holdout.desk.ask(score, Guessed(share=0.8))
        assert holdout.left == 19
        with (
            pytest.raises(KeyboardInterrupt),
            mock.patch.object(Accuracy, "values", side_effect=KeyboardInterrupt),
        ):
            holdout.score(right(holdout, 0.8), guess=0.8)
        assert holdout.left == 19  # what is ours fails for no label, so it is read before
        stops = False
        assert holdout.score(right(holdout, 0.8), metric=made, guess=0.8).value == 0.8
        assert holdout.left == 19  # it was paid for, and is read again
