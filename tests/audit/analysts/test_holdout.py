from __future__ import annotations

import pytest

from audit.analysts.attempts import FALSE_ALARM, as_predicted, errors
from peekproof.audit.analysts.holdout import ReusedHoldout
from peekproof.testing.statistics import statistical


@statistical(false_alarm=FALSE_ALARM)
def test_a_reused_holdout_is_overstated_as_predicted() -> None:
    analyst = ReusedHoldout(rows=401, variables=800, chosen=31)

    found = errors(analyst, seed=1)

    assert as_predicted(found, analyst.predicted)
    for wrong in (0.5, 1.5, 2.0):
        assert not as_predicted(found, wrong * analyst.predicted)


def test_the_published_experiment_is_predicted() -> None:
    published = ReusedHoldout(rows=10_000, variables=10_000, chosen=500)

    assert published.predicted == pytest.approx(0.13, abs=0.005)
