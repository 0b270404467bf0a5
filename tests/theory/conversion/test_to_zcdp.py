"""Pure and Gaussian losses as zCDP, against the divergences themselves."""

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st
from mpmath import exp, log, mpf, mpmathify, quad, sqrt, tanh, workdps

from peekproof.core.charge import GDP, ZCDP, PureDP
from peekproof.theory.conversion import gdp_to_zcdp, pure_to_zcdp, pure_to_zcdp_sharp


@given(epsilon=st.fractions(Fraction(1, 1000), 20), order=st.fractions(Fraction(101, 100), 50))
def test_randomised_response_stays_below_the_line(epsilon: Fraction, order: Fraction) -> None:
    rho = pure_to_zcdp(PureDP(epsilon)).rho
    with workdps(50):
        eps, a = mpmathify(epsilon), mpmathify(order)
        p, q = exp(eps) / (1 + exp(eps)), 1 / (1 + exp(eps))
        divergence = log(p**a * q ** (1 - a) + q**a * p ** (1 - a)) / (a - 1)
        assert divergence <= mpmathify(rho) * a


def test_the_constant_is_a_half_for_small_losses() -> None:
    epsilon, a = Fraction(1, 1000), 2
    with workdps(50):
        eps = mpmathify(epsilon)
        p, q = exp(eps) / (1 + exp(eps)), 1 / (1 + exp(eps))
        divergence = log(p**a * q ** (1 - a) + q**a * p ** (1 - a))
        assert divergence > mpmathify(pure_to_zcdp(PureDP(epsilon)).rho) * a * 0.999


def test_the_gaussian_pair_attains_it() -> None:
    square, a = Fraction(3, 2), Fraction(5, 2)
    with workdps(20):
        mu, order = sqrt(mpmathify(square)), mpmathify(a)
        integral = quad(
            lambda x: exp(-order * x * x / 2 - (1 - order) * (x - mu) ** 2 / 2),
            [-12, -4, 0, 4, 12],
        )
        divergence = log(integral / sqrt(2 * mpmathify("3.14159265358979323846"))) / (order - 1)
        rho = mpmathify(gdp_to_zcdp(GDP(square)).rho)
        assert abs(divergence - rho * order) < 1e-12


def test_nothing_costs_nothing() -> None:
    assert pure_to_zcdp(PureDP(Fraction(0))) == ZCDP(Fraction(0)) == gdp_to_zcdp(GDP(Fraction(0)))


@given(epsilon=st.fractions(Fraction(1, 10**9), 300), order=st.fractions(Fraction(101, 100), 50))
def test_the_sharp_line_is_met_as_the_order_falls_to_one(
    epsilon: Fraction, order: Fraction
) -> None:
    rho = pure_to_zcdp_sharp(PureDP(epsilon)).rho
    with workdps(60):
        eps, a = mpmathify(epsilon), mpmathify(order)
        p, q = exp(eps) / (1 + exp(eps)), 1 / (1 + exp(eps))
        divergence = log(p**a * q ** (1 - a) + q**a * p ** (1 - a)) / (a - 1)
        least = p * log(p / q) + q * log(q / p)  # D_1
        assert divergence <= mpmathify(rho) * a
        assert least <= mpmathify(rho) <= least * (1 + mpf("1e-11"))
        assert abs(least - eps * tanh(eps / 2)) < mpf("1e-30") * least
    assert rho <= pure_to_zcdp(PureDP(epsilon)).rho
