"""The rounded Gaussian: exact coins by exhaustion, exact decisions, and its law.

Three kinds of evidence. The small coins are run on every sequence of bits up to a length, which
brackets their probability without chance. Decisions are forced to need more bits than the first
chunk and compared with exact rationals. The whole sampler is fitted to the normal law.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import erfc, exp, floor, sqrt

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from noise.bits import Digits
from noise.exhaustion import law
from peekproof.noise import gaussian
from peekproof.noise.entropy import Entropy, Seeded
from peekproof.noise.gaussian import CHUNK, LazyUniform, rounded_gaussian
from peekproof.testing.statistics import fit_p_value, statistical

DRAWS = 50_000
FALSE_ALARM = 1e-9


class Route:
    """Each draw from the next of the given sources, and all later ones from the last."""

    description = "route"

    def __init__(self, sources: Sequence[Entropy]) -> None:
        self.sources = list(sources)

    def bits(self, count: int) -> int:
        source = self.sources.pop(0) if len(self.sources) > 1 else self.sources[0]
        return source.bits(count)


ZEROS = Digits(Fraction(0))


class Ones:
    description = "ones"

    def bits(self, count: int) -> int:
        return (1 << count) - 1


@pytest.fixture
def bit_by_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    """One bit a chunk, so that refinement is the rule rather than a 2⁻⁶⁴ event."""
    monkeypatch.setattr(gaussian, "CHUNK", 1)


def test_the_half_exponential_coin_is_exact() -> None:
    low, high = law(lambda rng: gaussian._half_exponential(rng=rng), depth=22)

    assert low <= exp(-0.5) <= high
    assert high - low < 1e-3


@pytest.mark.parametrize("x", [Fraction(1, 3), Fraction(2, 3), Fraction(999, 1000)])
@pytest.mark.parametrize(("k", "trial"), [(0, 1), (0, 2), (1, 1), (2, 3), (5, 1)])
@pytest.mark.usefixtures("bit_by_bit")
def test_the_curve_coin_is_exact(x: Fraction, k: int, trial: int) -> None:
    def draw(rng: Entropy) -> bool:
        return gaussian._under_curve(LazyUniform(rng=Digits(x)), k=k, trial=trial, rng=rng)

    low, high = law(draw, depth=24)

    assert low <= x * (2 * k + x) / (2 * (k + 1) * trial) <= high
    assert high - low < Fraction(1, 2**20)


@pytest.mark.parametrize(("k", "depth"), [(0, 16), (1, 14)])
@pytest.mark.usefixtures("bit_by_bit")
def test_acceptance_is_exact(k: int, depth: int) -> None:
    x = Fraction(2, 3)
    low, high = law(
        lambda rng: gaussian._accepted(LazyUniform(rng=Digits(x)), k=k, rng=rng), depth=depth
    )
    coin = float(x * (2 * k + x) / (2 * (k + 1)))

    assert low <= exp(-coin * (k + 1)) <= high
    for coins in (k, k + 2):  # mutants: one coin too few, one too many
        assert not low <= exp(-coin * coins) <= high


def test_a_lazy_uniform_learns_its_digits_in_order() -> None:
    third = LazyUniform(rng=Digits(Fraction(1, 3)))
    for chunks in (1, 2, 3):
        assert third.precision == chunks * CHUNK
        assert third.numerator == 2**third.precision // 3
        third.refine()


@given(
    x=st.fractions(Fraction(1, 100), Fraction(99, 100)),
    k=st.integers(0, 6),
    trial=st.integers(1, 5),
    sign=st.sampled_from((-1, 1)),
    depth=st.integers(70, 400),
    head_start=st.integers(0, 3),
)
def test_close_comparisons_are_decided_by_more_bits(
    x: Fraction, k: int, trial: int, sign: int, depth: int, head_start: int
) -> None:
    # u lies within 2^−depth of where the answer changes: the first chunk cannot tell.
    u = x * (2 * k + x) / (2 * (k + 1) * trial) + sign * Fraction(1, 2**depth)
    assume(0 <= u < 1)
    lazy, digits = LazyUniform(rng=Digits(x)), Digits(u)
    for _ in range(head_start):  # an earlier comparison may have refined x already
        lazy.refine()

    assert gaussian._under_curve(lazy, k=k, trial=trial, rng=digits) == (sign < 0)
    assert digits.served == lazy.precision > CHUNK


def through(k: int, x: Entropy, sign: Entropy) -> Route:
    """The shortest route on which the sampler takes magnitude k + x and the given sign."""
    # A one makes the half-exponential true at once; a zero and then ones make it false.
    one = Ones()
    magnitude: list[Entropy] = [*[one] * k, ZEROS, one, *[one] * (k * (k - 1))]
    return Route([*magnitude, x, *[one] * (k + 1), sign, x])


@given(
    centre=st.fractions(-1000, 1000, max_denominator=1000),
    scale=st.fractions(Fraction(1, 10), 100, max_denominator=1000),
    k=st.integers(0, 3),
    start=st.fractions(0, 1, max_denominator=10**6),
    negative=st.booleans(),
    offset=st.sampled_from((-1, 1)),
    depth=st.integers(70, 400),
)
def test_close_roundings_are_decided_by_more_bits(
    centre: Fraction,
    scale: Fraction,
    k: int,
    start: Fraction,
    negative: bool,
    offset: int,
    depth: int,
) -> None:
    sign = -1 if negative else 1
    # The nearest point to `start` at which the rounded value jumps, and an x just beside it.
    edge = round(centre + Fraction(1, 2) + sign * scale * (k + start))
    jump = sign * (edge - centre - Fraction(1, 2)) / scale - k
    x = jump + offset * Fraction(1, 2**depth)
    assume(0 <= x < 1)
    digits = Digits(x)
    drawn = rounded_gaussian(
        centre=centre, scale=scale, rng=through(k, digits, Ones() if negative else ZEROS)
    )

    assert drawn == floor(centre + Fraction(1, 2) + sign * scale * (k + x))
    cell = floor(x * 2**CHUNK)
    if cell < jump * 2**CHUNK < cell + 1:
        assert digits.served > CHUNK


@pytest.mark.parametrize(("last_chunk", "expected"), [(0, 0), (2**63, 0), (2**64 - 1, 0)])
def test_an_undecided_first_chunk_is_refined(last_chunk: int, expected: int) -> None:
    # ½ + x with x in [½ − 2⁻⁶⁴, ½]: below 1 or at it, one chunk cannot tell; more bits can.
    x = Fraction(2**63 - 1, 2**64) + Fraction(last_chunk, 2**128)
    digits = Digits(x)
    drawn = rounded_gaussian(centre=Fraction(0), scale=Fraction(1), rng=through(0, digits, ZEROS))

    assert drawn == expected
    assert digits.served == (3 if last_chunk == 2**64 - 1 else 2) * CHUNK


@pytest.mark.parametrize("k", [0, 1, 2, 3])
@pytest.mark.parametrize(("sign", "source"), [(1, ZEROS), (-1, Ones())])
def test_the_route_leads_to_its_magnitude(k: int, sign: int, source: Entropy) -> None:
    # The tests above rest on it; with 2¹⁰ grid steps to a standard deviation k shows plainly.
    drawn = rounded_gaussian(
        centre=Fraction(0), scale=Fraction(1024), rng=through(k, Digits(Fraction(1, 3)), source)
    )

    assert drawn == floor(sign * 1024 * (k + Fraction(1, 3)) + Fraction(1, 2))


def normal_cdf(centre: Fraction, scale: Fraction) -> Callable[[int], float]:
    """Pr[⌊centre + scale·Z + ½⌋ ≤ i] = Φ((i + ½ − centre) / scale)."""
    return lambda i: erfc(-float((i + Fraction(1, 2) - centre) / scale) / sqrt(2)) / 2


def assert_normal(sample: Sequence[int], *, centre: Fraction, scale: Fraction) -> None:
    assert fit_p_value(sample, normal_cdf(centre, scale)) > FALSE_ALARM
    mutants = {
        "too little noise": (centre, scale * Fraction(9, 10)),
        "too much noise": (centre, scale * Fraction(11, 10)),
        "a bias": (centre + scale / 10, scale),
    }
    for name, mutant in mutants.items():
        assert fit_p_value(sample, normal_cdf(*mutant)) < FALSE_ALARM, name


LAWS = [
    (Fraction(0), Fraction(1)),
    (Fraction(1, 4), Fraction(1, 3)),
    (Fraction(-12345, 67), Fraction(64)),
    (Fraction(10**6), Fraction(355, 113)),
]


@statistical(false_alarm=len(LAWS) * FALSE_ALARM)
def test_draws_follow_the_normal_law() -> None:
    for seed, (centre, scale) in enumerate(LAWS):
        rng = Seeded(seed)
        sample = [rounded_gaussian(centre=centre, scale=scale, rng=rng) for _ in range(DRAWS)]
        assert_normal(sample, centre=centre, scale=scale)


@statistical(false_alarm=FALSE_ALARM)
@pytest.mark.usefixtures("bit_by_bit")
def test_draws_that_refine_all_the_time_follow_the_same_law() -> None:
    rng, centre, scale = Seeded(5), Fraction(1, 3), Fraction(2)
    sample = [rounded_gaussian(centre=centre, scale=scale, rng=rng) for _ in range(DRAWS)]
    assert_normal(sample, centre=centre, scale=scale)


def test_the_same_bits_give_the_same_draw() -> None:
    def draws(seed: int) -> list[int]:
        rng = Seeded(seed)
        return [
            rounded_gaussian(centre=Fraction(0), scale=Fraction(1000), rng=rng) for _ in range(20)
        ]

    assert draws(1) == draws(1) != draws(2)
