"""The law of digits on functions that strangers wrote."""

from __future__ import annotations

from fractions import Fraction
from random import Random

import numpy as np
import pytest

from peekproof.audit.precision import multiples_of
from peekproof.core.charge import PureDP
from peekproof.testing.audits import digits_do_not_tell, loss_stays_within
from peekproof.testing.statistics import Violation, statistical

FALSE_ALARM = 1e-9
CLAIM = PureDP(Fraction(1))


def in_integers(count: int, rng: Random) -> int:
    """A count behind the difference of two geometric numbers: ε = 1, in whole numbers."""
    return count + _geometric(rng) - _geometric(rng)


def _geometric(rng: Random) -> int:
    drawn = 0
    while rng.random() < 0.36787944117144233:
        drawn += 1
    return drawn


@statistical(false_alarm=FALSE_ALARM)
def test_noise_in_integers_passes_and_in_floats_it_does_not() -> None:
    """By size alone noise in floats passes, too."""
    rng, floats = Random(1), np.random.default_rng(1)

    digits_do_not_tell(
        CLAIM,
        lambda: in_integers(0, rng),
        lambda: in_integers(1, rng),
        trials=4_000,
        false_alarm=FALSE_ALARM / 2,
        outputs=multiples_of(Fraction(1)),
    )
    loss_stays_within(
        CLAIM,
        floats.laplace,
        lambda: 1 + floats.laplace(),
        trials=4_000,
        false_alarm=FALSE_ALARM / 2,
    )
    with pytest.raises(Violation, match="place of the last digit"):
        digits_do_not_tell(
            CLAIM,
            floats.laplace,
            lambda: 1 + floats.laplace(),
            trials=4_000,
            false_alarm=FALSE_ALARM,
        )


def test_a_release_outside_of_the_grid_is_enough() -> None:
    rng = Random(2)
    with pytest.raises(Violation, match=r"outside of the grid: \d+ of 800"):
        digits_do_not_tell(
            CLAIM,
            lambda: in_integers(0, rng),
            lambda: in_integers(1, rng) + Fraction(rng.random() < 0.1, 3),
            trials=400,
            false_alarm=FALSE_ALARM,
            outputs=multiples_of(Fraction(1)),
        )


def test_features_of_ones_own_are_looked_at() -> None:
    rng = Random(3)
    with pytest.raises(Violation, match="rest: "):
        digits_do_not_tell(
            CLAIM,
            lambda: 3 * rng.randrange(10**6),
            lambda: 3 * rng.randrange(10**6) + 1,
            trials=400,
            false_alarm=FALSE_ALARM,
            features={"rest": lambda number: number % 3},
        )
