from __future__ import annotations

from math import log

import pytest

from audit.analysts.attempts import FALSE_ALARM, as_predicted, errors
from peekproof.audit.analysts.correlation import Correlation, leanings
from peekproof.testing.statistics import statistical


@statistical(false_alarm=FALSE_ALARM)
def test_the_weighted_vote_is_overstated_as_predicted() -> None:
    analyst = Correlation(rows=401, features=300)

    found = errors(analyst, seed=1)

    assert as_predicted(found, analyst.predicted)
    for wrong in (0.5, 0.75, 1.25, 2.0):
        assert not as_predicted(found, wrong * analyst.predicted)


def test_as_many_features_as_rows_seem_to_tell_84_of_100_labels() -> None:
    assert Correlation(rows=1000, features=1000).predicted == pytest.approx(0.341, abs=5e-4)


def test_votes_are_whole_thousandths_of_log_odds_and_never_infinite() -> None:
    found = leanings([0.5, 0.75, 0.25, 0.0, 1.0, 1.7])

    strongest = round(1000 * log(0.995 / 0.005))
    assert found == [0, 1099, -1099, -strongest, strongest, strongest]
