from __future__ import annotations

from dataclasses import replace
from math import sqrt
from statistics import NormalDist

import pytest

from audit.analysts.attempts import FALSE_ALARM, as_predicted, errors
from peekproof.audit.analysts.fingerprinting import Fingerprinting
from peekproof.testing.statistics import statistical


@statistical(false_alarm=FALSE_ALARM)
def test_accused_rows_are_overstated_as_predicted() -> None:
    analyst = Fingerprinting(rows=30, size=120, columns=36, rounds=2)

    found = errors(analyst, seed=1)

    assert as_predicted(found, analyst.predicted)
    for wrong in (0.5, 2.0):
        assert not as_predicted(found, wrong * analyst.predicted)
    # Nor as one round would, so hiding the accused and asking on is worth something.
    assert not as_predicted(found, replace(analyst, rounds=1).predicted)


def test_one_round_on_a_long_list_is_a_test_between_two_normals() -> None:
    """Nobody is drawn twice, so members score √(K/n) above the others."""
    analyst = Fingerprinting(rows=100, size=10**9, columns=250, rounds=1)

    expected = 2 * NormalDist().cdf(sqrt(2.5) / 2) - 1
    assert analyst.predicted == pytest.approx(expected, abs=1e-6)


@statistical(false_alarm=FALSE_ALARM)
def test_codewords_that_are_drawn_many_times_are_found_too() -> None:
    analyst = Fingerprinting(rows=300, size=64, columns=40)

    found = errors(analyst, seed=3)

    assert as_predicted(found, analyst.predicted)
    for wrong in (0.5, 2.0):
        assert not as_predicted(found, wrong * analyst.predicted)
