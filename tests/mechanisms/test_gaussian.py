"""The Gaussian mechanism: its grid, its price, and the law of what it releases."""

from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from fractions import Fraction
from math import erfc, sqrt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from peekproof.core.certificate import Target
from peekproof.core.errors import InvalidInput
from peekproof.core.secret import Exact
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.noise.entropy import Seeded
from peekproof.testing.statistics import fit_p_value, mean_deviation, statistical
from peekproof.theory.generalization.gaussian import session_certificate

DRAWS = 30_000
FALSE_ALARM = 1e-9

mechanisms = st.builds(
    Gaussian,
    rows=st.integers(1, 10**9),
    sigma=st.fractions(Fraction(1, 10**6), 10),
    step=st.builds(lambda inverse: Fraction(1, inverse), st.integers(1, 10**6)),
)


@given(mechanism=mechanisms, share=st.fractions(0, 1), seed=st.integers(0, 10**6))
def test_releases_lie_on_the_grid_and_are_shares(
    mechanism: Gaussian, share: Fraction, seed: int
) -> None:
    count = Exact(int(share * mechanism.rows))
    released = mechanism.release(count, rng=Seeded(seed))

    assert 0 <= released <= 1
    assert (released / mechanism.step).denominator == 1


@statistical(false_alarm=2 * FALSE_ALARM)
def test_half_of_the_releases_at_an_end_are_clipped_to_it() -> None:
    mechanism = Gaussian(rows=100, sigma=Fraction(1, 10), step=Fraction(1, 1000))
    trials = 1000
    # Half a step beyond the end still rounds to it; two-sided, so half the alarm each.
    chance = erfc(-0.005 / sqrt(2)) / 2
    reach = mean_deviation(trials=trials, false_alarm=FALSE_ALARM / 2)
    for end in (0, 1):
        rng = Seeded(end)
        released = [mechanism.release(Exact(end * 100), rng=rng) for _ in range(trials)]
        share = released.count(Fraction(end)) / trials

        assert abs(share - chance) < reach
        assert reach < 0.25  # so neither no clipping nor a constant would pass


@given(mechanisms)
def test_the_cost_is_exact(mechanism: Gaussian) -> None:
    cost = mechanism.cost().mu_squared

    assert isinstance(cost, Fraction)
    assert cost * mechanism.rows**2 * mechanism.sigma**2 == 1


def test_half_the_noise_costs_four_times_as_much() -> None:
    mechanism = Gaussian(rows=1000, sigma=Fraction(1, 7), step=Fraction(1, 512))

    assert replace(mechanism, sigma=mechanism.sigma / 2).cost() == mechanism.cost() * 4
    assert replace(mechanism, step=Fraction(1, 2)).cost() == mechanism.cost()


@given(mechanisms)
def test_the_description_rebuilds_the_mechanism(mechanism: Gaussian) -> None:
    recorded = mechanism.record()

    assert recorded["kind"] == "gaussian"
    assert (
        Gaussian(
            rows=mechanism.rows,
            sigma=Fraction(recorded["sigma"]),
            step=Fraction(recorded["step"]),
        )
        == mechanism
    )


def test_the_certificate_is_for_its_own_parameters() -> None:
    mechanism = Gaussian(rows=5000, sigma=Fraction(1, 40), step=Fraction(1, 4096))
    target = Target.of(confidence=0.9, questions=30)

    assert mechanism.certify(target) == session_certificate(
        rows=5000, sigma=Fraction(1, 40), step=Fraction(1, 4096), target=target
    )


@pytest.mark.parametrize("rows", [0, -1, 1.5, True])
def test_rows_are_a_positive_integer(rows: int) -> None:
    with pytest.raises(InvalidInput, match=r"^rows must be an integer of at least 1, got "):
        Gaussian(rows=rows, sigma=Fraction(1), step=Fraction(1))


@pytest.mark.parametrize("sigma", [Fraction(0), Fraction(-1, 2), 0.5, 1])
def test_noise_is_a_positive_fraction(sigma: Fraction) -> None:
    with pytest.raises(InvalidInput, match=r"^sigma must be a positive Fraction, got "):
        Gaussian(rows=1, sigma=sigma, step=Fraction(1))


@pytest.mark.parametrize("step", [Fraction(2, 3), Fraction(2), Fraction(0), Fraction(-1, 2), 0.5])
def test_the_grid_holds_0_and_1(step: Fraction) -> None:
    with pytest.raises(InvalidInput, match=r"^step must be "):
        Gaussian(rows=1, sigma=Fraction(1), step=step)


def test_a_mechanism_cannot_be_changed_after_it_was_certified() -> None:
    mechanism = Gaussian(rows=1, sigma=Fraction(1), step=Fraction(1))
    with pytest.raises(FrozenInstanceError):
        mechanism.sigma = Fraction(1, 2)  # type: ignore[misc]


def released_cdf(mechanism: Gaussian, share: Fraction) -> Callable[[int], float]:
    """Pr[released ≤ i·step], with all that clipping moves to the ends."""
    last = 1 / mechanism.step

    def cdf(i: int) -> float:
        if i < 0:
            return 0.0
        if i >= last:
            return 1.0
        edge = (i + Fraction(1, 2)) * mechanism.step
        return erfc(-float((edge - share) / mechanism.sigma) / sqrt(2)) / 2

    return cdf


@statistical(false_alarm=2 * FALSE_ALARM)
def test_releases_follow_the_rounded_and_clipped_law() -> None:
    mechanism = Gaussian(rows=1000, sigma=Fraction(3, 100), step=Fraction(1, 256))
    for seed, count in enumerate((300, 975)):  # away from the ends, and clipped at one
        rng, share = Seeded(seed), Fraction(count, 1000)
        sample = [
            int(mechanism.release(Exact(count), rng=rng) / mechanism.step) for _ in range(DRAWS)
        ]

        assert fit_p_value(sample, released_cdf(mechanism, share)) > FALSE_ALARM
        mutants = {
            "half the noise": (replace(mechanism, sigma=mechanism.sigma / 2), share),
            "a tenth less noise": (replace(mechanism, sigma=mechanism.sigma * 9 / 10), share),
            "a shifted count": (mechanism, share + Fraction(3, 1000)),
        }
        for name, mutant in mutants.items():
            assert fit_p_value(sample, released_cdf(*mutant)) < FALSE_ALARM, name
