"""Laws of losses on functions that strangers wrote: they pass, and they raise with the report."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

import numpy as np
import pytest

from peekproof.audit.losses import in_two_cells
from peekproof.core.charge import GDP, ApproxDP, PureDP
from peekproof.noise.entropy import Seeded
from peekproof.testing.audits import loss_stays_within, one_run_stays_within
from peekproof.testing.statistics import Violation, statistical

FALSE_ALARM = 1e-9


class Stranger:
    """Somebody's noisy histogram; `noise` is in multiples of what ε = 1 needs."""

    def __init__(self, seed: int, *, noise: float = 1.0) -> None:
        self.rng = np.random.default_rng(seed)
        self.noise = noise

    def histogram(self, counts: tuple[int, ...]) -> np.ndarray:
        return np.array(counts) + self.rng.laplace(scale=2 * self.noise, size=len(counts))

    def count(self, rows: int) -> float:
        return rows + self.rng.normal(scale=self.noise)


@statistical(false_alarm=FALSE_ALARM)
def test_a_strangers_function_passes_and_with_half_the_noise_it_does_not() -> None:
    one, other = (3, 5), (4, 4)

    def attempt(stranger: Stranger) -> float:
        found = loss_stays_within(
            PureDP(Fraction(1)),
            partial(stranger.histogram, one),
            partial(stranger.histogram, other),
            trials=6_000,
            false_alarm=FALSE_ALARM / 2,
        )
        return found.epsilon

    assert 0.2 < attempt(Stranger(1)) <= 1
    with pytest.raises(Violation, match="refuted"):
        attempt(Stranger(1, noise=0.5))

    def counted(stranger: Stranger) -> None:
        claim = ApproxDP(epsilon=Fraction(1, 2), delta=Fraction(1, 5))
        for loss in (GDP(Fraction(1)), claim):
            found = loss_stays_within(
                loss,
                partial(stranger.count, 7),
                partial(stranger.count, 8),
                trials=4_000,
                false_alarm=FALSE_ALARM / 4,
            )
            assert found.delta == (0.2 if loss is claim else 0)

    counted(Stranger(2))
    with pytest.raises(Violation, match="claimed GDP"):
        counted(Stranger(2, noise=0.5))


@statistical(false_alarm=FALSE_ALARM)
def test_one_run_of_a_strangers_function_is_enough() -> None:
    """The mutant adds the same noise to every cell."""

    def attempt(stranger: Stranger, claim: PureDP | ApproxDP) -> float:
        found = one_run_stays_within(
            claim,
            in_two_cells(stranger.histogram),
            records=2_000,
            guesses=500,
            false_alarm=FALSE_ALARM / 2,
            rng=Seeded(1),
        )
        return found.epsilon

    pure = PureDP(Fraction(1))
    assert 0.1 < attempt(Stranger(3), pure) <= 1
    assert attempt(Stranger(3), ApproxDP(epsilon=Fraction(1), delta=Fraction(1, 10**12))) <= 1
    with pytest.raises(Violation, match="500 of 500 guesses"):
        attempt(Stranger(3, noise=0.0), pure)

    stuck = Stranger(4)
    noise = stuck.histogram((0,))[0]
    with pytest.raises(Violation, match="refuted"):
        one_run_stays_within(
            pure,
            in_two_cells(lambda counts: [count + noise for count in counts]),
            records=200,
            guesses=200,
            false_alarm=FALSE_ALARM / 2,
            rng=Seeded(1),
        )
