from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peekproof.guess import domain as module
from peekproof.guess.domain import Masses

SIZES = [1, 7, 8191, 8192, 8193, 131_072, 131_073, 300_001]


@pytest.mark.parametrize("cells", SIZES)
def test_means_and_tilts_reach_every_cell_at_every_size(cells: int) -> None:
    rng = np.random.default_rng(cells)
    flags, numbers = rng.random(cells) < 0.4, rng.random(cells)
    ours, weights = Masses(cells), np.ones(cells)
    for values, odds in ((flags, 3.0), (numbers, 0.25), (flags, 0.5), (numbers, 7.0)):
        ours.tilt(values, odds=odds, mean=ours.mean(values))
        weights *= 1 + (odds - 1) * values
        weights /= weights.sum()

        assert np.allclose(ours.normalised(), weights, rtol=1e-12, atol=0)
        for asked in (flags, numbers):
            expected = math.fsum((weights * asked).tolist())
            assert ours.mean(asked) == pytest.approx(expected, rel=1e-12, abs=1e-15)


@settings(max_examples=15)
@given(seed=st.integers(0, 2**32), falls=st.booleans())
def test_the_carried_total_stays_the_sum(seed: int, falls: bool) -> None:
    """Also under tilts that take nearly all mass away, where the difference loses digits."""
    rng = np.random.default_rng(seed)
    ours = Masses(50)
    for _ in range(300):
        values = rng.random(50) < (0.95 if falls else rng.random())
        odds = math.exp(rng.uniform(-8, 0 if falls else 8))
        ours.tilt(values, odds=odds, mean=ours.mean(values))

        assert ours.mean(np.ones(50)) == pytest.approx(1, abs=1e-12)


def test_a_total_that_is_only_carried_would_drift(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BLURRED", math.inf)
    ours, off = Masses(50), 0.0
    rng = np.random.default_rng(0)
    for _ in range(40):
        values = rng.random(50) < 0.95
        ours.tilt(values, odds=math.exp(-8), mean=ours.mean(values))
        off = max(off, abs(ours.mean(np.ones(50)) - 1))

    assert off > 1e-12


@pytest.mark.parametrize("odds", [math.exp(8), math.exp(-8), 1 + 6e-5, 1 - 6e-5])
def test_thousands_of_tilts_the_same_way_neither_overflow_nor_vanish(odds: float) -> None:
    ours, values = Masses(4), np.array([True, False, False, False])
    for _ in range(3000):
        ours.tilt(values, odds=odds, mean=ours.mean(values))
    held = ours.normalised()

    assert (held > 0).all()
    assert np.isfinite(held).all()
    exponent = max(-400.0, min(400.0, 3000 * math.log(odds)))
    if abs(exponent) < 400:
        assert math.log(held[0] / held[1]) == pytest.approx(exponent, rel=1e-9)
    else:
        # Between the floor and what a few tilts since then have added.
        assert 399 < abs(math.log(held[0] / held[1])) < 620
    assert math.copysign(1, math.log(held[0] / held[1])) == math.copysign(1, math.log(odds))


def test_what_was_floored_can_come_back() -> None:
    ours, values = Masses(4), np.array([True, False, False, False])
    for _ in range(200):
        ours.tilt(values, odds=math.exp(-8), mean=ours.mean(values))
    for _ in range(100):
        ours.tilt(values, odds=math.exp(8), mean=ours.mean(values))

    assert ours.mean(values) > 0.99
