"""A promise without a horizon: levels that add up, and the certificate of each stage."""

from fractions import Fraction
from math import pi

import pytest

from peekproof.core.certificate import Target
from peekproof.core.charge import GDP
from peekproof.core.errors import InvalidInput
from peekproof.theory.generalization.gaussian import session_certificate
from peekproof.theory.generalization.open_ended import stage_certificate, stage_level

BETA = Fraction(1, 20)
TARGET = Target(confidence=1 - BETA, questions=100)


def test_the_levels_of_all_stages_add_to_less_than_beta() -> None:
    levels = [stage_level(BETA, stage=stage) for stage in range(2000)]
    rest = levels[0] / 2000  # Σ_{i>2000} 1/i² < 1/2000

    assert sum(levels) + rest < BETA
    assert sum(levels) > BETA * Fraction(999, 1000)
    for stage, level in enumerate(levels[:20]):
        assert float(level) == pytest.approx(0.05 * 6 / (pi * (stage + 1)) ** 2, rel=2e-4)


def test_a_stage_is_a_session_at_its_own_level_with_the_clock_of_all() -> None:
    clock = GDP(Fraction(1, 500))
    noise = {"sigma": Fraction(1, 100), "step": Fraction(1, 8192)}
    found = stage_certificate(rows=10_000, **noise, clock=clock, stage=3, target=TARGET)
    level = stage_level(BETA, stage=3)
    alone = session_certificate(
        rows=10_000, **noise, clock=clock, target=Target(confidence=1 - level, questions=15)
    )

    assert (found.parts, found.shape) == (alone.parts, alone.shape)
    assert (found.target, found.joins) == (TARGET, "T-open-ended")
    wider = stage_certificate(
        rows=10_000, **noise, clock=GDP(Fraction(1, 100)), stage=3, target=TARGET
    )
    assert wider.radius > found.radius


@pytest.mark.parametrize("stage", [-1, True])
def test_a_stage_is_counted_from_0(stage: int) -> None:
    with pytest.raises(InvalidInput, match=r"^stage must be"):
        stage_level(BETA, stage=stage)
