"""Lazy exponentials: their law by exhaustion of bits, and exact comparisons of close ones."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import exp, floor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from noise.bits import Brackets, Digits
from peekproof.noise import exponential, gaussian
from peekproof.noise.entropy import Seeded
from peekproof.noise.exponential import LazyNoise, highest, lazy_exponential, lazy_laplace
from peekproof.noise.gaussian import CHUNK, LazyUniform
from peekproof.testing.statistics import fit_p_value, statistical

DRAWS = 20_000
FALSE_ALARM = 1e-9


@pytest.fixture
def bit_by_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    """One bit a chunk, so that refinement is the rule rather than a 2⁻⁶⁴ event."""
    monkeypatch.setattr(gaussian, "CHUNK", 1)


@pytest.mark.parametrize("x", [Fraction(1, 3), Fraction(2, 5)])
@pytest.mark.usefixtures("bit_by_bit")
def test_acceptance_is_exact(x: Fraction) -> None:
    law = Brackets(lambda rng: exponential._accepted(LazyUniform(rng=Digits(x)), rng=rng), depth=16)
    mutants = {
        "one comparison": float(1 - x),
        "even runs": 1 - exp(-x),
        "twice the rate": exp(-2 * x),
    }

    assert law.hold(True, exp(-x))
    assert law.open < 0.05
    for name, probability in mutants.items():
        assert not law.hold(True, probability), name


class Queue:
    """Each new uniform has the digits of the next given rational; refinements are not needed."""

    description = "queue"

    def __init__(self, values: Sequence[Fraction]) -> None:
        self.values = list(values)

    def bits(self, count: int) -> int:
        return floor(self.values.pop(0) * (1 << count))


uniforms = st.fractions(0, Fraction(999, 1000), max_denominator=1000)


@given(st.lists(st.lists(uniforms, min_size=2, max_size=6, unique=True), min_size=1, max_size=5))
def test_descending_runs_of_odd_length_end_the_wait(trials: list[list[Fraction]]) -> None:
    # Each trial becomes a descending run and one uniform above its last; only the last is odd.
    runs = [sorted(trial, reverse=True)[: len(trial) // 2 * 2] for trial in trials]
    runs[-1].pop()
    queue = Queue([u for run in runs for u in (*run, Fraction(9999, 10000))])
    noise = lazy_exponential(rng=queue)

    assert not queue.values
    assert noise.whole == len(trials) - 1
    assert noise.fraction.numerator == floor(runs[-1][0] * 2**CHUNK)


@given(st.integers(0, 10**9))
def test_a_laplace_variable_is_an_exponential_with_a_fair_sign(seed: int) -> None:
    plain, rng = lazy_exponential(rng=Seeded(seed)), Seeded(seed)
    signed = lazy_laplace(rng=rng)
    again = Seeded(seed)
    lazy_exponential(rng=again)

    assert (signed.whole, signed.fraction.numerator) == (plain.whole, plain.fraction.numerator)
    assert signed.sign == 1 - 2 * again.bits(1)
    assert plain.sign == 1


def in_cells(noises: Sequence[LazyNoise]) -> list[int]:
    """Sixteenths, by floor."""
    return [
        noise.sign * (16 * noise.whole + (noise.fraction.numerator << 4 >> CHUNK))
        - (noise.sign < 0)
        for noise in noises
    ]


@statistical(false_alarm=2 * FALSE_ALARM)
def test_draws_follow_their_laws() -> None:
    def exponential_cdf(scale: float) -> Callable[[int], float]:
        return lambda i: max(0.0, 1 - exp(-(i + 1) / 16 / scale))

    def laplace_cdf(scale: float) -> Callable[[int], float]:
        return lambda i: (
            exp((i + 1) / 16 / scale) / 2 if i < -1 else 1 - exp(-(i + 1) / 16 / scale) / 2
        )

    rng = Seeded(1)
    one_sided = in_cells([lazy_exponential(rng=rng) for _ in range(DRAWS)])
    two_sided = in_cells([lazy_laplace(rng=rng) for _ in range(2 * DRAWS)])

    assert fit_p_value(one_sided, exponential_cdf(1)) > FALSE_ALARM
    assert fit_p_value(two_sided, laplace_cdf(1)) > FALSE_ALARM
    for scale in (0.9, 1.1):
        assert fit_p_value(one_sided, exponential_cdf(scale)) < FALSE_ALARM
        assert fit_p_value(two_sided, laplace_cdf(scale)) < FALSE_ALARM
    assert fit_p_value(one_sided, laplace_cdf(1)) < FALSE_ALARM


def known(value: Fraction) -> LazyNoise:
    """The noise whose digits are those of a given rational."""
    whole = floor(abs(value))
    fraction = LazyUniform(rng=Digits(abs(value) - whole))
    return LazyNoise(sign=-1 if value < 0 else 1, whole=whole, fraction=fraction)


rationals = st.fractions(-9, 9, max_denominator=10**6)


@given(
    pairs=st.lists(st.tuples(st.integers(-5, 5), rationals), min_size=1, max_size=8),
    scale=st.fractions(Fraction(1, 9), 9, max_denominator=99),
)
def test_the_highest_is_the_highest(pairs: list[tuple[int, Fraction]], scale: Fraction) -> None:
    values = [score + scale * noise for score, noise in pairs]
    if values.count(max(values)) > 1:  # a tie has probability zero, and would never be decided
        return
    scores, noises = [score for score, _ in pairs], [known(noise) for _, noise in pairs]

    assert highest(scores, noises, scale=scale) == values.index(max(values))


@given(
    score=st.integers(-(10**6), 10**6),
    gap=st.integers(-3, 3),
    noise=st.integers(-27, 27).map(lambda k: Fraction(3 * k + 1, 9)),  # at no end of a cell
    scale=st.fractions(Fraction(1, 9), 9, max_denominator=99),
    side=st.sampled_from((-1, 1)),
    depth=st.integers(70, 400),
)
def test_close_rivals_are_decided_by_more_bits(
    score: int, gap: int, noise: Fraction, scale: Fraction, side: int, depth: int
) -> None:
    # The second comes within 2^−depth of the first: 64 bits cannot tell. The third is far behind.
    rival = noise - gap / scale + side * Fraction(1, 2**depth)
    far = known(noise - 10**6 / scale - 1)
    noises = [known(noise), known(rival), far]

    assert highest([score, score + gap, score], noises, scale=scale) == (side > 0)
    assert min(noises[0].fraction.precision, noises[1].fraction.precision) > CHUNK
    assert far.fraction.precision == CHUNK  # only the undecided are refined


def test_noises_of_different_precision_are_compared() -> None:
    fine, coarse = known(Fraction(1, 3)), known(Fraction(1, 3) + Fraction(1, 2**20))
    fine.fraction.refine()

    assert highest([0, 0], [fine, coarse], scale=Fraction(1)) == 1
    assert highest([0, 0], [coarse, fine], scale=Fraction(1)) == 0
