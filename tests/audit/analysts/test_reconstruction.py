from __future__ import annotations

from math import exp

import pytest

from audit.analysts.attempts import FALSE_ALARM, as_predicted, played
from peekproof.audit.analysts.reconstruction import Reconstruction
from peekproof.testing.statistics import statistical


@statistical(false_alarm=FALSE_ALARM)
def test_least_squares_finds_every_row_and_overstates_them_as_predicted() -> None:
    analyst = Reconstruction(rows=20, size=40)

    conversations = played(analyst, seed=1)

    assert all(each.decisive.told == 1 for each in conversations)
    found = [each.decisive.error for each in conversations]
    assert as_predicted(found, analyst.predicted)
    for wrong in (0.5, 0.75, 1.25, 2.0):
        assert not as_predicted(found, wrong * analyst.predicted)


def test_the_prediction_is_near_the_exponential() -> None:
    assert Reconstruction(rows=1000, size=2000).predicted == pytest.approx(exp(-0.5), abs=2e-4)


@statistical(false_alarm=FALSE_ALARM)
def test_a_list_shorter_than_the_sample_is_overstated_where_it_is_drawn_more_often() -> None:
    analyst = Reconstruction(rows=400, size=60)

    found = [each.decisive.error for each in played(analyst, seed=3)]

    assert as_predicted(found, analyst.predicted)
    for wrong in (0.5, 1.5, 2.0):
        assert not as_predicted(found, wrong * analyst.predicted)
