"""Discrete Laplace draws, one by one and in vectors: exact, one law, and as OpenDP draws them."""

from collections.abc import Callable
from fractions import Fraction
from math import exp

import opendp.prelude as dp
import pytest

from noise.exhaustion import masses
from noise.laws import FALSE_ALARM, assert_follows, assert_tells_apart, laplace_cdf
from peekproof.core.errors import InvalidInput
from peekproof.noise import laplace
from peekproof.noise.entropy import Entropy, Pool, Seeded, SystemEntropy
from peekproof.noise.laplace import discrete_laplace, discrete_laplaces
from peekproof.testing.statistics import fit_p_value, statistical

SCALES = (Fraction(1, 2), Fraction(27, 10), Fraction(100))


def one_by_one(scale: Fraction, count: int, rng: Entropy) -> list[int]:
    pool = Pool(rng)
    return [discrete_laplace(scale=scale, rng=pool) for _ in range(count)]


@statistical(false_alarm=len(SCALES) * FALSE_ALARM)
def test_draws_follow_the_law() -> None:
    for seed, scale in enumerate(SCALES):
        assert_follows(one_by_one(scale, 50_000, Seeded(seed)), laplace_cdf, scale)


@statistical(false_alarm=len(SCALES) * FALSE_ALARM)
def test_vectors_follow_the_law() -> None:
    for seed, scale in enumerate(SCALES):
        sample = discrete_laplaces(scale=scale, count=100_000, rng=Seeded(seed))
        assert_follows(sample, laplace_cdf, scale)


@statistical(false_alarm=FALSE_ALARM)
@pytest.mark.usefixtures("one_bit_at_a_time")
def test_vectors_whose_comparisons_tie_all_the_time_follow_the_law() -> None:
    scale = Fraction(27, 10)
    assert_follows(discrete_laplaces(scale=scale, count=60_000, rng=Seeded(5)), laplace_cdf, scale)


@pytest.mark.parametrize(("t", "s"), [(3, 2), (2, 3)])
@pytest.mark.usefixtures("ideal_integers", "one_bit_at_a_time")
def test_a_proposal_is_exact(t: int, s: int) -> None:
    """Each x with x // s = |z| is proposed with probability (1 − 1/e) e^{−x/t} / t, and a sign."""

    def draw(rng: Entropy) -> tuple[int, ...]:
        return tuple(laplace.kept_two_sided(t, s, 1, rng=rng).tolist())

    decided, left = masses(draw, runs=1500)

    assert left < 0.12
    for z in range(-2, 3):
        xs = range(abs(z) * s, (abs(z) + 1) * s)
        exact = sum((1 - exp(-1)) * exp(-x / t) / t / 2 for x in xs)
        assert decided[z,] <= exact <= decided[z,] + left


# Beyond 64 bits: the numerator, the draw itself, the denominator, both, and close to 1.
HUGE = Fraction(10**30)
EXTREMES = (
    HUGE,
    Fraction(2**61),
    Fraction(10**25 + 1, 10**25 - 1),
    Fraction(3, 10**24),
    Fraction(1, 10**9),
)


def coarse(sample: list[int], scale: Fraction) -> list[int]:
    """Draws of a huge scale in tenths of it, rounded down."""
    return [z * 10 * scale.denominator // scale.numerator for z in sample]


@statistical(false_alarm=4 * FALSE_ALARM)
def test_huge_scales_are_continuous_laplace_noise() -> None:
    def cdf(factor: float) -> Callable[[int], float]:
        def at(z: int) -> float:
            end = (z + 1) / 10 / factor
            return exp(end) / 2 if end < 0 else 1 - exp(-end) / 2

        return at

    for scale in (HUGE, Fraction(2**61)):
        for sample in (
            one_by_one(scale, 40_000, Seeded(1)),
            discrete_laplaces(scale=scale, count=40_000, rng=Seeded(2)),
        ):
            folded = coarse(sample, scale)
            assert fit_p_value(folded, cdf(1)) > FALSE_ALARM
            assert fit_p_value(folded, cdf(0.9)) < FALSE_ALARM
            assert fit_p_value(folded, cdf(1.1)) < FALSE_ALARM


@statistical(false_alarm=2 * FALSE_ALARM)
def test_a_scale_of_long_numbers_is_like_its_neighbour() -> None:
    scale = EXTREMES[2]
    for sample in (
        one_by_one(scale, 60_000, Seeded(1)),
        discrete_laplaces(scale=scale, count=60_000, rng=Seeded(2)),
    ):
        assert_follows(sample, laplace_cdf, Fraction(1))


@pytest.mark.parametrize("scale", EXTREMES[3:])
def test_tiny_scales_give_zeros(scale: Fraction) -> None:
    # Any other value has probability below e^{−10⁸}.
    assert set(one_by_one(scale, 500, SystemEntropy())) == {0}
    assert set(discrete_laplaces(scale=scale, count=5_000, rng=SystemEntropy())) == {0}


@pytest.mark.parametrize("scale", [0, 1, 2.5, Fraction(0), Fraction(-1, 2), True, None])
def test_other_scales_are_refused(scale: object) -> None:
    with pytest.raises(InvalidInput, match="scale must be a positive Fraction"):
        discrete_laplace(scale=scale, rng=Seeded(1))  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="scale must be a positive Fraction"):
        discrete_laplaces(scale=scale, count=5, rng=Seeded(1))  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [0, -1, True, 2.0])
def test_other_counts_are_refused(count: object) -> None:
    with pytest.raises(InvalidInput, match="count must be an integer of at least 1"):
        discrete_laplaces(scale=Fraction(1), count=count, rng=Seeded(1))  # type: ignore[arg-type]


@pytest.mark.parametrize("count", [1, 127, 128, 1000])
def test_a_vector_has_its_length_and_python_integers(count: int) -> None:
    for scale in (Fraction(5), HUGE):
        sample = discrete_laplaces(scale=scale, count=count, rng=Seeded(1))

        assert len(sample) == count
        assert {type(z) for z in sample} == {int}
        assert sample == discrete_laplaces(scale=scale, count=count, rng=Seeded(1))
        assert sample != discrete_laplaces(scale=scale, count=count, rng=Seeded(2))


@statistical(false_alarm=3 * FALSE_ALARM)
def test_opendp_draws_the_same_law() -> None:
    scale = Fraction(20)
    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.l1_distance(T=int)
    theirs = dp.m.make_laplace(*space, scale=float(scale))([0] * 150_000)
    assert_tells_apart(
        theirs,
        lambda factor: discrete_laplaces(scale=scale * factor, count=150_000, rng=Seeded(11)),
        laplace_cdf,
        scale,
    )
