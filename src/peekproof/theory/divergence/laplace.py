"""Divergences of Lap(0, b) and Lap(shift, b), in closed form."""

from dataclasses import dataclass
from fractions import Fraction
from math import fsum, inf, log1p
from typing import final

from peekproof.core.numerics import log_of
from peekproof.theory.divergence import exact
from peekproof.theory.divergence.exact import Number, as_float, exp_of, expm1_of

LARGEST = 1e300  # in place of an infinity that would meet a 0


def _excess(x: Fraction) -> float:
    """e^x − 1 − x, which is about x²/2, to full relative precision."""
    near = as_float(x)
    if abs(near) >= 0.5:
        return expm1_of(x) - near if near < inf else inf
    terms, term = [], near
    for k in range(2, 20):  # 0.5¹⁸/19! is below 2⁻⁵³ of the first term
        term *= near / k
        terms.append(term)
    return fsum(terms)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LaplacePair:
    """P = Lap(0, b) and Q = Lap(shift, b), b = `scale`; only ε₀ = |shift|/b matters.

    Reflection swaps P and Q, so D(P‖Q) = D(Q‖P) for each of them. Results have a relative error
    below 1e-13 while they are normal floats (`approximate_max_divergence`: absolute, times
    1 + ε₀), and are infinite beyond the largest one.
    """

    shift: Number
    scale: Number

    def __post_init__(self) -> None:
        exact.number(shift=self.shift)
        exact.positive(scale=self.scale)

    @property
    def epsilon(self) -> Fraction:
        """ε₀, the largest loss: the pair is ε₀-indistinguishable and no better."""
        return abs(Fraction(self.shift)) / Fraction(self.scale)

    def kl(self) -> float:
        """D(P‖Q) = ε₀ + e^{−ε₀} − 1."""
        return _excess(-self.epsilon)

    def renyi(self, *, order: Number) -> float:
        """D_a(P‖Q) = ln( a/(2a−1)·e^{(a−1)ε₀} + (a−1)/(2a−1)·e^{−aε₀} ) / (a − 1); D_1 is KL.

        With g(x) = e^x − 1 − x the linear parts cancel exactly: the logarithm is of
        1 + (a·g((a−1)ε₀) + (a−1)·g(−aε₀)) / (2a−1), a sum of positive terms.
        """
        a, eps = exact.order_of(order=order), self.epsilon
        if a == 1:
            return self.kl()
        if (a - 1) * eps > 1:
            share = float((a - 1) / (2 * a - 1))
            return as_float(eps) + log1p(share * expm1_of(-(2 * a - 1) * eps)) / as_float(a - 1)
        rising = float(a / (2 * a - 1)) * _excess((a - 1) * eps) / as_float(a - 1)
        falling = float(1 / (2 * a - 1)) * _excess(-a * eps)
        growth = as_float(a - 1) * (rising + falling)
        # ln(1 + y)/y is 1 to the last digit when y is so small that it may underflow.
        slope = log1p(growth) / growth if growth > 1e-100 else 1.0
        return (rising + falling) * slope

    def max_divergence(self) -> float:
        """D_∞(P‖Q) = ε₀."""
        return as_float(self.epsilon)

    def total_variation(self) -> float:
        """TV(P, Q) = 1 − e^{−ε₀/2}."""
        return -expm1_of(-self.epsilon / 2)

    def chi_square(self) -> float:
        """χ²(P‖Q) = (2e^{ε₀} + e^{−2ε₀})/3 − 1 = (2g(ε₀) + g(−2ε₀))/3, g(x) = e^x − 1 − x."""
        return (2 * _excess(self.epsilon) + _excess(-2 * self.epsilon)) / 3

    def bhattacharyya(self) -> float:
        """∫√(pq) = e^{−ε₀/2}·(1 + ε₀/2)."""
        half = self.epsilon / 2
        return exp_of(-half) * (1 + min(as_float(half), LARGEST))

    def hellinger_squared(self) -> float:
        """½∫(√p − √q)² = 1 − e^{−ε₀/2}·(1 + ε₀/2) = e^{−ε₀/2}·g(ε₀/2), g(x) = e^x − 1 − x."""
        half = self.epsilon / 2
        return exp_of(-half) * _excess(half) if half < 1 else 1 - self.bhattacharyya()

    def hockey_stick(self, *, epsilon: Number) -> float:
        """sup_E P(E) − e^ε Q(E), for every real ε.

        1 − e^{(ε−ε₀)/2} for |ε| ≤ ε₀;   0 above;   1 − e^ε below.
        """
        eps = exact.number(epsilon=epsilon)
        return -expm1_of(min((eps - self.epsilon) / 2, eps, Fraction(0)))

    def approximate_max_divergence(self, *, delta: Number) -> float:
        """D_∞^δ(P‖Q) = max(ε₀ + 2 ln(1 − δ), ln(1 − δ)), the smallest ε with hockey stick ≤ δ.

        Negative when δ exceeds the total variation.
        """
        kept = 1 - exact.unit(delta=delta)
        if kept == 0:
            return -inf
        return max(as_float(self.epsilon) + 2 * log_of(kept), log_of(kept))
