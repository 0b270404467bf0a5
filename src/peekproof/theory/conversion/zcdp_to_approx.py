"""From zero-concentrated differential privacy to (ε, δ), and back to the δ of a given ε."""

from collections.abc import Callable
from fractions import Fraction
from math import exp, log, log1p, sqrt

from peekproof.core import check
from peekproof.core.loss import ZCDP, ApproxDP
from peekproof.core.numerics import log_of, up
from peekproof.core.theorem import theorem
from peekproof.theory.conversion.outward import (
    amount_above,
    exp_up,
    failure,
    float_above,
    sum_up,
)


def _turning_point(slope: Callable[[float], float], *, low: float, high: float) -> float:
    """Where a slope in x = a − 1 turns positive, by bisection in ln x between the ends.

    Every order gives a valid bound, so a bracket that misses makes the bound larger, not wrong.
    """
    left, right = log(low), log(high)
    for _ in range(60):
        middle = (left + right) / 2
        left, right = (left, middle) if slope(exp(middle)) > 0 else (middle, right)
    return exp((left + right) / 2)


def _furthest(*, rho: float, epsilon: float) -> float:
    """An a − 1 beyond the best: there (2x+1)ρ exceeds ε + 1/x."""
    return epsilon / rho + 1 / sqrt(rho) + 1


@theorem("T-zcdp-dp-closed", "bun-steinke-2016", "Proposition 1.3")
def zcdp_to_approx_closed(loss: ZCDP, *, delta: Fraction) -> ApproxDP:
    """The ε at this δ in closed form, for comparison.

        ε = ρ + 2√(ρ ln(1/δ))

    Holds when: always.
    Rounds: up.
    """
    rho, log_inverse = float_above(rho=loss.rho), -log_of(failure(delta=delta))
    epsilon = up(rho + 2 * sqrt(rho * log_inverse)) if rho else 0.0
    return ApproxDP(epsilon=amount_above(epsilon, argument="rho"), delta=delta)


@theorem("T-zcdp-dp", "canonne-kamath-steinke-2020", "Corollary 13 (arXiv v4)")
def zcdp_to_approx(loss: ZCDP, *, delta: Fraction) -> ApproxDP:
    """The least ε at this δ over all Rényi orders.

        ε = inf_{a>1}  aρ + ln((a−1)/a) − (ln δ + ln a)/(a−1)

    The bound is quasi-convex in a: where it is at most ε is where the convex exponent of
    T-zcdp-dp-at is at most ln δ. Its slope has the sign of (2a−1)ρ − bound(a) + ln((a−1)/a).

    Holds when: always; never above the closed form.
    Rounds: up. Every order gives a valid bound, so the search cannot make it too small.
    """
    rho, log_delta = float_above(rho=loss.rho), log_of(failure(delta=delta))
    if not rho:
        return ApproxDP(epsilon=Fraction(0), delta=delta)

    def terms(x: float) -> tuple[float, float, float, float]:
        return (1 + x) * rho, -log1p(1 / x), -log_delta / x, -log1p(x) / x

    def slope(x: float) -> float:
        return (2 * x + 1) * rho - log1p(1 / x) - sum(terms(x))

    closed = rho + 2 * sqrt(-rho * log_delta)
    best = _turning_point(slope, low=1e-30, high=_furthest(rho=rho, epsilon=closed))
    epsilon = min(sum_up(*terms(best)), up(closed))
    return ApproxDP(epsilon=amount_above(epsilon, argument="rho"), delta=delta)


@theorem("T-zcdp-dp-at", "canonne-kamath-steinke-2020", "Corollary 13 (arXiv v4)")
def zcdp_to_approx_at(loss: ZCDP, *, epsilon: Fraction) -> ApproxDP:
    """The least δ at this ε over all Rényi orders.

        δ = inf_{a>1}  exp((a−1)(aρ − ε))·(1 − 1/a)^a / (a−1)

    The exponent is convex in a, with slope (2a−1)ρ − ε + ln(1 − 1/a).

    Holds when: always.
    Rounds: up, and never below 1e-304. Every order gives a valid bound.
    """
    check.amount(epsilon=epsilon)
    rho, eps = float_above(rho=loss.rho), float_above(epsilon=epsilon)
    if not rho:
        return ApproxDP(epsilon=epsilon, delta=Fraction(0))

    def slope(x: float) -> float:
        return (2 * x + 1) * rho - eps - log1p(1 / x)

    x = _turning_point(slope, low=1e-30, high=_furthest(rho=rho, epsilon=eps))
    # aρ − ε from the exact amounts, so that it is the only place where ε enters and is not raised.
    gap = float((1 + Fraction(x)) * Fraction(rho) - epsilon)
    exponent = sum_up(x * gap, -(1 + x) * log1p(1 / x), -log(x))
    return ApproxDP(epsilon=epsilon, delta=Fraction(exp_up(exponent)))
