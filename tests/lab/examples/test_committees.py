"""Committees: their truths are right, and what they say of held rows is what their weights say."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from lab.examples.committees import Committees, Scene
from peekproof.core.errors import InvalidInput
from peekproof.testing.statistics import statistical

SMALL = Scene(training=400, rows=300, variables=30, informed=10, strength=0.3, members=5, sees=3)


def test_a_committee_says_what_the_sum_of_its_weights_says() -> None:
    committees = Committees(SMALL, seed=1)
    committee = committees.any(np.random.default_rng(2))
    rng = np.random.default_rng(1)
    SMALL.draw(rng, SMALL.training)
    held, labels = SMALL.draw(rng, SMALL.rows)
    weights = np.sum([each.weights for each in committee.members], axis=0)

    assert (labels == committees.labels).all()
    assert np.mean(np.where(weights @ held > 0, 1, -1) == committee.predicted) > 0.99
    assert committee.truth == SMALL.truth(weights)


@statistical(false_alarm=1e-9)
def test_truths_are_those_of_many_fresh_rows() -> None:
    """By Hoeffding's bound, on 40,000 rows. The truth without the weights' length is rejected."""
    rows = 40_000
    committee = Committees(SMALL, seed=1).any(np.random.default_rng(2))
    weights = np.sum([each.weights for each in committee.members], axis=0)
    values, labels = SMALL.draw(np.random.default_rng(3), rows)
    share = float(np.mean((weights @ values > 0) == (labels > 0)))
    within = sqrt(np.log(2 / 1e-9) / (2 * rows))

    assert abs(share - committee.truth) < within
    assert abs(share - SMALL.truth(weights / 2)) < within
    assert abs(share - (1 - committee.truth)) > within


def test_cross_validation_is_not_fooled_by_rows_that_were_fitted() -> None:
    """With as many variables as rows a fit of noise is right of its own rows, not of others."""
    scene = Scene(training=400, rows=100, variables=400, members=15, sees=25)
    committees = Committees(scene, seed=1)
    committee = committees.any(np.random.default_rng(2))
    values, labels = scene.draw(np.random.default_rng(1), scene.training)
    weights = np.sum([each.weights for each in committee.members], axis=0)
    fitted = float(np.mean((weights @ values > 0) == (labels > 0)))

    assert fitted > 0.7
    assert abs(committee.validated - 0.5) < 0.1


def test_one_member_is_changed_at_a_time() -> None:
    committees = Committees(SMALL, seed=1)
    rng = np.random.default_rng(2)
    before = committees.any(rng)
    after = committees.changed(before, rng)
    same = [old is new for old, new in zip(before.members, after.members, strict=True)]

    assert sorted(same) == [False] + [True] * (SMALL.members - 1)


@pytest.mark.parametrize(
    "wrong", [{"training": 401}, {"informed": 31}, {"informed": -1}, {"sees": 31}, {"rows": 0}]
)
def test_scenes_that_cannot_be_are_refused(wrong: dict[str, int]) -> None:
    with pytest.raises(InvalidInput):
        Scene(**{"training": 400, "variables": 30, "sees": 3, **wrong})
