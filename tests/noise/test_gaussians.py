"""Vectors of rounded Gaussians: the law, whatever the prefix, and no trace of the neighbours."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import erfc, floor, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import exp as mp_exp
from mpmath import mpf, quad

from noise.exhaustion import masses
from peekproof.core.errors import InvalidInput
from peekproof.noise import gaussian
from peekproof.noise.coins import Coins
from peekproof.noise.discrete_gaussian import discrete_gaussians
from peekproof.noise.entropy import Entropy, Integers, Seeded, words
from peekproof.noise.gaussian import LazyUniform, LazyUniforms, rounded_gaussians, rounded_if_known
from peekproof.noise.laplace import discrete_laplaces
from peekproof.testing.statistics import fit_p_value, statistical

FALSE_ALARM = 1e-9
LAWS = [
    (Fraction(0), Fraction(1)),
    (Fraction(1, 4), Fraction(1, 3)),
    (Fraction(-12345, 67), Fraction(64)),
    (Fraction(10**30, 7), Fraction(355, 113)),
]


def normal_cdf(centre: Fraction, scale: Fraction) -> Callable[[int], float]:
    """Pr[⌊centre + scale·Z + ½⌋ ≤ i] = Φ((i + ½ − centre) / scale)."""
    return lambda i: erfc(-float((i + Fraction(1, 2) - centre) / scale) / sqrt(2)) / 2


def wrong(centre: Fraction, scale: Fraction) -> dict[str, Callable[[int], float]]:
    return {
        "too little noise": normal_cdf(centre, scale * Fraction(9, 10)),
        "too much noise": normal_cdf(centre, scale * Fraction(11, 10)),
        "a bias": normal_cdf(centre + scale / 10, scale),
    }


def assert_normal(sample: Sequence[int], *, centre: Fraction, scale: Fraction) -> None:
    assert fit_p_value(sample, normal_cdf(centre, scale)) > FALSE_ALARM
    for name, mutant in wrong(centre, scale).items():
        assert fit_p_value(sample, mutant) < FALSE_ALARM, name


@statistical(false_alarm=len(LAWS) * FALSE_ALARM)
def test_draws_follow_the_normal_law() -> None:
    for seed, (centre, scale) in enumerate(LAWS):
        sample = rounded_gaussians(centres=[centre] * 50_000, scale=scale, rng=Seeded(seed))
        assert_normal(sample, centre=centre, scale=scale)


@statistical(false_alarm=FALSE_ALARM)
@pytest.mark.usefixtures("one_bit_at_a_time")
def test_draws_that_tie_all_the_time_follow_the_same_law() -> None:
    centre, scale = Fraction(1, 3), Fraction(20)
    sample = rounded_gaussians(centres=[centre] * 60_000, scale=scale, rng=Seeded(5))
    assert_normal(sample, centre=centre, scale=scale)


class Redrawn(LazyUniforms):  # type: ignore[misc]
    """Mutant: a tie is drawn again, until the heads differ."""

    def above_fresh(self, places: gaussian.Places) -> Coins:
        heads = self.heads[places]
        fresh = words(gaussian.HEAD, places.size, rng=self._rng)
        while (ties := np.flatnonzero(fresh == heads)).size:
            fresh[ties] = words(gaussian.HEAD, ties.size, rng=self._rng)
        return np.asarray(fresh < heads)


@statistical(false_alarm=FALSE_ALARM)
@pytest.mark.usefixtures("one_bit_at_a_time")
def test_a_biased_refinement_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    centre, scale = Fraction(1, 3), Fraction(20)

    def p_value() -> float:
        sample = rounded_gaussians(centres=[centre] * 60_000, scale=scale, rng=Seeded(6))
        return fit_p_value(sample, normal_cdf(centre, scale))

    assert p_value() > FALSE_ALARM
    with monkeypatch.context() as mutant:
        mutant.setattr(gaussian, "LazyUniforms", Redrawn)
        assert p_value() < FALSE_ALARM


@pytest.mark.usefixtures("one_bit_at_a_time")
def test_bits_that_decided_a_tie_are_the_bits_that_are_rounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    accepted = gaussian._accepted_many
    seen: list[tuple[LazyUniforms, list[int], list[bool]]] = []

    def spy(x: LazyUniforms, k: Integers, *, rng: Entropy) -> Coins:
        coins = accepted(x, k, rng=rng)
        seen.append((x, k.tolist(), coins.tolist()))
        return coins

    monkeypatch.setattr(gaussian, "_accepted_many", spy)
    cells = iter(gaussian._kept(2_000, rng=Seeded(7)))
    ((x, steps, kept),) = seen
    long, signs = 0, set()
    for place, (k, keep) in enumerate(zip(steps, kept, strict=True)):
        if not keep:
            continue
        low, precision = next(cells)
        size = low if low >= 0 else ~low
        signs.add(low >= 0)
        assert size >> precision == k
        assert size >> (precision - 1) & 1 == x.heads[place]
        if place in x.tails:
            tail = x.tails[place]
            assert precision == 1 + tail.precision
            assert size % 2**tail.precision == tail.numerator
            long += tail.precision > 2
    assert next(cells, None) is None
    assert long > 50
    assert signs == {True, False}


@pytest.mark.parametrize("k", [0, 1, 2])
@pytest.mark.usefixtures("ideal_integers", "one_bit_at_a_time")
def test_the_curve_coin_is_exact_together_with_its_x(k: int) -> None:
    def draw(rng: Entropy) -> tuple[bool, int]:
        x = LazyUniforms(1, rng=rng)
        coin = gaussian._curve_coins(x, np.array([k]), np.array([0]), rng=rng)
        return bool(coin[0]), int(x.heads[0])

    decided, left = masses(draw, runs=1500)

    assert left < 0.15
    for head, half in ((0, (0, mpf(1) / 2)), (1, (mpf(1) / 2, 1))):
        heads = float(quad(lambda x: mp_exp(-x * (2 * k + x) / (2 * k + 2)), half))
        assert decided[True, head] <= heads <= decided[True, head] + left
        assert decided[False, head] <= 0.5 - heads <= decided[False, head] + left


@given(
    centre=st.fractions(-1000, 1000, max_denominator=1000),
    scale=st.fractions(Fraction(1, 10), 100, max_denominator=1000),
    low=st.integers(-(10**6), 10**6),
    precision=st.integers(0, 30),
)
def test_a_rounding_is_known_exactly_if_both_ends_agree(
    centre: Fraction, scale: Fraction, low: int, precision: int
) -> None:
    ends = {
        floor(centre + scale * Fraction(end, 2**precision) + Fraction(1, 2))
        for end in (low, low + 1)
    }
    drawn = rounded_if_known(centre=centre, scale=scale, low=low, precision=precision)

    assert drawn == (ends.pop() if len(ends) == 1 else None)


def test_every_normal_goes_to_its_own_centre() -> None:
    # Twenty standard deviations apart: noise that met another centre would show.
    centres = [Fraction(20 * i * (-1) ** i) for i in range(2_000)]
    sample = rounded_gaussians(centres=centres, scale=Fraction(1), rng=Seeded(3))

    assert all(abs(z - c) < 8 for z, c in zip(sample, centres, strict=True))
    assert len({z - c for z, c in zip(sample, centres, strict=True)}) > 5


def test_the_centres_change_nothing_but_the_rounding() -> None:
    class Counting:
        description = "counting"

        def __init__(self) -> None:
            self.asked: list[int] = []
            self.source = Seeded(4)

        def bits(self, count: int) -> int:
            self.asked.append(count)
            return self.source.bits(count)

    first, second = Counting(), Counting()
    near = rounded_gaussians(centres=[Fraction(0)] * 500, scale=Fraction(9), rng=first)
    far = rounded_gaussians(centres=[Fraction(10**40)] * 500, scale=Fraction(9), rng=second)

    assert [z - 10**40 for z in far] == near
    assert first.asked == second.asked


def thirds(sample: Sequence[int], edge: int) -> list[int]:
    """0, 1 or 2: below −edge, between, above edge."""
    return [0 if z < -edge else 2 if z > edge else 1 for z in sample]


@statistical(false_alarm=9 * FALSE_ALARM)
def test_neighbours_in_a_vector_are_independent() -> None:
    count, scale, edge = 100_000, Fraction(100), 50
    vectors = {
        "rounded": rounded_gaussians(centres=[Fraction(0)] * count, scale=scale, rng=Seeded(1)),
        "gaussian": discrete_gaussians(sigma=scale, count=count, rng=Seeded(2)),
        "laplace": discrete_laplaces(scale=scale, count=count, rng=Seeded(3)),
    }
    tails = {"rounded": normal_cdf(Fraction(0), scale)(-edge - 1)}
    weights = [np.exp(-(np.arange(2_000.0) ** 2) / 20_000), np.exp(-np.arange(6_000.0) / 100)]
    for name, weight in zip(("gaussian", "laplace"), weights, strict=True):
        tails[name] = float(weight[edge + 1 :].sum() / (2 * weight.sum() - 1))

    for name, vector in vectors.items():
        cells, tail = thirds(vector, edge), tails[name]
        shares = (tail, 1 - 2 * tail, tail)
        joint = np.cumsum([p * q for p in shares for q in shares]).tolist()

        def p_value(pairs: Sequence[int], joint: list[float] = joint) -> float:
            return fit_p_value(pairs, lambda z: joint[z] if z >= 0 else 0.0)

        # Disjoint pairs are independent of each other, so that the bound applies to them.
        half = count // 2
        ways = [
            zip(cells[0::2], cells[1::2], strict=True),
            zip(cells[1:-1:2], cells[2::2], strict=True),
            zip(cells[:half], cells[half:], strict=True),
        ]
        for way in ways:
            assert p_value([3 * a + b for a, b in way]) > FALSE_ALARM, name
        # Mutants: a vector in the order of its magnitudes; one in ten repeats its neighbour.
        ordered = thirds(sorted(vector, key=abs), edge)
        pairs = zip(ordered[::2], ordered[1::2], strict=True)
        assert p_value([3 * a + b for a, b in pairs]) < FALSE_ALARM
        pairs = zip(cells[::2], cells[1::2], strict=True)
        repeats = [3 * a + (b if i % 10 else a) for i, (a, b) in enumerate(pairs)]
        assert p_value(repeats) < FALSE_ALARM


@pytest.mark.parametrize("count", [1, 127, 128, 1000])
def test_a_vector_has_its_length_and_python_integers(count: int) -> None:
    centres = [Fraction(i, 7) for i in range(count)]
    sample, again, other = (
        rounded_gaussians(centres=centres, scale=Fraction(1000), rng=Seeded(seed))
        for seed in (1, 1, 2)
    )

    assert len(sample) == count
    assert {type(z) for z in sample} == {int}
    assert sample == again != other


def test_no_centres_and_other_scales_are_refused() -> None:
    with pytest.raises(InvalidInput, match="centres"):
        rounded_gaussians(centres=[], scale=Fraction(1), rng=Seeded(1))
    for scale in (0, 1.5, Fraction(0), Fraction(-1), True):
        with pytest.raises(InvalidInput, match="scale must be a positive Fraction"):
            rounded_gaussians(centres=[Fraction(0)], scale=scale, rng=Seeded(1))  # type: ignore[arg-type]


def test_a_tail_keeps_the_bits_that_decided_a_tie(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gaussian, "CHUNK", 1)
    rng = Seeded(9)
    for _ in range(50):
        tail = LazyUniform(rng=rng)
        before, precision = tail.numerator, tail.precision
        for _ in range(5):
            tail.above_fresh()
            assert tail.numerator >> (tail.precision - precision) == before
            before, precision = tail.numerator, tail.precision
