"""T-drift against mpmath: the formula, its search, and the inequality it rests on."""

from fractions import Fraction
from math import log as ln
from math import sqrt as root

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from mpmath import acosh, exp, findroot, log, mpf, mpmathify, pi, sin, sqrt, workdps

from peekproof.core.charge import FREE, GDP
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import MARGIN
from peekproof.theory.generalization.drift import gaussian_drift, mean_gaussian_drift

DIGITS = 50
# From a million rows for one question to drifts that say nothing.
squares = st.fractions(Fraction(1, 10**6), 2) | st.builds(
    lambda digits, exponent: Fraction(digits, 10**exponent),
    st.integers(10, 99),
    st.integers(2, 14),
)
betas = st.fractions(Fraction(1, 10**12), 1 - Fraction(1, 10**6)) | st.builds(
    lambda exponent: Fraction(1, 10**exponent), st.integers(1, 30)
)


def angle_at(rate: mpf, *, mu_squared: Fraction, beta: Fraction) -> mpf:
    """arccosh(e^{(λ²+1)μ²/32} / β) / λ, straight from the theorem."""
    square = mpmathify(mu_squared)
    return acosh(exp((rate * rate + 1) * square / 32) / mpmathify(beta)) / rate


def best_rate(*, mu_squared: Fraction, beta: Fraction) -> mpf:
    """The λ at which the derivative of `angle_at` vanishes, found in ln λ by its sign change."""
    square = mpmathify(mu_squared)

    def slope(log_rate: mpf) -> mpf:
        rate = exp(log_rate)
        level = (rate * rate + 1) * square / 32 - log(mpmathify(beta))
        growth = rate * rate * square / 16 / sqrt(1 - exp(-2 * level))
        return 1 - growth / acosh(exp(level))

    middle = log(32 * (1 - log(mpmathify(beta))) / square) / 2
    return exp(findroot(slope, (middle - 25, middle + 3), solver="anderson", verify=False))


def exact_drift(*, mu_squared: Fraction, beta: Fraction) -> mpf:
    rate = best_rate(mu_squared=mu_squared, beta=beta)
    return sin(min(angle_at(rate, mu_squared=mu_squared, beta=beta), pi / 2))


@given(mu_squared=squares, beta=betas)
def test_it_is_the_smallest_bound_and_never_below_it(mu_squared: Fraction, beta: Fraction) -> None:
    claimed = gaussian_drift(GDP(mu_squared), beta=beta)
    with workdps(DIGITS):
        exact = exact_drift(mu_squared=mu_squared, beta=beta)

        # Angle and sine each leave through `up`, so two margins at most near 0. The chain may
        # use an eighth of one, and where the sine is flat the second must still be there.
        assert min(mpf(1), exact * (1 + 7 * mpf(MARGIN) / 8)) <= claimed
        assert claimed <= min(mpf(1), exact * (1 + 4 * mpf(MARGIN)))


@given(mu_squared=squares, beta=betas, log_rate=st.floats(-10, 20))
def test_no_rate_gives_less(mu_squared: Fraction, beta: Fraction, log_rate: float) -> None:
    # Needs no minimiser, so it also checks the oracle above.
    claimed = gaussian_drift(GDP(mu_squared), beta=beta)
    with workdps(DIGITS):
        angle = angle_at(exp(mpf(log_rate)), mu_squared=mu_squared, beta=beta)
        assert claimed <= sin(min(angle, pi / 2)) * (1 + 4 * mpf(MARGIN))


@given(mu_squared=squares, beta=betas, factor=st.fractions(Fraction(101, 100), 100))
def test_it_grows_with_the_loss_and_with_the_confidence(
    mu_squared: Fraction, beta: Fraction, factor: Fraction
) -> None:
    drift = gaussian_drift(GDP(mu_squared), beta=beta)
    more_loss = gaussian_drift(GDP(mu_squared * factor), beta=beta)
    more_confidence = gaussian_drift(GDP(mu_squared), beta=beta / factor)

    assert more_loss > drift or drift == 1
    assert more_confidence > drift or drift == 1
    assert 0 < drift <= more_loss <= 1
    assert more_confidence <= 1


@given(beta=st.fractions(Fraction(1, 10**12), Fraction(1, 10)))
def test_small_losses_drift_like_a_quarter_of_a_normal_tail(beta: Fraction) -> None:
    mu = 1e-5
    drift = gaussian_drift(GDP(Fraction(mu) ** 2), beta=beta)

    assert drift == pytest.approx(mu / 4 * root(2 * ln(2 / beta)), rel=0.02)


@pytest.mark.parametrize("mu_squared", [Fraction(100), Fraction(10**6), Fraction(10**40)])
def test_a_loss_that_hides_nothing_certifies_nothing(mu_squared: Fraction) -> None:
    assert gaussian_drift(GDP(mu_squared), beta=Fraction(1, 20)) == 1
    assert mean_gaussian_drift(GDP(mu_squared)) == 1


def test_a_loss_too_small_to_search_fails_closed() -> None:
    speck = GDP(Fraction(1, 10**400))

    assert gaussian_drift(speck, beta=Fraction(1, 20)) == 1
    assert mean_gaussian_drift(speck) == 1


@given(squares)
def test_the_mean_is_the_sure_event(mu_squared: Fraction) -> None:
    claimed = mean_gaussian_drift(GDP(mu_squared))
    with workdps(DIGITS):
        exact = exact_drift(mu_squared=mu_squared, beta=Fraction(1))

        assert exact <= claimed
        # The best λ grows like 1/√μ, and below μ = 10⁻³ it leaves the bracket of the search.
        slack = 4 * mpf(MARGIN) if mu_squared >= Fraction(1, 10**6) else mpf("1e-5")
        assert claimed <= min(mpf(1), exact * (1 + slack))


