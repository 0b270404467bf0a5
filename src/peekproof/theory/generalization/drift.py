"""How far the conversation can pull the sample away from the population."""

from fractions import Fraction
from math import exp, expm1, inf, log, log1p, pi, sin, sqrt

from peekproof.core import check
from peekproof.core.loss import GDP
from peekproof.core.numerics import float_down, float_up, up
from peekproof.core.theorem import theorem


def _smallest_over_rates(*, mu_squared: float, log_inverse_beta: float) -> float:
    """min_λ arccosh(e^{(λ²+1)μ²/32} / β) / λ, to about 1e-9 in λ; every λ gives a valid bound."""

    def bound(log_rate: float) -> float:
        rate = exp(log_rate)
        logarithm = (rate * rate + 1) * mu_squared / 32 + log_inverse_beta
        # arccosh(e^L) = L + ln(1 + √(1 − e^{−2L})): neither overflows nor cancels.
        return (logarithm + log1p(sqrt(-expm1(-2 * logarithm)))) / rate

    # The minimum is near √(32 ln(2/β))/μ for β < 1 and near 3.1/√μ for the mean: bracket both.
    centre = log(32 * (log_inverse_beta + 1) / mu_squared) / 2
    low, high = centre - 5, centre + 2
    golden = (sqrt(5) - 1) / 2
    left, right = high - golden * (high - low), low + golden * (high - low)
    at_left, at_right = bound(left), bound(right)
    best = inf
    while high - low > 1e-9:
        best = min(best, at_left, at_right)
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - golden * (high - low)
            at_left = bound(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + golden * (high - low)
            at_right = bound(right)
    return best


@theorem("T-drift-angle", "peekproof", "The drift")
def gaussian_angle(loss: GDP, *, beta: Fraction) -> float:
    """A bound a* on the root mean square of the angles between prior and posterior of a record.

        E[√Y | event] ≤ a* = min_λ arccosh(e^{(λ²+1)μ²/32} / β) / λ,   Y = (1/n) Σ_i E[A_i² | π]

    for every event of probability at least β; in particular √Y ≤ a* except with probability β.
    The mean angle (1/n) Σ_i E[A_i|π] is at most √Y. Angles above π/2 say nothing.

    Proof. A_i is the angle arccos Σ_x √(posterior·prior) of record i given S_−i, and the
    supermartingale of docs/explanation/certificate.md gives E cosh(λA_i) ≤ e^{(λ²+1)μ²/32}. The
    series of cosh(λ√y) in y has no negative coefficient, so it is convex for y ≥ 0 and
    E cosh(λ√Y) has the same bound by Jensen. Given an event of probability p ≥ β,
    cosh(λ E[√Y|event]) ≤ E cosh(λ√Y)/p.

    Holds when: as for T-drift-gauss.
    Rounds: up. Every λ gives a valid bound.
    """
    check.probability(beta=beta)
    mu_squared = float_up(check.positive_fraction(mu_squared=loss.mu_squared))
    log_inverse_beta = -log(float_down(beta))
    return up(_smallest_over_rates(mu_squared=mu_squared, log_inverse_beta=log_inverse_beta))


@theorem("T-drift-gauss", "peekproof", "The drift")
def gaussian_drift(loss: GDP, *, beta: Fraction) -> float:
    """A bound on the drift D(π) of every question at once, asked or not.

        D(π) = (1/n) Σ_i E[TV(law(x_i | π, S_−i), P) | π] ≥ |q(Q_π) − q(P)| for all q: X → [0,1]
        E[D | event] ≤ sin(a*),   a* = min_λ arccosh(e^{(λ²+1)μ²/32} / β) / λ

    for every event of probability at least β that π decides; in particular D ≤ sin(a*) except
    with probability β. About (μ/4)·√(2 ln(2/β)).

    Proof. With A_i the angle arccos Σ_x √(posterior·prior) of record i given S_−i, and
    A = (1/n) Σ_i E[A_i|π]: TV ≤ sin A_i, and sin is concave on [0, π/2], so D ≤ sin A. The
    supermartingale of docs/explanation/certificate.md gives E cosh(λA) ≤ e^{(λ²+1)μ²/32}.
    Given an event of probability p ≥ β, cosh(λ E[A|event]) ≤ E cosh(λA)/p, so
    E[A|event] ≤ a*, and E[D|event] ≤ E[sin A|event] ≤ sin(E[A|event]).

    Holds when: answers are q_j(S) plus Gaussian noise σ_j (or a function of that), and
    Σ_j 1/(nσ_j)² ≤ μ² always; questions, σ_j and the stopping time may all adapt.
    Rounds: up. Every λ gives a valid bound.
    """
    return min(1.0, up(sin(min(gaussian_angle(loss, beta=beta), pi / 2))))


@theorem("T-drift-mean", "peekproof", "The drift on average")
def mean_gaussian_drift(loss: GDP) -> float:
    """A bound on E D(π), the drift that analysts reach on average; about μ/4.

        E D ≤ sin( min_λ arccosh(e^{(λ²+1)μ²/32}) / λ )

    It is T-drift-gauss for the sure event. It certifies no single answer; audits compare it
    with the average that an attack reaches.

    Holds when: as for T-drift-gauss.
    Rounds: up.
    """
    mu_squared = float_up(check.positive_fraction(mu_squared=loss.mu_squared))
    angle = _smallest_over_rates(mu_squared=mu_squared, log_inverse_beta=0.0)
    return min(1.0, up(sin(min(up(angle), pi / 2))))
