"""T-drift-variance: mpmath, a brute-force scan, random posteriors, and the hybrid's width."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nan, pi

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import asin, mpf, mpmathify, sin, sqrt, workdps
from mpmath import pi as mp_pi

from peekproof.core.certificate import Certificate, Target
from peekproof.core.charge import GDP
from peekproof.core.errors import InvalidInput
from peekproof.theory.generalization.drift import gaussian_angle, gaussian_drift
from peekproof.theory.generalization.gaussian import (
    SHARE,
    VarianceShape,
    gaussian_certificate,
    own_certificate,
    own_drift,
    session_certificate,
    variance_interval,
)
from peekproof.theory.generalization.noise import normal_shortfall
from theory.generalization.conversations import angles

shares = st.fractions(0, 1) | st.sampled_from(
    [Fraction(0), Fraction(1), Fraction(1, 10**12), 1 - Fraction(1, 10**12), Fraction(1, 10**400)]
)
noises = st.floats(0, 0.5)
widths = st.floats(0, 2)


@given(released=shares, noise=noises, angle=widths)
def test_the_ends_are_exact_and_rounded_outward(
    released: Fraction, noise: float, angle: float
) -> None:
    found = variance_interval(released, noise=noise, angle=angle)
    with workdps(60):
        least = max(mpf(0), mpmathify(released) - mpf(noise))
        most = min(mpf(1), mpmathify(released) + mpf(noise))
        low = sin(max(mpf(0), asin(sqrt(least)) - mpf(angle))) ** 2
        high = sin(min(mp_pi / 2, asin(sqrt(most)) + mpf(angle))) ** 2

        assert found.low <= low
        assert found.high >= high
        assert low - found.low <= mpf("1e-11") * sqrt(low) + mpf("1e-22")
        assert found.high - high <= mpf("1e-11") * high + mpf("1e-300")


@given(released=st.fractions(0, 1), noise=st.floats(0, 0.2), angle=st.floats(0.001, 0.3))
def test_a_scan_finds_nothing_outside_it(released: Fraction, noise: float, angle: float) -> None:
    """All p on a fine grid that some m within the noise allows, in its first form and tested."""
    found = variance_interval(released, noise=noise, angle=angle)
    p = np.linspace(0, 1, 2001)
    m = np.clip(np.linspace(float(released) - noise, float(released) + noise, 101), 0, 1)
    apart = np.abs(np.arcsin(np.sqrt(p))[:, None] - np.arcsin(np.sqrt(m))[None, :])
    allowed = p[(apart <= angle - 1e-9).any(axis=1)]

    assert len(allowed) == 0 or (found.low <= allowed.min() and allowed.max() <= found.high)
    # The expanded form is weaker, never stronger: what lies inside satisfies it too.
    inside = p[(apart <= angle).any(axis=1)]
    reach = 2 * np.sqrt(inside * (1 - inside)) * angle + np.abs(1 - 2 * inside) * angle**2
    nearest = np.clip(inside, max(0.0, float(released) - noise), min(1.0, float(released) + noise))
    assert (np.abs(nearest - inside) <= reach + 1e-9).all()


def test_random_posteriors_keep_to_the_root_mean_square_angle() -> None:
    """Many records, each with its own posterior: the mean of q moves within √(mean A²)."""
    rng = np.random.default_rng(3)
    ratios = []
    for _ in range(6_000):
        records, places = int(rng.integers(2, 5)), int(rng.integers(1, 5))
        prior = rng.dirichlet(np.full(records, rng.choice([0.2, 1.0])))
        prior = np.maximum(prior, 1e-12)
        prior /= prior.sum()
        # Leaning with the question, places unequally: the worst cases look like this.
        question = rng.integers(0, 2, records) * 1.0 if rng.random() < 0.7 else rng.random(records)
        lean = rng.exponential(size=places) * rng.choice([0.1, 1.0, 4.0])
        law = prior * np.exp(rng.choice([-1, 1]) * lean[:, None] * question)
        law /= law.sum(axis=1, keepdims=True)
        rms = float(np.sqrt((angles(prior, law) ** 2).mean()))
        p, m = float(prior @ question), float((law @ question).mean())
        if not 1e-9 < p < 1 - 1e-9 or rms < 1e-6:
            continue
        moved = abs(np.arcsin(np.sqrt(min(1, m))) - np.arcsin(np.sqrt(p)))
        ratios.append(moved / rms)

    assert max(ratios) <= 1 + 1e-6
    # Coins at a single place attain it, so an angle a hundredth smaller would be false.
    assert max(ratios) > 0.99


def test_the_mean_angle_would_not_do() -> None:
    """The mutant: two places, one moved and one not; near 0 the mean of q moves further."""
    p, moved = 0.0001, 0.4
    theta = np.arcsin(np.sqrt(p))
    m = (np.sin(theta + moved) ** 2 + p) / 2

    assert np.arcsin(np.sqrt(m)) - theta > moved / 2
    assert np.arcsin(np.sqrt(m)) - theta <= moved / np.sqrt(2)


@given(released=shares, noise=noises)
def test_no_drift_leaves_the_noise_and_a_right_angle_nothing(
    released: Fraction, noise: float
) -> None:
    still = variance_interval(released, noise=noise, angle=0.0)
    lost = variance_interval(released, noise=noise, angle=pi / 2)

    assert still.low == pytest.approx(max(0.0, float(released) - noise), abs=1e-11)
    assert still.high == pytest.approx(min(1.0, float(released) + noise), abs=1e-11)
    assert lost.high == 1 or released + Fraction(noise) < Fraction(1, 10**9)
    assert lost.low == 0 or released - Fraction(noise) > 1 - Fraction(1, 10**9)


def test_the_angle_is_the_arc_of_the_drift() -> None:
    for square in (Fraction(1, 10**6), Fraction(1, 100), Fraction(1, 2)):
        angle = gaussian_angle(GDP(square), beta=Fraction(1, 20))
        with workdps(30):
            assert gaussian_drift(GDP(square), beta=Fraction(1, 20)) == pytest.approx(
                float(sin(mpf(angle))), rel=1e-11
            )
    assert gaussian_angle(GDP(Fraction(10**6)), beta=Fraction(1, 20)) > pi / 2


def shape_of(certificate: Certificate) -> VarianceShape:
    assert isinstance(certificate.shape, VarianceShape)
    return certificate.shape


class TestTheHybrid:
    """100,000 rows, 1,000 questions: σ as planned for T-joint alone."""

    ROWS, SIGMA, STEP = 10**5, Fraction(29, 4096), Fraction(1, 2**14)
    TARGET = Target.of(confidence=0.95, questions=1000)

    def certificate(self) -> Certificate:
        return session_certificate(
            rows=self.ROWS, sigma=self.SIGMA, step=self.STEP, target=self.TARGET
        )

    def test_an_eighth_costs_a_hundredth_in_the_middle_and_gains_a_tenth_near_0(self) -> None:
        alone = gaussian_certificate(
            rows=self.ROWS, sigma=self.SIGMA, step=self.STEP, target=self.TARGET
        ).radius
        found = self.certificate()
        middle, edge = found.interval(Fraction(1, 2)), found.interval(Fraction(1, 100))

        assert 2 * alone < middle.high - middle.low < 2 * alone * 1.013
        assert edge.high - edge.low < 0.89 * (alone + 0.01)

    def test_its_parts_are_the_theorems_at_their_levels(self) -> None:
        found, shape = self.certificate(), shape_of(self.certificate())
        level = SHARE * self.TARGET.beta / 2
        total = GDP(1000 / (self.ROWS * self.SIGMA) ** 2)
        kept = Target(confidence=1 - Fraction(7, 8) * self.TARGET.beta, questions=1000)
        noise = float(self.SIGMA) * normal_shortfall(beta=level, count=1000) + float(self.STEP) / 2

        assert shape.noise == pytest.approx(noise, rel=1e-10)
        assert shape.noise >= noise
        assert shape.angle == gaussian_angle(total, beta=level)
        assert (
            found.radius
            == gaussian_certificate(
                rows=self.ROWS, sigma=self.SIGMA, step=self.STEP, target=kept
            ).radius
        )

    @given(released=shares)
    def test_both_promises_hold_and_the_answer_is_inside(self, released: Fraction) -> None:
        found, shape = self.certificate(), shape_of(self.certificate())
        interval = found.interval(released)
        aware = variance_interval(released, noise=shape.noise, angle=shape.angle)

        assert Fraction(interval.low) <= released <= Fraction(interval.high)
        assert interval.low >= aware.low
        assert interval.high <= aware.high
        assert Fraction(interval.high) <= released + Fraction(found.radius) + Fraction(1, 10**15)

    def test_a_session_that_hides_nothing_promises_nothing(self) -> None:
        found = session_certificate(
            rows=10, sigma=Fraction(1, 10**6), step=self.STEP, target=self.TARGET
        )
        interval = found.interval(Fraction(1, 3))
        assert (interval.low, interval.high) == (0, 1)


@pytest.mark.parametrize("nonsense", [-0.1, nan, inf, True])
def test_an_impossible_noise_or_angle_is_refused(nonsense: float) -> None:
    with pytest.raises(InvalidInput, match=r"^noise must be"):
        variance_interval(Fraction(1, 2), noise=nonsense, angle=0.1)
    with pytest.raises(InvalidInput, match=r"^angle must be"):
        variance_interval(Fraction(1, 2), noise=0.1, angle=nonsense)


def test_nonsense_is_refused() -> None:
    target = Target.of(confidence=0.95, questions=3)
    for refused in (
        lambda: variance_interval(Fraction(3, 2), noise=0.1, angle=0.1),
        lambda: session_certificate(rows=0, sigma=Fraction(1), step=Fraction(1, 2), target=target),
        lambda: session_certificate(rows=5, sigma=Fraction(0), step=Fraction(1, 2), target=target),
        lambda: own_certificate(
            rows=0, sigma=Fraction(1), step=Fraction(1), budget=GDP(Fraction(1)), target=target
        ),
        lambda: own_certificate(
            rows=5, sigma=Fraction(0), step=Fraction(1), budget=GDP(Fraction(1)), target=target
        ),
        lambda: gaussian_angle(GDP(Fraction(0)), beta=Fraction(1, 20)),
        lambda: gaussian_angle(GDP(Fraction(1)), beta=Fraction(1)),
    ):
        with pytest.raises(InvalidInput):
            refused()


@given(
    sigma=st.fractions(Fraction(1, 1000), Fraction(1, 10)),
    clock=st.fractions(Fraction(1, 1000), Fraction(1, 2)),
    released=shares,
)
def test_no_side_of_an_interval_of_its_own_is_longer_than_its_radius(
    sigma: Fraction, clock: Fraction, released: Fraction
) -> None:
    target = Target.of(confidence=0.95, questions=20)
    found = own_certificate(
        rows=1000, sigma=sigma, step=Fraction(1, 4096), budget=GDP(clock), target=target
    )
    shape = shape_of(found)
    alone = shape.interval(released)

    longest = max(released - Fraction(alone.low), Fraction(alone.high) - released)
    assert longest <= Fraction(found.radius) * (1 + Fraction(1, 10**9))
    assert found.radius >= min(1.0, own_drift(GDP(clock), target))
    assert found.theorems == ("T-own-radius", "T-noise", "T-drift-variance", "T-rounding")


def test_many_cells_and_few_draws_widen_the_noise_and_nothing_else() -> None:
    target = Target.of(confidence=0.95, questions=100)
    sigma, step, budget = Fraction(1, 100), Fraction(1, 4096), GDP(Fraction(1, 100))

    def certified(cells: int, draws: int) -> Certificate:
        return own_certificate(
            rows=10_000,
            sigma=sigma,
            step=step,
            budget=budget,
            target=target,
            cells=cells,
            draws=draws,
        )

    plain, many = certified(1, 1), certified(50, 4)
    level = target.beta / 16

    assert many.parts[1:] == plain.parts[1:]
    # 50 coordinates share four hundredths of the level, so each has 4/(50·100) of it.
    each = normal_shortfall(beta=level * 4 / 5000, count=1)
    assert many.parts[0].radius == pytest.approx(float(sigma) * each, rel=1e-9)
    assert certified(4, 4).parts[0] == plain.parts[0]
    with pytest.raises(InvalidInput, match="the questions of the session"):
        certified(1, 101)
