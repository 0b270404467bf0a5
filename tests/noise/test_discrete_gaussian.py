"""Discrete Gaussian draws, one by one and in vectors: one law, and as OpenDP draws them."""

from collections.abc import Callable
from fractions import Fraction
from math import erfc, exp, sqrt

import opendp.prelude as dp
import pytest

from noise.laws import FALSE_ALARM, assert_follows, assert_tells_apart, gaussian_cdf
from peekproof.core.errors import InvalidInput
from peekproof.noise import entropy
from peekproof.noise.discrete_gaussian import discrete_gaussian, discrete_gaussians
from peekproof.noise.entropy import Entropy, Pool, Seeded, SystemEntropy
from peekproof.testing.statistics import fit_p_value, statistical

# Below 1, where all but three integers are rare; an odd fraction; one with a whole γ now and then;
# and one whose coins have a denominator beyond 62 bits.
SIGMAS = (Fraction(1, 2), Fraction(355, 113), Fraction(50))
LONG = Fraction(10**12 + 1, 10**12)


def one_by_one(sigma: Fraction, count: int, rng: Entropy) -> list[int]:
    pool = Pool(rng)
    return [discrete_gaussian(sigma=sigma, rng=pool) for _ in range(count)]


@statistical(false_alarm=len(SIGMAS) * FALSE_ALARM)
def test_draws_follow_the_law() -> None:
    for seed, sigma in enumerate(SIGMAS):
        assert_follows(one_by_one(sigma, 40_000, Seeded(seed)), gaussian_cdf, sigma)


@statistical(false_alarm=(len(SIGMAS) + 1) * FALSE_ALARM)
def test_vectors_follow_the_law() -> None:
    for seed, sigma in enumerate((*SIGMAS, LONG)):
        sample = discrete_gaussians(sigma=sigma, count=60_000, rng=Seeded(seed))
        assert_follows(sample, gaussian_cdf, sigma)


@statistical(false_alarm=FALSE_ALARM)
@pytest.mark.usefixtures("one_bit_at_a_time")
def test_vectors_whose_comparisons_tie_all_the_time_follow_the_law() -> None:
    sigma = Fraction(7, 2)
    sample = discrete_gaussians(sigma=sigma, count=40_000, rng=Seeded(5))
    assert_follows(sample, gaussian_cdf, sigma)


@statistical(false_alarm=2 * FALSE_ALARM)
def test_huge_sigmas_are_continuous_gaussian_noise() -> None:
    def cdf(factor: float) -> Callable[[int], float]:
        return lambda z: erfc(-(z + 1) / 10 / factor / sqrt(2)) / 2

    sigma = 10**30
    for sample in (
        one_by_one(Fraction(sigma), 30_000, Seeded(1)),
        discrete_gaussians(sigma=Fraction(sigma), count=30_000, rng=Seeded(2)),
    ):
        tenths = [10 * z // sigma for z in sample]
        assert fit_p_value(tenths, cdf(1)) > FALSE_ALARM
        assert fit_p_value(tenths, cdf(0.9)) < FALSE_ALARM
        assert fit_p_value(tenths, cdf(1.1)) < FALSE_ALARM


def test_tiny_sigmas_give_zeros() -> None:
    # Any other value has probability below e^{−10¹⁷}.
    sigma = Fraction(1, 10**9)

    assert set(one_by_one(sigma, 500, SystemEntropy())) == {0}
    assert set(discrete_gaussians(sigma=sigma, count=2_000, rng=SystemEntropy())) == {0}


@pytest.mark.parametrize("sigma", [Fraction(1, 10**30), Fraction(1), Fraction(10**30)])
def test_arrays_of_one_proposal_do_not_overflow(
    sigma: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(entropy, "FEW", 1)
    for seed in range(20):
        (z,) = discrete_gaussians(sigma=sigma, count=1, rng=Seeded(seed))

        assert abs(z) <= 12 * sigma


@statistical(false_alarm=2 * FALSE_ALARM)
def test_the_law_of_a_small_sigma_is_not_the_rounded_one() -> None:
    # At σ = ½ the two laws of Gaussian noise on integers differ: P(0) is 0.786 or 0.683.
    sigma = Fraction(1, 2)
    exact = 1 / (1 + 2 * sum(exp(-2 * z * z) for z in range(1, 9)))

    def cdf(zero: float) -> Callable[[int], float]:
        return lambda hit: 0.0 if hit < 0 else 1 - zero if hit == 0 else 1.0

    for sample in (
        one_by_one(sigma, 20_000, Seeded(3)),
        discrete_gaussians(sigma=sigma, count=20_000, rng=Seeded(4)),
    ):
        hits = [int(z == 0) for z in sample]
        assert fit_p_value(hits, cdf(exact)) > FALSE_ALARM
        assert fit_p_value(hits, cdf(erfc(-1 / sqrt(2)) - 1)) < FALSE_ALARM


@pytest.mark.parametrize("sigma", [0, 1, 2.5, Fraction(0), Fraction(-1, 2), True, None])
def test_other_sigmas_are_refused(sigma: object) -> None:
    with pytest.raises(InvalidInput, match="sigma must be a positive Fraction"):
        discrete_gaussian(sigma=sigma, rng=Seeded(1))  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="sigma must be a positive Fraction"):
        discrete_gaussians(sigma=sigma, count=5, rng=Seeded(1))  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [0, -1, True, 2.0])
def test_other_counts_are_refused(count: object) -> None:
    with pytest.raises(InvalidInput, match="count must be an integer of at least 1"):
        discrete_gaussians(sigma=Fraction(1), count=count, rng=Seeded(1))  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [1, 127, 128, 1000])
def test_a_vector_has_its_length_and_python_integers(count: int) -> None:
    for sigma in (Fraction(5), Fraction(10**30)):
        sample = discrete_gaussians(sigma=sigma, count=count, rng=Seeded(1))

        assert len(sample) == count
        assert {type(z) for z in sample} == {int}
        assert sample == discrete_gaussians(sigma=sigma, count=count, rng=Seeded(1))
        assert sample != discrete_gaussians(sigma=sigma, count=count, rng=Seeded(2))


@statistical(false_alarm=3 * FALSE_ALARM)
def test_opendp_draws_the_same_law() -> None:
    sigma = Fraction(20)
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l2_distance(T=int)
    theirs = dp.m.make_gaussian(*space, scale=float(sigma))([0] * 90_000)
    assert_tells_apart(
        theirs,
        lambda factor: discrete_gaussians(sigma=sigma * factor, count=90_000, rng=Seeded(11)),
        gaussian_cdf,
        sigma,
    )
