"""Gaussian pairs against 50-digit closed forms and against quadrature of the definitions."""

from collections.abc import Callable
from fractions import Fraction
from math import erf, exp, inf, log1p, nan, sqrt

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from mpmath import erfc, mp, mpf, mpmathify, quad, workdps

from peekproof.core.errors import InvalidInput
from peekproof.theory.divergence import GaussianPair, Number
from theory.divergence.pairs import near

DIGITS = 60
CLOSE = 1e-14
mus = st.fractions(Fraction(1, 100), 12) | st.floats(1e-9, 1e3).map(Fraction)
standard_pairs = mus.map(lambda mu: GaussianPair(shift=mu, sigma=1))


def phi(x: mpf) -> mpf:
    return erfc(-x / mp.sqrt(2)) / 2


def stick(mu: Fraction, epsilon: Fraction) -> mpf:
    """Φ(−ε/μ + μ/2) − e^ε Φ(−ε/μ − μ/2), with digits to lose."""
    m, e = mpmathify(mu), mpmathify(epsilon)
    return phi(-e / m + m / 2) - mp.exp(e) * phi(-e / m - m / 2)


@given(standard_pairs, st.fractions(1, 100))
def test_closed_forms_to_fifty_digits(pair: GaussianPair, order: Fraction) -> None:
    with workdps(DIGITS):
        square = mpmathify(pair.mu) ** 2
        assert near(pair.kl(), square / 2, CLOSE)
        assert near(pair.renyi(order=order), mpmathify(order) * square / 2, CLOSE)
        assert near(pair.total_variation(), mp.erf(mp.sqrt(square / 8)), CLOSE)
        assert near(pair.bhattacharyya(), mp.exp(-square / 8), CLOSE)
        assert near(pair.hellinger_squared(), -mp.expm1(-square / 8), CLOSE)
        if square < 709:
            assert abs(pair.chi_square() / mp.expm1(square) - 1) < CLOSE
        else:
            assert pair.chi_square() == inf or square < 710


@given(mu=mus, score=st.fractions(-6, 36))
def test_hockey_stick_keeps_its_digits_to_the_smallest_floats(
    mu: Fraction, score: Fraction
) -> None:
    epsilon = mu * (score + mu / 2)  # so that a = score and δ is between 1 and 1e-285
    assume(epsilon >= 0)
    claimed = GaussianPair(shift=mu, sigma=1).hockey_stick(epsilon=epsilon)
    with workdps(400):
        assert abs(claimed / stick(mu, epsilon) - 1) < 3e-14


@given(pair=standard_pairs, epsilon=st.fractions(0, 100))
def test_hockey_stick_at_every_epsilon_of_both_signs(pair: GaussianPair, epsilon: Fraction) -> None:
    with workdps(400):
        for signed in (epsilon, -epsilon):
            exact = stick(pair.mu, signed)
            claimed = pair.hockey_stick(epsilon=signed)
            assert abs(claimed - exact) <= max(3e-14 * exact, mpf("1e-320"))


@pytest.mark.parametrize(
    ("mu", "epsilon"), [(7, 100), (Fraction(1, 10), Fraction(11, 10)), (Fraction(1, 1000), 0.01)]
)
def test_the_textbook_formula_would_not_do(mu: Number, epsilon: Number) -> None:
    m, e = float(mu), float(epsilon)
    pair = GaussianPair(shift=mu, sigma=1)
    textbook = (1 + erf((m / 2 - e / m) / sqrt(2))) / 2 - exp(e) * (
        1 + erf((-m / 2 - e / m) / sqrt(2))
    ) / 2
    with workdps(100):
        exact = stick(Fraction(mu), Fraction(epsilon))
        assert abs(textbook / exact - 1) > 1e-6
        assert abs(pair.hockey_stick(epsilon=epsilon) / exact - 1) < CLOSE


def test_scale_and_sign_do_not_matter() -> None:
    assert GaussianPair(shift=-3, sigma=2).mu == Fraction(3, 2)
    assert GaussianPair(shift=0.1, sigma=0.1).mu == 1


