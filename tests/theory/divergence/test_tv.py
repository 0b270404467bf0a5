"""T-tv-gauss, and that no finite pair exceeds what conversion says of total variation."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import erf, mpf, mpmathify, pi, sqrt, workdps

from peekproof.core.charge import GDP, TV, ApproxDP, PureDP
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import MARGIN
from peekproof.theory.conversion import approx_to_tv, gdp_to_tv, pure_to_tv
from peekproof.theory.divergence import Pair, gaussian_tv
from theory.divergence.pairs import any_pairs, few, full_pairs

HAIR = 1 + Fraction(1, 10**14)  # covers the rounding of a divergence to the nearest float


@few
@given(
    sensitivity=st.fractions(Fraction(1, 10**9), 10), sigma=st.fractions(Fraction(1, 100), 10**3)
)
def test_gauss_to_fifty_digits_and_below_its_tangent(
    sensitivity: Fraction, sigma: Fraction
) -> None:
    claimed = mpmathify(gaussian_tv(sensitivity=sensitivity, sigma=sigma).distance)
    with workdps(50):
        mu = mpmathify(sensitivity / sigma)
        exact = erf(mu / sqrt(8))
        # The chain may use an eighth of the margin.
        assert min(mpf(1), exact * (1 + 7 * mpf(MARGIN) / 8)) <= claimed
        assert claimed <= min(mpf(1), exact * (1 + 2 * mpf(MARGIN)))
        assert claimed <= mu / sqrt(2 * pi) * (1 + 2 * mpf(MARGIN))


@few
@given(mu=st.fractions(Fraction(1, 10**6), 12))
def test_gauss_is_the_conversion_of_its_loss(mu: Fraction) -> None:
    direct = gaussian_tv(sensitivity=mu, sigma=Fraction(1)).distance
    converted = gdp_to_tv(GDP(mu**2)).distance

    assert abs(direct / converted - 1) < 2 * MARGIN


def test_a_radical_over_sigma_would_be_a_false_claim() -> None:
    # As printed: Δ/√(2πσ). For σ below 1 it promises less than the truth.
    sigma = Fraction(1, 100)
    claimed = gaussian_tv(sensitivity=Fraction(1, 200), sigma=sigma).distance

    assert float(claimed) > 0.005 / float(sqrt(2 * pi * mpmathify(sigma)))


@few
@given(full_pairs)
def test_no_pair_of_bounded_ratio_exceeds_the_pure_bound(pair: Pair) -> None:
    worst = max(pair.max_divergence(), pair.swapped().max_divergence())

    assert pair.total_variation() <= pure_to_tv(PureDP(Fraction(worst) * HAIR)).distance


@few
@given(any_pairs, st.fractions(0, 3))
def test_no_pair_exceeds_the_approximate_bound(pair: Pair, epsilon: Fraction) -> None:
    there, back = (one.hockey_stick(epsilon=epsilon) for one in (pair, pair.swapped()))
    delta = min(Fraction(1), Fraction(max(there, back)) * HAIR)

    bound = approx_to_tv(ApproxDP(epsilon=epsilon, delta=delta)).distance
    assert pair.total_variation() <= bound * HAIR


def test_the_ends() -> None:
    one, huge = Fraction(1), Fraction(10) ** 400

    assert gaussian_tv(sensitivity=Fraction(0), sigma=one) == TV(Fraction(0))
    assert gaussian_tv(sensitivity=huge, sigma=one) == TV(one)
    assert 0 < gaussian_tv(sensitivity=one, sigma=huge).distance < Fraction(1, 10**300)


def test_absurd_arguments_are_refused() -> None:
    one = Fraction(1)
    with pytest.raises(InvalidInput, match=r"^sensitivity must be"):
        gaussian_tv(sensitivity=-one, sigma=one)
    with pytest.raises(InvalidInput, match=r"^sigma must be"):
        gaussian_tv(sensitivity=one, sigma=Fraction(0))
