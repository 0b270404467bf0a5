"""Laplace pairs against 50-digit closed forms and against quadrature of the definitions."""

from collections.abc import Callable
from fractions import Fraction
from math import exp, inf, isclose, log, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st
from mpmath import mp, mpf, mpmathify, quad, workdps

from peekproof.core.errors import InvalidInput
from peekproof.theory.divergence import LaplacePair, Number, laplace_density
from theory.divergence.pairs import few

DIGITS = 120  # the closed forms cancel twice for small losses
CLOSE = 2e-14
epsilons = st.fractions(Fraction(1, 100), 30) | st.floats(1e-12, 600).map(Fraction)
standard_pairs = epsilons.map(lambda epsilon: LaplacePair(shift=epsilon, scale=1))
orders = st.fractions(1, 100) | st.builds(
    lambda power: 1 + Fraction(1, 10**power), st.integers(1, 25)
)


def close(claimed: float, exact: mpf) -> bool:
    return bool(abs(claimed / exact - 1) < CLOSE)


@few
@given(standard_pairs)
def test_closed_forms_to_fifty_digits(pair: LaplacePair) -> None:
    with workdps(DIGITS):
        e = mpmathify(pair.epsilon)
        assert close(pair.kl(), e - 1 + mp.exp(-e))
        assert close(pair.max_divergence(), e)
        assert close(pair.total_variation(), 1 - mp.exp(-e / 2))
        assert close(pair.chi_square(), (2 * mp.exp(e) + mp.exp(-2 * e)) / 3 - 1)
        assert close(pair.bhattacharyya(), mp.exp(-e / 2) * (1 + e / 2))
        assert close(pair.hellinger_squared(), 1 - mp.exp(-e / 2) * (1 + e / 2))


places = st.fractions(-9, 9)


@few
@given(at=places, centre=places, scale=st.fractions(Fraction(1, 100), 30))
def test_the_density_to_fifty_digits(at: Fraction, centre: Fraction, scale: Fraction) -> None:
    claimed = laplace_density(at, centre=centre, scale=scale)
    with workdps(DIGITS):
        x, mu, b = map(mpmathify, (at, centre, scale))
        assert close(claimed, mp.exp(-abs(x - mu) / b) / (2 * b)) or claimed < 1e-300
    assert laplace_density(at + 1, centre=centre + 1, scale=scale) == claimed


@few
@given(at=places, centre=places, other=places, scale=st.fractions(Fraction(1, 10), 30))
def test_no_ratio_of_densities_exceeds_the_largest_loss(
    at: Fraction, centre: Fraction, other: Fraction, scale: Fraction
) -> None:
    most = exp(LaplacePair(shift=other - centre, scale=scale).max_divergence()) * (1 + 1e-12)
    p, q = (laplace_density(at, centre=mu, scale=scale) for mu in (centre, other))
    assert p <= q * most
    assert q <= p * most


@few
@given(pair=standard_pairs, order=orders)
def test_renyi_to_fifty_digits(pair: LaplacePair, order: Fraction) -> None:
    with workdps(DIGITS):
        e, a = mpmathify(pair.epsilon), mpmathify(order)
        rising, falling = mp.exp((a - 1) * e), mp.exp(-a * e)
        if order == 1:
            exact = e - 1 + mp.exp(-e)
        else:
            exact = mp.log((a * rising + (a - 1) * falling) / (2 * a - 1)) / (a - 1)
        assert close(pair.renyi(order=order), exact)


@few
@given(pair=standard_pairs, order=st.fractions(1, 60), more=st.fractions(Fraction(1, 100), 60))
def test_renyi_rises_from_kl_to_the_maximum(
    pair: LaplacePair, order: Fraction, more: Fraction
) -> None:
    lower, higher = pair.renyi(order=order), pair.renyi(order=order + more)

    assert pair.kl() <= lower * (1 + CLOSE)
    assert lower <= higher * (1 + CLOSE)
    assert higher <= pair.max_divergence() * (1 + CLOSE)
    assert isclose(pair.renyi(order=1 + Fraction(1, 2**300)), pair.kl(), rel_tol=1e-14)
    assert isclose(pair.renyi(order=Fraction(10) ** 400), pair.max_divergence(), rel_tol=1e-14)


