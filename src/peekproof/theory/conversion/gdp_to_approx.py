"""From Gaussian differential privacy to (ε, δ): exact, in both directions."""

from fractions import Fraction
from math import erfc, exp, log, pi, sqrt

import numpy as np

from peekproof.core import check
from peekproof.core.loss import GDP, ApproxDP
from peekproof.core.numerics import MARGIN, float_down, float_up, log_of
from peekproof.core.theorem import theorem
from peekproof.theory.conversion.gaussian_guess import CLOSE, NEXT, delta_above, epsilon_near
from peekproof.theory.conversion.outward import (
    amount_above,
    exp_up,
    failure,
    float_above,
    least_holding,
)

# Trapezoid rule in u = ln t. The integrands are analytic for |Im u| < π/4, so the step 1/10
# leaves an error of e^−49; they fall like e^u on the left and like exp(−e^u) on the right.
_STEP = 0.1
_NODES = np.exp(np.arange(-38.0, 4.5, _STEP))
_LEAST_SQUARE = Fraction(1, 10**200)


def _mills(start: float) -> float:
    """∫₀^∞ e^{−bt − t²/2} dt = Φ̄(b)/φ(b) for b = `start` ≥ −1."""
    t = _NODES / max(1.0, start)
    return float(np.exp(-t * (start + t / 2)) @ t) * _STEP


def _mills_gap(start: float, mu: float) -> float:
    """∫₀^∞ e^{−at − t²/2}(1 − e^{−μt}) dt = Φ̄(a)/φ(a) − Φ̄(a+μ)/φ(a+μ) for a = `start` ≥ −1."""
    t = _NODES / max(1.0, start)
    return float(np.exp(-t * (start + t / 2)) @ (t * -np.expm1(-mu * t))) * _STEP


def _log_delta(mu_squared: Fraction, epsilon: Fraction) -> float:
    """ln δ(ε), to about 2e-13, for μ > 0.

    With a = ε/μ − μ/2 and b = a + μ, φ(a) = e^ε·φ(b), so δ = φ(a)·(Φ̄(a)/φ(a) − Φ̄(b)/φ(b)): an
    integral of positive terms. The difference of tails itself would cancel. Both ε − μ²/2 and
    a² are exact, for at μ = 1000 the rounding of their floats would exceed the margin.
    """
    mu, centred = sqrt(mu_squared), epsilon - mu_squared / 2
    a = float(centred) / mu
    if a > 40:
        return -800.0  # δ ≤ e^{−a²/2}, and nothing below 1e-304 is told apart
    half_square = centred * centred / (2 * mu_squared)
    if a >= -1:
        return log(_mills_gap(a, mu) / sqrt(2 * pi)) - float(half_square)
    # Here b > 1, and the second term is at most a fifth of the first.
    return log(erfc(a / sqrt(2)) / 2 - exp(-float(half_square)) * _mills(a + mu) / sqrt(2 * pi))


def _quick(mu_squared: Fraction, delta: Fraction) -> Fraction | None:
    """An ε that was tested, with one a little smaller that fails the test; or None."""
    square, least = float_up(mu_squared), float_down(delta)
    near = epsilon_near(sqrt(square), least)
    if delta_above(square, near * (1 - NEXT)) <= least:
        return None
    tried = (near * (1 + close) for close in CLOSE)
    return next((Fraction(x) for x in tried if delta_above(square, x) <= least), None)


@theorem("T-gdp-dp-at", "dong-roth-su-2022", "The (ε, δ) curve of μ-GDP")
def gdp_to_approx_at(loss: GDP, *, epsilon: Fraction) -> ApproxDP:
    """The δ at this ε, exactly that of the Gaussian mechanism.

        δ(ε) = Φ(−ε/μ + μ/2) − e^ε·Φ(−ε/μ − μ/2)

    Holds when: always; no smaller δ holds for every μ-GDP mechanism.
    Rounds: up, and never below 1e-304.
    """
    check.amount(epsilon=epsilon)
    float_above(epsilon=epsilon)
    float_above(mu_squared=loss.mu_squared)
    if not loss.mu_squared:
        return ApproxDP(epsilon=epsilon, delta=Fraction(0))
    logarithm = _log_delta(max(loss.mu_squared, _LEAST_SQUARE), epsilon)
    return ApproxDP(epsilon=epsilon, delta=Fraction(exp_up(logarithm)))


@theorem("T-gdp-dp", "dong-roth-su-2022", "The (ε, δ) curve of μ-GDP, solved for ε")
def gdp_to_approx(loss: GDP, *, delta: Fraction) -> ApproxDP:
    """The ε at this δ, exactly that of the Gaussian mechanism.

        ε = min{ε ≥ 0 : Φ(−ε/μ + μ/2) − e^ε·Φ(−ε/μ − μ/2) ≤ δ}

    Found by bisection between 0 and μ√(2 ln(1/δ)) + μ²/2, which T-zcdp-dp-closed allows.

    Holds when: always; no smaller ε holds for every μ-GDP mechanism.
    Rounds: up. The ε returned was tested against a bound from above on δ(ε).
    """
    log_delta = log_of(failure(delta=delta))
    float_above(mu_squared=loss.mu_squared)
    if not loss.mu_squared:
        return ApproxDP(epsilon=Fraction(0), delta=delta)
    square = max(loss.mu_squared, _LEAST_SQUARE)
    mu = sqrt(square)
    if (quick := _quick(square, delta)) is not None:
        return ApproxDP(epsilon=quick, delta=delta)
    epsilon = least_holding(
        lambda epsilon: _log_delta(square, Fraction(epsilon)) + MARGIN <= log_delta,
        high=(mu * sqrt(-2 * log_delta) + mu * mu / 2) * (1 + 1e-9),
        argument="mu_squared",
    )
    return ApproxDP(epsilon=amount_above(epsilon, argument="mu_squared"), delta=delta)
