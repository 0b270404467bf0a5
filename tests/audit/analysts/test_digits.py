from __future__ import annotations

from audit.analysts.attempts import FALSE_ALARM, as_predicted, played
from holdfast.audit.analysts.digits import Digits
from holdfast.testing.statistics import statistical


@statistical(false_alarm=FALSE_ALARM)
def test_digits_of_a_few_means_show_every_row() -> None:
    analyst = Digits(rows=40, size=80)

    conversations = played(analyst, seed=1)

    assert all(each.decisive.told == 1 for each in conversations)
    assert {len(each.asked) for each in conversations} == {13}  # 80 places, 7 a mean; one more
    found = [each.decisive.error for each in conversations]
    assert as_predicted(found, analyst.predicted)
    for wrong in (0.5, 0.75, 1.25, 2.0):
        assert not as_predicted(found, wrong * analyst.predicted)
