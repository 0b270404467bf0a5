"""T-joint: the parts, their sum, what it is never wider than, and where it grows."""

from fractions import Fraction
from math import inf, nextafter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import acosh, erfc, exp, findroot, log, mpf, mpmathify, pi, sin, sqrt, workdps

from peekproof.core.certificate import Target
from peekproof.core.charge import GDP
from peekproof.core.errors import InvalidInput
from peekproof.theory.generalization.drift import gaussian_drift, rounding_radius
from peekproof.theory.generalization.gaussian import gaussian_certificate
from peekproof.theory.generalization.noise import normal_shortfall

STEP = Fraction(1, 2**20)
rows = st.integers(100, 10**9)
sigmas = st.fractions(Fraction(1, 1000), Fraction(1, 10))
questions = st.integers(1, 10**6)
levels = st.fractions(Fraction(1, 10**9), Fraction(99, 100))


def target(beta: Fraction, count: int) -> Target:
    return Target(confidence=1 - beta, questions=count)


@given(rows=rows, sigma=sigmas, count=questions, beta=levels)
def test_the_radius_is_the_sum_of_its_parts(
    rows: int, sigma: Fraction, count: int, beta: Fraction
) -> None:
    certificate = gaussian_certificate(
        rows=rows, sigma=sigma, step=STEP, target=target(beta, count)
    )
    noise, drift, rounding = certificate.parts
    exact = sum((Fraction(part.radius) for part in certificate.parts), Fraction(0))

    assert certificate.radius == 1 or (
        Fraction(nextafter(certificate.radius, -inf)) < exact <= Fraction(certificate.radius)
    )
    assert (noise.theorem, drift.theorem, rounding.theorem) == (
        "T-noise",
        "T-drift-gauss",
        "T-rounding",
    )
    assert certificate.theorems == ("T-joint", "T-noise", "T-drift-gauss", "T-rounding")
    assert Fraction(rounding.radius) == STEP / 2


@given(
    rows=st.integers(1000, 10**8),
    sigma=sigmas,
    count=st.integers(1, 10**5),
    beta=st.fractions(Fraction(1, 10**6), Fraction(1, 2)),
)
def test_no_part_is_below_its_formula(
    rows: int, sigma: Fraction, count: int, beta: Fraction
) -> None:
    certificate = gaussian_certificate(
        rows=rows, sigma=sigma, step=STEP, target=target(beta, count)
    )
    noise, drift, _ = certificate.parts
    with workdps(50):
        spread, tail = mpmathify(sigma), mpmathify(beta) / (2 * count)
        c = findroot(lambda c: log(erfc(c / sqrt(2)) / 2 / tail), sqrt(-2 * log(tail)))
        shortfall = exp(-c * c / 2) / sqrt(2 * pi) / tail
        assert spread * shortfall <= noise.radius <= spread * shortfall * (1 + mpf(2) ** -38)

        # Any λ gives an upper bound of the claimed drift; the one near the best is close to it.
        square = count / (rows * spread) ** 2
        rate = sqrt(32 * acosh(1 / mpmathify(beta)) / square)
        angle = acosh(exp((rate**2 + 1) * square / 32) / mpmathify(beta)) / rate
        upper = sin(min(angle, pi / 2))
        assert upper * mpf("0.9") <= drift.radius <= upper * (1 + mpf(2) ** -38)


@given(rows=rows, sigma=sigmas, count=questions, beta=levels, factor=st.integers(2, 50))
def test_more_questions_fewer_rows_and_more_confidence_widen_it(
    rows: int, sigma: Fraction, count: int, beta: Fraction, factor: int
) -> None:
    def radius(*, rows: int, count: int, beta: Fraction) -> float:
        return gaussian_certificate(
            rows=rows, sigma=sigma, step=STEP, target=target(beta, count)
        ).radius

    base = radius(rows=rows * factor, count=count, beta=beta)
    for wider in (
        radius(rows=rows * factor, count=count * factor, beta=beta),
        radius(rows=rows, count=count, beta=beta),
        radius(rows=rows * factor, count=count, beta=beta / factor),
    ):
        assert wider > base or base == 1


@given(
    rows=st.integers(1000, 10**7),
    count=st.integers(1, 10**5),
    beta=st.fractions(Fraction(1, 10**6), Fraction(1, 2)),
)
def test_the_joint_level_beats_every_split(rows: int, count: int, beta: Fraction) -> None:
    sigma = Fraction(1, 30)
    certificate = gaussian_certificate(
        rows=rows, sigma=sigma, step=STEP, target=target(beta, count)
    )
    noise, drift, _ = certificate.parts
    loss = GDP(count / (rows * sigma) ** 2)
    splits = [
        float(sigma) * normal_shortfall(beta=beta * share, count=count)
        + gaussian_drift(loss, beta=beta * (1 - share))
        for share in (Fraction(i, 16) for i in range(1, 16))
    ]

    assert noise.radius + drift.radius < min(splits)


def test_the_loss_is_that_of_all_questions_together() -> None:
    certificate = gaussian_certificate(
        rows=10_000, sigma=Fraction(1, 50), step=STEP, target=target(Fraction(1, 20), 400)
    )
    numbers = dict(certificate.parts[1].numbers)

    assert numbers["mu"] == pytest.approx(400**0.5 / (10_000 / 50))
    assert numbers["beta"] == 0.05  # the whole level, not a share of it


@given(st.fractions(Fraction(1, 10**30), 1).filter(bool))
def test_rounding_adds_half_a_step_rounded_up(step: Fraction) -> None:
    radius = rounding_radius(step)

    assert Fraction(nextafter(radius, -inf)) < step / 2 <= Fraction(radius)


@pytest.mark.parametrize("step", [Fraction(0), Fraction(-1), 0.5, 1])
def test_a_step_is_a_positive_fraction(step: Fraction) -> None:
    with pytest.raises(InvalidInput, match=r"^step must be"):
        rounding_radius(step)


@pytest.mark.parametrize("rows", [0, -1, 1.5, True])
def test_rows_are_a_positive_integer(rows: int) -> None:
    with pytest.raises(InvalidInput, match=r"^rows must be"):
        gaussian_certificate(
            rows=rows, sigma=Fraction(1), step=STEP, target=target(Fraction(1, 20), 1)
        )


@pytest.mark.parametrize("sigma", [Fraction(0), Fraction(-1), 0.5])
def test_noise_is_a_positive_fraction(sigma: Fraction) -> None:
    with pytest.raises(InvalidInput, match=r"^sigma must be"):
        gaussian_certificate(rows=1, sigma=sigma, step=STEP, target=target(Fraction(1, 20), 1))


@pytest.mark.parametrize("made_by_hand", [target(Fraction(0), 1), target(Fraction(1, 20), 0)])
def test_a_target_that_was_not_checked_certifies_nothing(made_by_hand: Target) -> None:
    with pytest.raises(InvalidInput):
        gaussian_certificate(rows=1000, sigma=Fraction(1), step=STEP, target=made_by_hand)