@few
@given(pair=standard_pairs, share=st.fractions(-2, 2))
def test_hockey_stick_is_the_gap_of_a_half_line(pair: LaplacePair, share: Fraction) -> None:
    epsilon = share * pair.epsilon
    claimed = pair.hockey_stick(epsilon=epsilon)
    with workdps(DIGITS):
        # {L > ε} is the half-line below x = (ε₀ − ε)/2, or everything, or nothing.
        most, ratio = mpmathify(pair.epsilon), mp.exp(mpmathify(epsilon))
        if share >= 1:
            assert claimed == 0
        elif share < -1:
            assert close(claimed, 1 - ratio)
        else:
            x = (most - mpmathify(epsilon)) / 2
            assert close(claimed, 1 - mp.exp(-x) / 2 - ratio * mp.exp(x - most) / 2)


@few
@given(pair=standard_pairs, delta=st.floats(0, 0.999))
def test_approximate_max_divergence_inverts_the_hockey_stick(
    pair: LaplacePair, delta: float
) -> None:
    epsilon = pair.approximate_max_divergence(delta=delta)
    small = 1e-13 * (1 + float(pair.epsilon))

    assert pair.hockey_stick(epsilon=epsilon + small) <= delta
    assert pair.hockey_stick(epsilon=epsilon - small) > delta


@pytest.mark.parametrize("shift", [0.3, 1.0, 4.0])
def test_every_definition_by_quadrature(shift: float) -> None:
    pair, scale = LaplacePair(shift=-shift, scale=Fraction(3, 2)), mpf(3) / 2

    def integral(term: Callable[[mpf, mpf], mpf]) -> mpf:
        def at(x: mpf) -> mpf:
            p, q = (mp.exp(-abs(x - centre) / scale) / (2 * scale) for centre in (0, -mpf(shift)))
            return term(p, q)

        corner = -(mpf(shift) - mpf(0.1) * scale) / 2
        return quad(at, sorted([-90, -30, -shift, corner, -mpf(shift) / 2, 0, 30, 90]))

    with workdps(20):
        expected = {
            pair.kl(): integral(lambda p, q: p * mp.log(p / q)),
            pair.renyi(order=1.5): 2 * mp.log(integral(lambda p, q: p * mp.sqrt(p / q))),
            pair.total_variation(): integral(lambda p, q: abs(p - q) / 2),
            pair.chi_square(): integral(lambda p, q: (p - q) ** 2 / q),
            pair.bhattacharyya(): integral(lambda p, q: mp.sqrt(p * q)),
            pair.hellinger_squared(): integral(lambda p, q: (mp.sqrt(p) - mp.sqrt(q)) ** 2 / 2),
            pair.hockey_stick(epsilon=0.1): integral(
                lambda p, q: max(p - mp.exp(mpf(0.1)) * q, mpf(0))
            ),
        }
        for claimed, exact in expected.items():
            assert abs(claimed / exact - 1) < 1e-12


def test_equal_laws() -> None:
    pair = LaplacePair(shift=0, scale=1)

    assert pair.kl() == pair.max_divergence() == pair.total_variation() == pair.chi_square() == 0
    assert pair.hockey_stick(epsilon=0) == pair.hellinger_squared() == pair.renyi(order=3) == 0
    assert pair.bhattacharyya() == 1
    assert pair.hockey_stick(epsilon=-1) == pytest.approx(1 - exp(-1), rel=1e-15)
    assert pair.approximate_max_divergence(delta=0.5) == -log(2)


def test_the_ends() -> None:
    pair, far = LaplacePair(shift=1, scale=1), LaplacePair(shift=1, scale=Fraction(1, 10**400))

    assert pair.approximate_max_divergence(delta=0) == 1
    assert pair.approximate_max_divergence(delta=1) == -inf
    assert far.kl() == far.max_divergence() == far.chi_square() == far.renyi(order=2) == inf
    assert far.total_variation() == far.hockey_stick(epsilon=9) == far.hellinger_squared() == 1
    assert far.bhattacharyya() == 0


@pytest.mark.parametrize("scale", [0, -1, nan, inf, True])
def test_noise_that_is_none_is_refused(scale: Number) -> None:
    with pytest.raises(InvalidInput, match=r"^scale must be"):
        LaplacePair(shift=1, scale=scale)


def test_absurd_arguments_are_refused() -> None:
    pair = LaplacePair(shift=1, scale=1)
    with pytest.raises(InvalidInput, match=r"^shift must be"):
        LaplacePair(shift=inf, scale=1)
    with pytest.raises(InvalidInput, match=r"^epsilon must be"):
        pair.hockey_stick(epsilon=nan)
    with pytest.raises(InvalidInput, match=r"^delta must be"):
        pair.approximate_max_divergence(delta=1.1)
    with pytest.raises(InvalidInput, match=r"^order must be"):
        pair.renyi(order=0.9)
