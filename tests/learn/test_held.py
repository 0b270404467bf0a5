"""The rows of a holdout as a source."""

from __future__ import annotations

from typing import cast

import numpy as np
import pytest

from peekproof.core.errors import EvaluationFailed
from peekproof.core.secret import Exact
from peekproof.data.source import Source
from peekproof.learn.held import HeldRows
from peekproof.learn.opening import held_rows
from peekproof.mechanisms.empirical import UnsafeEmpirical
from peekproof.query.question import parse_question
from peekproof.query.schema import Kind, Schema

LABELS = np.array([0, 1, 1, 0, 1, 1])


def held() -> HeldRows:
    return held_rows(None, LABELS, {"region": list("aabbab")})


def test_it_is_a_source_like_any_other() -> None:
    assert isinstance(held(), Source)


def test_shares_of_groups_and_labels_are_counted() -> None:
    rows = held()
    asked = [
        parse_question(each, rows.schema) for each in ("region = 'b'", "label = 1", "label < 1")
    ]
    total = UnsafeEmpirical(rows=rows.rows).release_unsafely
    counts = [float(total(cast(Exact[int], each))) * rows.rows for each in rows.totals(asked)]
    assert counts == pytest.approx([3, 4, 2])


def test_it_tells_scores_for_which_rows_a_condition_holds() -> None:
    rows = held()
    condition = parse_question("region = 'b' and label = 1", rows.schema)
    assert rows.holds(condition).tolist() == [False, False, True, False, False, True]


def test_what_goes_wrong_with_a_condition_says_nothing_of_rows() -> None:
    other = Schema({"other": Kind.NUMBER}, {}, frozenset())
    with pytest.raises(EvaluationFailed) as refused:
        held().holds(parse_question("other > 1", other))
    assert refused.value.__cause__ is None
    assert refused.value.__suppress_context__


def test_parts_of_rows_are_refused() -> None:
    rows = held()
    asked = [parse_question("label = 1", rows.schema)]
    with pytest.raises(EvaluationFailed):
        rows.totals_round(asked, number=0, rounds=2, key="0" * 32)
    with pytest.raises(EvaluationFailed):
        rows.totals_part(asked, first=0, parts=2, key="0" * 32)


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
