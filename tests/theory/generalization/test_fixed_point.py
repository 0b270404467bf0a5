"""Means read in fixed point: the certificate gives back what the grid takes."""

from fractions import Fraction

import pytest

from peekproof.core.certificate import Target
from peekproof.core.errors import InvalidInput
from peekproof.theory.generalization.fixed_point import fixed_point_certificate
from peekproof.theory.generalization.gaussian import gaussian_certificate, session_certificate

TARGET = Target(confidence=Fraction(19, 20), questions=100)
SIGMA, STEP = Fraction(1, 500), Fraction(1, 2**15)
SHAPED = session_certificate(rows=10**6, sigma=SIGMA, step=STEP, target=TARGET)


@pytest.mark.parametrize("released", [Fraction(0), Fraction(1, 1000), Fraction(1, 2), Fraction(1)])
def test_the_interval_holds_every_mean_that_reads_as_one_in_the_old_interval(
    released: Fraction,
) -> None:
    levels = 1000
    old = SHAPED.interval(released)
    new = fixed_point_certificate(SHAPED, levels=levels).interval(released)
    shift = Fraction(1, levels)

    assert new.low <= max(Fraction(0), Fraction(old.low) - shift)
    assert new.high >= min(Fraction(1), Fraction(old.high) + shift)
    assert Fraction(new.high) - Fraction(new.low) <= (
        Fraction(old.high) - Fraction(old.low) + 2 * shift + Fraction(1, 10**12)
    )


def test_the_radius_grows_by_one_level_and_names_its_theorem() -> None:
    certificate = fixed_point_certificate(SHAPED, levels=2**24)

    assert certificate.parts[:-1] == SHAPED.parts
    assert certificate.parts[-1].radius == 2.0**-24
    assert "T-fixed-point" in certificate.theorems


def test_a_certificate_without_a_shape_stays_without() -> None:
    plain = gaussian_certificate(rows=10**6, sigma=SIGMA, step=STEP, target=TARGET)

    assert fixed_point_certificate(plain, levels=8).shape is None


@pytest.mark.parametrize("levels", [0, -1, True, 2.0])
def test_a_grid_without_steps_is_refused(levels: int) -> None:
    with pytest.raises(InvalidInput, match="levels"):
        fixed_point_certificate(SHAPED, levels=levels)
