"""The Gaussian (ε, δ) curve in plain floats: where it meets a δ, nearly; and a bound from above."""

from math import erfc, exp, inf, log, pi, sqrt

_U = 2.0**-53
_ROOT = sqrt(2.0)
_DENSITY = 1 / sqrt(2 * pi)
_STEPS = 60

# How far a guess is moved to the safe side before it is tested, and how far to the other side it
# must fail: what passes is then within a part in 2³³ of the best.
CLOSE = (2.0**-40, 2.0**-36)
NEXT = 2.0**-34


def delta_above(mu_squared: float, epsilon: float) -> float:
    """A float above Φ(−ε/μ + μ/2) − e^ε·Φ(−ε/μ − μ/2), loose where the two terms cancel.

    Each argument errs by at most 6 units u = 2⁻⁵³ of s = ε/μ + μ/2, and a tail's relative change
    is at most that times its hazard, below |x| + 1; erfc and exp err by at most 8 units.
    """
    mu = sqrt(mu_squared)
    if not mu or epsilon > 700:
        return inf
    a, s = epsilon / mu - mu / 2, epsilon / mu + mu / 2
    if a > 36 or s > 1e6:  # tails end before 38, where floats do
        return inf
    first = erfc(a / _ROOT) / 2
    second = exp(epsilon) * erfc(s / _ROOT) / 2 if s < 37 else 0.0
    error = first * ((abs(a) + 1) * 6 * s + 10) + second * ((s + 1) * 6 * s + 14)
    return (first - second + 2 * _U * error) * (1 + 4 * _U)


def epsilon_near(mu: float, delta: float) -> float:
    """Nearly the ε > 0 with δ(ε) = δ, by Newton's method in ln δ; nothing may rest on it."""
    most = sqrt(-2 * log(delta))
    epsilon = mu * most + mu * mu / 2
    for _ in range(_STEPS):
        a, b = epsilon / mu - mu / 2, epsilon / mu + mu / 2
        if epsilon > 700 or b > 37:
            return epsilon
        lost = exp(epsilon) * erfc(b / _ROOT) / 2  # −∂δ/∂ε
        reached = erfc(a / _ROOT) / 2 - lost
        if reached <= 0 or lost <= 0:
            return epsilon
        change = log(reached / delta) * reached / lost
        epsilon = max(epsilon + change, epsilon / 4)
        if abs(change) <= 1e-14 * epsilon:
            break
    return epsilon


def mu_near(epsilon: float, delta: float) -> float:
    """Nearly the μ with δ(ε) = δ, by Newton's method in ln δ; nothing may rest on it."""
    most = sqrt(-2 * log(delta))
    mu = 2 * epsilon / (sqrt(most * most + 2 * epsilon) + most)
    for _ in range(_STEPS):
        a, b = epsilon / mu - mu / 2, epsilon / mu + mu / 2
        if epsilon > 700 or b > 37:
            return mu
        reached = erfc(a / _ROOT) / 2 - exp(epsilon) * erfc(b / _ROOT) / 2
        if reached <= 0:
            return mu
        change = log(delta / reached) * reached / (_DENSITY * exp(-a * a / 2))  # ∂δ/∂μ = φ(a)
        mu = min(max(mu + change, mu / 2), 2 * mu)
        if abs(change) <= 1e-14 * mu:
            break
    return mu
