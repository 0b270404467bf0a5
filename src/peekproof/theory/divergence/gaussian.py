"""Divergences of N(0, σ²) and N(shift, σ²), in closed form."""

from dataclasses import dataclass
from fractions import Fraction
from math import erf, inf, log1p, sqrt
from typing import final

from peekproof.theory.divergence import exact
from peekproof.theory.divergence.exact import Number, as_float, exp_of, expm1_of
from peekproof.theory.divergence.normal import density, mills, mills_difference, upper_tail


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class GaussianPair:
    """P = N(0, σ²) and Q = N(shift, σ²); every divergence depends on μ = |shift|/σ alone.

    Reflection swaps P and Q, so D(P‖Q) = D(Q‖P) for each of them. Results have a relative error
    below 1e-13 while they are normal floats, and are infinite beyond the largest one.
    """

    shift: Number
    sigma: Number

    def __post_init__(self) -> None:
        exact.number(shift=self.shift)
        exact.positive(sigma=self.sigma)

    @property
    def mu(self) -> Fraction:
        return abs(Fraction(self.shift)) / Fraction(self.sigma)

    def kl(self) -> float:
        """D(P‖Q) = μ²/2."""
        return as_float(self.mu**2 / 2)

    def renyi(self, *, order: Number) -> float:
        """D_a(P‖Q) = aμ²/2."""
        return as_float(exact.order_of(order=order) * self.mu**2 / 2)

    def max_divergence(self) -> float:
        """D_∞(P‖Q): infinite unless P = Q."""
        return inf if self.mu else 0.0

    def total_variation(self) -> float:
        """TV(P, Q) = 2Φ(μ/2) − 1 = erf(μ/√8)."""
        return erf(as_float(self.mu) / sqrt(8))

    def chi_square(self) -> float:
        """χ²(P‖Q) = e^{μ²} − 1."""
        return expm1_of(self.mu**2)

    def bhattacharyya(self) -> float:
        """∫√(pq) = e^{−μ²/8}."""
        return exp_of(-(self.mu**2) / 8)

    def hellinger_squared(self) -> float:
        """½∫(√p − √q)² = 1 − e^{−μ²/8}."""
        return -expm1_of(-(self.mu**2) / 8)

    def hockey_stick(self, *, epsilon: Number) -> float:
        """sup_E P(E) − e^ε Q(E), for every real ε.

            δ(ε) = Φ(−a) − e^ε Φ(−b),   a = ε/μ − μ/2,   b = ε/μ + μ/2

        As e^ε φ(b) = φ(a), this is φ(a)·(R(a) − R(b)) with R = (1 − Φ)/φ: the exponential never
        overflows, and what is left of the cancellation is integrated, not subtracted. For
        negative ε, δ(ε) = 1 − e^ε + e^ε δ(−ε).
        """
        eps, mu = exact.number(epsilon=epsilon), self.mu
        if eps < 0:
            return -expm1_of(eps) + exp_of(eps) * self.hockey_stick(epsilon=-eps)
        if mu == 0:
            return 0.0
        a = eps / mu - mu / 2
        if abs(a) > 40:  # below the smallest float, or within 1e-340 of 1
            return 0.0 if a > 0 else 1.0
        near, step = as_float(a), as_float(mu)
        if near < -0.5:  # then μ > 1, and at most half cancels
            return upper_tail(a) - density(a) * mills(as_float(a + mu))
        if step < 8:
            return density(a) * mills_difference(near, step=step)
        return density(a) * (mills(near) - mills(as_float(a + mu)))

    def approximate_max_divergence(self, *, delta: Number) -> float:
        """D_∞^δ(P‖Q), the smallest ε with `hockey_stick(epsilon=ε)` at most δ.

        Negative when δ exceeds the total variation, and at least ln(1 − δ). Found by bisection
        between neighbouring floats; the end that satisfies the inequality is returned.
        """
        target = exact.unit(delta=delta)
        if target == 1:
            return -inf
        if self.mu == 0:
            return log1p(-float(target))
        if target == 0 or self.kl() == inf:
            return inf
        low, step = log1p(-float(target)), 1.0
        while self.hockey_stick(epsilon=low + step) > target:
            low, step = low + step, 2 * step
        high = low + step
        while low < (middle := (low + high) / 2) < high:
            if self.hockey_stick(epsilon=middle) > target:
                low = middle
            else:
                high = middle
        return high
