from __future__ import annotations

import pytest

from audit.analysts.attempts import FALSE_ALARM, as_predicted, errors
from peekproof.audit.analysts.freedman import Freedman
from peekproof.testing.statistics import statistical


@statistical(false_alarm=FALSE_ALARM)
def test_screened_noise_fits_as_predicted() -> None:
    analyst = Freedman(rows=100, features=50)

    found = errors(analyst, seed=1)

    assert as_predicted(found, analyst.predicted)
    for wrong in (0.5, 2.0):
        assert not as_predicted(found, wrong * analyst.predicted)


def test_100_rows_and_50_features_explain_three_tenths() -> None:
    assert Freedman().predicted == pytest.approx(0.2925, abs=5e-5)


def test_without_a_screen_the_fit_is_that_of_all_features() -> None:
    """R² of k useless features is k/n."""
    everything = Freedman(rows=1000, features=300, level=1 - 1e-12)

    assert everything.predicted == pytest.approx(0.3, abs=1e-6)
