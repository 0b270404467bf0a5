"""Each event read as each notion, against closed forms and exact divergences."""

from fractions import Fraction
from math import exp, tanh

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from peekproof.accounting.events import (
    Approximate,
    Concentrated,
    DiscreteGaussian,
    Event,
    Exponential,
    Gaussian,
    Laplace,
    Pure,
    SampledGaussian,
    as_approximate,
    as_gaussian,
    as_pure,
    as_rdp,
    as_zcdp,
)
from peekproof.core.charge import GDP, ZCDP, ApproxDP, PureDP
from peekproof.theory.divergence import LaplacePair, Pair

HALF, TWO, ZERO = Fraction(1, 2), Fraction(2), Fraction(0)
EVENTS: dict[Event, tuple[PureDP | None, ApproxDP | None, GDP | None]] = {
    Laplace(scale=Fraction(4), sensitivity=TWO): (
        PureDP(HALF),
        ApproxDP(epsilon=HALF, delta=ZERO),
        None,
    ),
    Pure(epsilon=HALF): (PureDP(HALF), ApproxDP(epsilon=HALF, delta=ZERO), None),
    Exponential(epsilon=HALF): (PureDP(HALF), ApproxDP(epsilon=HALF, delta=ZERO), None),
    Approximate(epsilon=HALF, delta=ZERO): (
        PureDP(HALF),
        ApproxDP(epsilon=HALF, delta=ZERO),
        None,
    ),
    Approximate(epsilon=HALF, delta=Fraction(1, 10**400)): (
        None,
        ApproxDP(epsilon=HALF, delta=Fraction(1, 10**400)),
        None,
    ),
    Gaussian(sigma=Fraction(4), sensitivity=TWO): (None, None, GDP(HALF**2)),
    DiscreteGaussian(sigma=Fraction(4)): (None, None, None),
    Concentrated(rho=HALF): (None, None, None),
    SampledGaussian(sigma=TWO, rate=HALF): (None, None, None),
}


@pytest.mark.parametrize("event", EVENTS, ids=str)
def test_pairs_and_squares_are_exact_and_unknown_ones_are_not_invented(event: Event) -> None:
    assert (as_pure(event), as_approximate(event), as_gaussian(event)) == EVENTS[event]


def test_rho_is_the_smallest_known() -> None:
    assert as_zcdp(Concentrated(rho=HALF)) == ZCDP(HALF)
    assert as_zcdp(DiscreteGaussian(sigma=Fraction(4), sensitivity=TWO)) == ZCDP(Fraction(1, 8))
    assert as_zcdp(Gaussian(sigma=Fraction(4), sensitivity=TWO)) == ZCDP(Fraction(1, 8))
    assert as_zcdp(Exponential(epsilon=HALF)) == ZCDP(HALF**2 / 8)
    large = as_zcdp(Exponential(epsilon=Fraction(20)))
    assert large is not None
    assert 20 * tanh(10) <= large.rho < 20 * (1 + 1e-9)
    for event in (
        SampledGaussian(sigma=TWO, rate=HALF),
        Approximate(epsilon=HALF, delta=Fraction(1, 10**9)),
    ):
        assert as_zcdp(event) is None
        assert as_rdp(event, order=TWO) is None


@settings(max_examples=30)
@given(st.fractions(Fraction(1, 20), 6), st.fractions(Fraction(11, 10), 30))
def test_laplace_moments_are_those_of_its_law(scale: Fraction, order: Fraction) -> None:
    claimed = as_rdp(Laplace(scale=scale), order=order)
    exact = LaplacePair(shift=1, scale=scale).renyi(order=order)
    assert claimed is not None
    assert exact * (1 - 1e-13) <= claimed.epsilon <= exact * (1 + 1e-11)


@settings(max_examples=30)
@given(
    st.integers(2, 40),
    st.fractions(Fraction(11, 10), 30, max_denominator=10),
    st.lists(st.integers(0, 1), min_size=2, max_size=5),
)
def test_exponential_mechanisms_stay_below_their_moments(
    tenths: int, order: Fraction, moves: list[int]
) -> None:
    """Scores that move by Δ = 1 up or down: weights e^{±ε/2}, normalised."""
    epsilon = Fraction(tenths, 10)
    tilted = [exp(float(epsilon) * (move - 0.5)) for move in moves]
    pair = Pair.of([weight / sum(tilted) for weight in tilted], [1 / len(moves) for _ in moves])
    claimed = as_rdp(Exponential(epsilon=epsilon), order=order)
    assert claimed is not None
    for one in (pair, pair.swapped()):
        assert one.renyi(order=order) <= float(claimed.epsilon) * (1 + 1e-9)
        assert one.max_divergence() <= epsilon


def test_a_pure_loss_of_zero_reads_as_zero() -> None:
    nothing = Approximate(epsilon=ZERO, delta=ZERO)
    moments = as_rdp(nothing, order=TWO)
    assert as_zcdp(nothing) == ZCDP(ZERO)
    assert moments is not None
    assert moments.epsilon == 0
