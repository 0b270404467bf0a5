"""The rows of a holdout and the columns that are lent to questions."""

from __future__ import annotations

import threading
from typing import cast

import numpy as np
import pytest

from peekproof.core.errors import EvaluationFailed
from peekproof.core.secret import Exact
from peekproof.data.source import Source
from peekproof.learn.column import Predictions, predictions_of
from peekproof.learn.held import HeldRows
from peekproof.learn.metrics.classification import Accuracy
from peekproof.learn.opening import held_rows
from peekproof.learn.scoring import Scoring
from peekproof.mechanisms.empirical import UnsafeEmpirical

LABELS = np.array([0, 1, 1, 0, 1, 1])


def held() -> HeldRows:
    return held_rows(None, LABELS, {"region": list("aabbab")})


def scoring(rows: HeldRows, *values: float) -> Scoring:
    return Scoring.of(Accuracy(), rows.labels, predictions_of(values, rows=len(LABELS)))


def share(rows: HeldRows, scored: Scoring, where: str = "") -> float:
    question = scored.question(rows.schema, where)
    with rows.lending(scored):
        (total,) = rows.totals([question])
    return float(UnsafeEmpirical(rows=rows.rows).release_unsafely(cast(Exact[int], total)))


def test_it_is_a_source_like_any_other() -> None:
    assert isinstance(held(), Source)


def test_a_scoring_counts_the_rows_that_are_right() -> None:
    rows = held()
    assert share(rows, scoring(rows, 1, 1, 1, 1, 1, 1)) == pytest.approx(4 / 6)
    assert share(rows, scoring(rows, 1, 1, 1, 1, 1, 1), "region = 'b'") == pytest.approx(2 / 6)


def test_a_column_is_there_only_while_it_is_lent() -> None:
    rows = held()
    scored = scoring(rows, 1, 1, 1, 1, 1, 1)
    question = scored.question(rows.schema)
    with rows.lending(scored), rows.lending(scored):
        pass
    with pytest.raises(EvaluationFailed):
        rows.totals([question])


def test_threads_that_borrow_the_same_column_do_not_take_it_from_each_other() -> None:
    rows = held()
    scored = scoring(rows, 1, 1, 1, 0, 1, 1)
    found: list[float] = []

    def many() -> None:
        found.extend(share(rows, scored) for _ in range(100))

    threads = [threading.Thread(target=many) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert found == [pytest.approx(5 / 6)] * 400


def test_what_goes_wrong_while_rows_are_scored_says_nothing_of_them() -> None:
    class Telling:
        NAME, flag, higher, text = "telling", True, True, "telling"

        def values(self, labels: object, *_: Predictions) -> object:
            raise ValueError(f"the labels are {labels}")

    rows = held()
    scored = Scoring(Telling(), (predictions_of(LABELS, rows=6),))  # type: ignore[arg-type]
    question = scored.question(rows.schema)
    with rows.lending(scored), pytest.raises(EvaluationFailed) as refused:
        rows.totals([question])
    assert refused.value.__cause__ is None
    assert refused.value.__suppress_context__


def test_parts_of_rows_are_refused_but_for_the_one_round_of_a_final() -> None:
    rows = held()
    scored = scoring(rows, 1, 1, 1, 1, 1, 1)
    question = scored.question(rows.schema)
    with rows.lending(scored):
        assert len(rows.totals_round([question], number=0, rounds=1, key="0" * 32)) == 1
        with pytest.raises(EvaluationFailed):
            rows.totals_round([question], number=0, rounds=2, key="0" * 32)
        with pytest.raises(EvaluationFailed):
            rows.totals_part([question], first=0, parts=2, key="0" * 32)


def test_the_same_rows_in_another_order_have_the_same_fingerprint() -> None:
    rng = np.random.default_rng(0)
    features, labels, order = rng.normal(size=(6, 2)), LABELS, rng.permutation(6)
    first = held_rows(features, labels, {}).fingerprint
    assert held_rows(features[order], labels[order], {}).fingerprint == first
    assert held_rows(features, labels[order], {}).fingerprint != first
    assert held_rows(features[order], labels, {}).fingerprint != first


def test_rows_without_features_are_told_apart_by_their_places() -> None:
    swapped = LABELS[[1, 0, 2, 3, 4, 5]]
    assert held_rows(None, swapped, {}).fingerprint != held_rows(None, LABELS, {}).fingerprint


def test_names_of_rows_cannot_be_asked_about() -> None:
    assert "row" not in held().schema.columns
