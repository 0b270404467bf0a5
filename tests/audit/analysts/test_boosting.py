from __future__ import annotations

import pytest

from audit.analysts.attempts import FALSE_ALARM, as_predicted, errors
from peekproof.audit.analysts.boosting import Boosting
from peekproof.testing.statistics import statistical


@statistical(false_alarm=FALSE_ALARM)
def test_the_majority_of_good_scores_is_overstated_as_predicted() -> None:
    analyst = Boosting(rows=801, submissions=800)

    found = errors(analyst, seed=1)

    assert as_predicted(found, analyst.predicted)
    for wrong in (0.5, 0.75, 1.5, 2.0):
        assert not as_predicted(found, wrong * analyst.predicted)


def test_2000_submissions_on_2000_rows_gain_a_fifth() -> None:
    assert Boosting(rows=2000, submissions=2000).predicted == pytest.approx(0.214, abs=5e-4)
