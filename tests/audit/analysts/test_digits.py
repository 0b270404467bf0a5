from __future__ import annotations

import numpy as np
import pytest

from audit.analysts.attempts import FALSE_ALARM, as_predicted, played
from peekproof.audit.analysts.digits import Digits
from peekproof.audit.analysts.protocol import ExactSample
from peekproof.core.errors import InvalidInput
from peekproof.testing.statistics import statistical


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


@statistical(false_alarm=FALSE_ALARM)
def test_digits_show_what_is_drawn_more_often_than_the_rest() -> None:
    analyst = Digits(rows=900, size=150)

    found = [each.decisive.error for each in played(analyst, seed=3)]

    assert as_predicted(found, analyst.predicted)
    for wrong in (0.5, 0.75, 1.5, 2.0):
        assert not as_predicted(found, wrong * analyst.predicted)


def test_where_places_are_drawn_more_often_digits_are_longer() -> None:
    assert Digits.sized(rows=100, questions=31) == Digits(rows=100, size=210, bits=4)

    crowded = Digits.sized(rows=3000, questions=11)
    assert crowded == Digits(rows=3000, size=40, bits=7)  # about 75 rows at a place
    columns = crowded.data(np.random.default_rng(1))
    said = crowded.play(ExactSample(columns), rng=np.random.default_rng(2)).decisive
    counts = np.bincount(columns["i"], minlength=40)
    assert said.told == counts[counts > 75].sum() / 3000


@pytest.mark.parametrize("bits", [0, 25])
def test_a_digit_has_no_more_bits_than_a_mean(bits: int) -> None:
    with pytest.raises(InvalidInput, match=r"^bits must be"):
        Digits(rows=10, size=20, bits=bits)
