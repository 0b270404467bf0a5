"""Notions of stability as frozen, exact values.

Each bounds how much the law of a mechanism's whole output can change when one record is
replaced. Amounts are Fractions: sums are exact, and the order of charges cannot matter.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import final

from peekproof.core import check


@final
@dataclass(frozen=True, slots=True, order=True)
class TV:
    """Total variation at most `distance`."""

    distance: Fraction

    def __post_init__(self) -> None:
        check.unit_fraction(distance=self.distance)


@final
@dataclass(frozen=True, slots=True, order=True)
class PureDP:
    """ε-differential privacy: every event's probability changes by at most a factor e^ε."""

    epsilon: Fraction

    def __post_init__(self) -> None:
        check.amount(epsilon=self.epsilon)

    def __add__(self, other: "PureDP") -> "PureDP":
        return PureDP(self.epsilon + other.epsilon)

    def __mul__(self, count: int) -> "PureDP":
        return self if count == 1 else PureDP(self.epsilon * count)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ApproxDP:
    """(ε, δ)-differential privacy: Pr[M(S) ∈ E] ≤ e^ε·Pr[M(S′) ∈ E] + δ for all events E."""

    epsilon: Fraction
    delta: Fraction

    def __post_init__(self) -> None:
        check.amount(epsilon=self.epsilon)
        check.unit_fraction(delta=self.delta)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class RDP:
    """Rényi differential privacy: the Rényi divergence of this order is at most ε."""

    order: Fraction
    epsilon: Fraction

    def __post_init__(self) -> None:
        check.above_one(order=self.order)
        check.amount(epsilon=self.epsilon)


@final
@dataclass(frozen=True, slots=True, order=True)
class ZCDP:
    """Zero-concentrated differential privacy: D_a ≤ ρ·a for every order a > 1."""

    rho: Fraction

    def __post_init__(self) -> None:
        check.amount(rho=self.rho)

    def __add__(self, other: "ZCDP") -> "ZCDP":
        return ZCDP(self.rho + other.rho)

    def __mul__(self, count: int) -> "ZCDP":
        return self if count == 1 else ZCDP(self.rho * count)


@final
@dataclass(frozen=True, slots=True, order=True)
class GDP:
    """Gaussian differential privacy, by the square of μ: as hard to tell apart as N(0,1), N(μ,1).

    A Δ-sensitive value behind Gaussian noise σ has μ² = (Δ/σ)². Squares add under adaptive
    composition.
    """

    mu_squared: Fraction

    def __post_init__(self) -> None:
        check.amount(mu_squared=self.mu_squared)

    def __add__(self, other: "GDP") -> "GDP":
        return GDP(self.mu_squared + other.mu_squared)

    def __mul__(self, count: int) -> "GDP":
        return self if count == 1 else GDP(self.mu_squared * count)


@final
@dataclass(frozen=True, slots=True, order=True)
class Draws:
    """How many answers were drawn: what a promise without noise counts."""

    count: Fraction

    def __post_init__(self) -> None:
        check.amount(count=self.count)

    def __add__(self, other: "Draws") -> "Draws":
        return Draws(self.count + other.count)

    def __mul__(self, count: int) -> "Draws":
        return self if count == 1 else Draws(self.count * count)


FREE = GDP(Fraction(0))