@given(mu_squared=squares.filter(lambda square: square >= Fraction(1, 10**12)), beta=betas)
def test_the_mean_is_about_a_quarter_of_mu_and_below_every_level(
    mu_squared: Fraction, beta: Fraction
) -> None:
    mean = mean_gaussian_drift(GDP(mu_squared))
    mu = root(mu_squared)

    # 0.1995 μ is what the correlation attack reaches on average; a bound below it would be wrong.
    assert mean > min(0.1995 * mu, 0.5)
    assert mean < 0.25 * mu * (1 + mu + 1e-5)
    assert mean <= gaussian_drift(GDP(mu_squared), beta=beta) * (1 + 1e-5)


@given(mu_squared=squares, factor=st.fractions(Fraction(101, 100), 100))
def test_the_mean_grows_with_the_loss(mu_squared: Fraction, factor: Fraction) -> None:
    less = mean_gaussian_drift(GDP(mu_squared))
    more = mean_gaussian_drift(GDP(mu_squared * factor))

    assume(less < 1)
    assert less < more <= 1


def test_the_mean_keeps_to_an_eighth_of_the_margin() -> None:
    with workdps(DIGITS):
        for i in range(100):
            mu_squared = Fraction(5 + i, 10**8)
            claimed = mean_gaussian_drift(GDP(mu_squared))
            exact = exact_drift(mu_squared=mu_squared, beta=Fraction(1))
            # The sine is straight here, so both uses of `up` show in full.
            assert claimed >= exact * (1 + 15 * mpf(MARGIN) / 8)


@pytest.mark.parametrize("beta", [Fraction(0), Fraction(1), Fraction(2), Fraction(-1), True])
def test_a_level_outside_the_open_unit_is_refused(beta: Fraction) -> None:
    with pytest.raises(InvalidInput, match=r"^beta must be"):
        gaussian_drift(GDP(Fraction(1)), beta=beta)


def test_nothing_spent_is_not_a_loss() -> None:
    with pytest.raises(InvalidInput, match=r"^mu_squared must be"):
        gaussian_drift(FREE, beta=Fraction(1, 20))
    with pytest.raises(InvalidInput, match=r"^mu_squared must be"):
        mean_gaussian_drift(FREE)


def test_a_level_below_the_floats_is_refused() -> None:
    with pytest.raises(InvalidInput):
        gaussian_drift(GDP(Fraction(1)), beta=Fraction(1, 10**330))


class TestTheInequality:
    """E cosh(λA) ≤ e^{(λ²+1)μ²/32} for one record, fair coin, seen through one noisy answer.

    X = {0, 1}, P = (½, ½), n = 1, q(x) = x, y = x + N(0, σ²), μ = 1/σ.
    """

    MUS = (0.05, 0.2, 0.5, 1.0, 2.0, 4.0)
    RATES = (0.25, 1.0, 2.0, 5.0, 10.0, 30.0)

    @staticmethod
    def left_side(mu: float, rate: float) -> float:
        """E cosh(λA) by the trapezoid rule, which is spectrally accurate on the whole line."""
        sigma = 1 / mu
        y = np.linspace(-12 * sigma, 1 + 12 * sigma, 40_001)
        likelihood = np.exp(-((y[:, None] - [0.0, 1.0]) ** 2) / (2 * sigma**2))
        likelihood /= sigma * np.sqrt(2 * np.pi)
        marginal = likelihood @ [0.5, 0.5]
        posterior = likelihood * 0.5 / marginal[:, None]
        overlap = np.sqrt(posterior * 0.5).sum(axis=1)
        angle = np.arccos(np.minimum(1, overlap))
        return float(np.trapezoid(np.cosh(rate * angle) * marginal, y))

    @staticmethod
    def right_side(mu: float, rate: float) -> float:
        return float(np.exp((rate**2 + 1) * mu**2 / 32))

    def test_it_holds_on_the_whole_grid(self) -> None:
        for mu in self.MUS:
            for rate in self.RATES:
                assert self.left_side(mu, rate) <= self.right_side(mu, rate)

    def test_half_the_loss_would_be_a_false_claim(self) -> None:
        violated = {
            (mu, rate)
            for mu in self.MUS
            for rate in self.RATES
            if self.left_side(mu, rate) > self.right_side(mu / 2, rate)
        }
        assert len(violated) > len(self.MUS) * len(self.RATES) / 2

    def test_the_constant_32_could_not_be_35(self) -> None:
        # For small μ both sides are 1 + λ²μ²/32 to first order, so the constant is tight.
        mu, rate = 0.05, 30.0
        assert self.left_side(mu, rate) > float(np.exp((rate**2 + 1) * mu**2 / 35))

    def test_the_angle_has_its_closed_form(self) -> None:
        # tan A = tanh(|log-odds|/4): an oracle for the quadrature itself, in the same law.
        mu, rate = 1.0, 5.0
        odds = np.linspace(-20, 20, 40_001)
        law = sum(
            np.exp(-((odds - sign * mu**2 / 2) ** 2) / (2 * mu**2)) / (mu * np.sqrt(8 * np.pi))
            for sign in (-1, 1)
        )
        closed = np.trapezoid(np.cosh(rate * np.arctan(np.tanh(odds / 4))) * law, odds)
        assert self.left_side(mu, rate) == pytest.approx(float(closed), rel=1e-6)
