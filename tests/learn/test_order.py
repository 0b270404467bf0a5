"""Rows in another order: predictions come in the order of rows."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import peekproof
from learn.holdouts import rows


def test_the_same_predictions_for_rows_in_another_order_are_another_question(
    tmp_path: Path,
) -> None:
    features, labels = rows(0)
    other = np.random.default_rng(1).permutation(len(labels))
    with peekproof.Holdout(features, labels, ledger=tmp_path / "ledger") as holdout:
        assert holdout.score(labels, guess=1.0).value == 1.0
    with peekproof.Holdout(features[other], labels[other], ledger=tmp_path / "ledger") as holdout:
        answer = holdout.score(labels, guess=0.5)  # right in about half of the rows
        assert answer.low <= np.mean(labels == labels[other]) <= answer.high
