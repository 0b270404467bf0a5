"""Statistics of bounded sensitivity: the drift of any of them is that of a share, times nΔ."""

from fractions import Fraction
from itertools import product
from statistics import median

import numpy as np
import pytest

from peekproof.core.certificate import Target
from peekproof.core.charge import GDP
from peekproof.core.errors import InvalidInput
from peekproof.theory.generalization.gaussian import own_certificate, session_certificate
from peekproof.theory.generalization.statistic import statistic_certificate, statistic_span
from peekproof.theory.generalization.truncation import truncation_certificate

TARGET = Target(confidence=Fraction(19, 20), questions=100)
SIGMA, STEP = Fraction(1, 500), Fraction(1, 2**15)
PLANNED = session_certificate(rows=10**6, sigma=SIGMA, step=STEP, target=TARGET)


def _drift(posterior: dict[tuple[int, ...], float], chances: list[float], rows: int) -> float:
    """D(π) by its definition, from the joint law of the records given what was seen."""
    total = 0.0
    for place in range(rows):
        for rest in product(range(len(chances)), repeat=rows - 1):
            joint = [posterior[(*rest[:place], x, *rest[place:])] for x in range(len(chances))]
            weight = sum(joint)
            given = [each / weight for each in joint]
            total += weight * sum(abs(a - b) for a, b in zip(given, chances, strict=True)) / 2
    return total / rows


@pytest.mark.parametrize("seed", range(6))
def test_no_statistic_drifts_further_than_its_reach(seed: int) -> None:
    """Exact enumeration: any posterior, the median and the maximum of four records."""
    rng = np.random.default_rng(seed)
    rows, chances = 4, [0.2, 0.5, 0.3]
    worlds = list(product(range(3), repeat=rows))
    prior = {world: float(np.prod([chances[x] for x in world])) for world in worlds}
    tilted = {world: prior[world] * float(np.exp(rng.normal() * 2)) for world in worlds}
    whole = sum(tilted.values())
    posterior = {world: weight / whole for world, weight in tilted.items()}
    drift = _drift(posterior, chances, rows)
    for statistic in (median, max):
        moved = sum((posterior[world] - prior[world]) * statistic(world) for world in worlds)

        assert abs(moved) <= rows * 2 * drift  # one record moves both by at most 2
        assert drift < 0.9


def test_the_radius_stays_and_the_shape_goes() -> None:
    certificate = statistic_certificate(PLANNED)

    assert certificate.radius == PLANNED.radius
    assert PLANNED.shape is not None
    assert certificate.shape is None


def test_noise_of_its_own_is_fine_and_no_noise_is_not() -> None:
    own = own_certificate(
        rows=10**6, sigma=SIGMA, step=STEP, budget=_budget(), target=TARGET, cells=1, draws=1
    )

    assert statistic_certificate(own).radius == own.radius
    with pytest.raises(InvalidInput, match="Gaussian noise"):
        statistic_certificate(truncation_certificate(rows=1000, bins=10, target=TARGET))


def _budget() -> GDP:
    return GDP(Fraction(100, 2000**2))


def test_the_span_reaches_as_far_as_all_records_together_can_move_it() -> None:
    span = statistic_span(
        rows=1000, sensitivity=Fraction(1, 100), low=Fraction(-2), high=Fraction(3)
    )

    assert (span.low, span.high, span.most) == (Fraction(-2), Fraction(8), Fraction(3))
    assert span.value(Fraction(1)) == 3


@pytest.mark.parametrize(("low", "high"), [(0, 11), (0, 0), (1, 0)])
def test_impossible_ranges_are_refused(low: int, high: int) -> None:
    with pytest.raises(InvalidInput, match="rows × sensitivity"):
        statistic_span(
            rows=1000, sensitivity=Fraction(1, 100), low=Fraction(low), high=Fraction(high)
        )