@settings(max_examples=25)
@given(pair=standard_pairs, delta=st.floats(1e-30, 0.999))
def test_approximate_max_divergence_inverts_the_hockey_stick(
    pair: GaussianPair, delta: float
) -> None:
    epsilon = pair.approximate_max_divergence(delta=delta)
    step = Fraction(1, 10**9) * (1 + abs(Fraction(epsilon)))
    with workdps(400):
        # The bracket is δ's own precision wide, where the stick is flat.
        assert stick(pair.mu, Fraction(epsilon)) <= mpf(delta) * (1 + mpf(1e-13))
        assert stick(pair.mu, Fraction(epsilon) - step) >= mpf(delta) * (1 - mpf(1e-13))
    assert epsilon >= log1p(-delta)


@pytest.mark.parametrize("shift", [0.3, 1.0, 4.0])
def test_every_definition_by_quadrature(shift: float) -> None:
    pair, sigma = GaussianPair(shift=shift, sigma=Fraction(3, 2)), mpf(3) / 2

    def integral(term: Callable[[mpf, mpf], mpf], *corners: float) -> mpf:
        def at(x: mpf) -> mpf:
            return term(mp.npdf(x, 0, sigma), mp.npdf(x, shift, sigma))

        return quad(at, sorted([-20, 0, shift, 30, *corners]))

    with workdps(20):
        corner = shift / 2 - 0.2 * 2.25 / shift
        half = shift / 2
        expected = {
            pair.kl(): integral(lambda p, q: p * mp.log(p / q)),
            pair.renyi(order=1.5): 2 * mp.log(integral(lambda p, q: p * mp.sqrt(p / q))),
            pair.total_variation(): integral(lambda p, q: abs(p - q) / 2, half),
            pair.chi_square(): integral(lambda p, q: (p - q) ** 2 / q),
            pair.bhattacharyya(): integral(lambda p, q: mp.sqrt(p * q)),
            pair.hellinger_squared(): integral(lambda p, q: (mp.sqrt(p) - mp.sqrt(q)) ** 2 / 2),
            pair.hockey_stick(epsilon=0.2): integral(
                lambda p, q: max(p - mp.exp(mpf(0.2)) * q, mpf(0)), corner
            ),
        }
        for claimed, exact in expected.items():
            assert abs(claimed / exact - 1) < 1e-12


def test_equal_laws() -> None:
    pair = GaussianPair(shift=0, sigma=1)

    assert pair.kl() == pair.max_divergence() == pair.total_variation() == pair.chi_square() == 0
    assert pair.hockey_stick(epsilon=0) == pair.hellinger_squared() == 0
    assert pair.bhattacharyya() == 1
    assert pair.hockey_stick(epsilon=-1) == pytest.approx(1 - exp(-1), rel=1e-15)
    assert pair.approximate_max_divergence(delta=0.5) == log1p(-0.5)


def test_the_ends() -> None:
    pair, far = GaussianPair(shift=1, sigma=1), GaussianPair(shift=10**200, sigma=1)

    assert pair.max_divergence() == inf
    assert pair.approximate_max_divergence(delta=0) == inf
    assert pair.approximate_max_divergence(delta=1) == -inf
    assert pair.hockey_stick(epsilon=10**6) == 0
    assert far.kl() == far.chi_square() == far.approximate_max_divergence(delta=0.5) == inf
    assert far.total_variation() == far.hockey_stick(epsilon=0) == far.hellinger_squared() == 1
    assert far.bhattacharyya() == 0


@pytest.mark.parametrize("sigma", [0, -1, nan, inf, True])
def test_noise_that_is_none_is_refused(sigma: Number) -> None:
    with pytest.raises(InvalidInput, match=r"^sigma must be"):
        GaussianPair(shift=1, sigma=sigma)


def test_absurd_arguments_are_refused() -> None:
    pair = GaussianPair(shift=1, sigma=1)
    with pytest.raises(InvalidInput, match=r"^shift must be"):
        GaussianPair(shift=nan, sigma=1)
    with pytest.raises(InvalidInput, match=r"^epsilon must be"):
        pair.hockey_stick(epsilon=nan)
    with pytest.raises(InvalidInput, match=r"^delta must be"):
        pair.approximate_max_divergence(delta=-0.1)
    with pytest.raises(InvalidInput, match=r"^order must be"):
        pair.renyi(order=0.9)
