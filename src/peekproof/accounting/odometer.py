"""Running bounds on what a conversation has cost, valid at all times at once."""

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log, log2, pi, sqrt
from typing import final

from peekproof.core import check
from peekproof.core.charge import ZCDP, ApproxDP
from peekproof.core.numerics import float_down, float_up, up
from peekproof.core.theorem import theorem


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Odometer:
    """Reads zCDP spent so far as a bound on the privacy loss, right at every moment together.

    `delta` is the chance that any reading ever is too small; `first` is the level at which the
    grid starts: readings below it are those of `first`.
    """

    delta: Fraction
    first: ZCDP

    def __post_init__(self) -> None:
        check.probability(delta=self.delta)
        check.positive_fraction(first=self.first.rho)

    @theorem("T-odometer", "peekproof", "The proof in its docstring")
    def read(self, spent: ZCDP) -> ApproxDP:
        """The running (ε, δ): with probability 1 − δ the loss never exceeds any reading.

            ε_t = ρ_i + 2√(ρ_i ln(1/δ_i)),   ρ_i = 2^i·ρ_0 the first level ≥ Σρ_j,
            δ_i = δ·6/(π²(i+1)²)

        Proof. Fix i and stop the conversation at the first t with R_t ≤ ρ_i and loss above ε_i.
        By T-filter-zcdp the stopped conversation is ρ_i-zCDP, and then its loss exceeds
        ρ_i + 2√(ρ_i ln(1/δ_i)) with probability at most δ_i (Markov for e^{(a−1)L} at the best
        a). Sum over i: Σ δ_i ≤ δ.

        Holds when: each charge is decided before its answer is drawn.
        Rounds: up.
        """
        ratio = spent.rho / self.first.rho
        level = 0 if ratio <= 1 else ceil(log2(ratio.numerator) - log2(ratio.denominator))
        while self.first.rho * 2**level < spent.rho:  # a logarithm rounded down
            level += 1
        rho = float_up(self.first.rho * 2**level)
        share = float_down(self.delta) * 6 / (pi * (level + 1)) ** 2 * (1 - 2.0**-40)
        epsilon = up(rho + 2 * sqrt(rho * -log(share)))
        return ApproxDP(epsilon=Fraction(epsilon), delta=self.delta)
