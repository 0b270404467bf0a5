"""Privacy losses and charges: exact amounts, some of which ledgers add up.

Each notion of stability is a frozen value: total variation, and pure, approximate, Rényi,
zero-concentrated and Gaussian differential privacy. It bounds how much the law of a mechanism's
whole output can change when one record is replaced. Amounts are Fractions: sums are exact, and the
order of charges cannot matter.

A ledger charges in one unit, which is fixed when the ledger is opened: Gaussian loss, pure loss,
or a number of draws.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from itertools import groupby
from operator import add
from types import MappingProxyType
from typing import ClassVar, Self, final

from peekproof.core import check


class Charge:
    """So much of one unit: what an answer costs, or all that a ledger may spend.

    A ledger adds up in one unit, that of its budget; two units are never added.
    """

    __slots__ = ()

    unit: ClassVar[str]

    @property
    def amount(self) -> Fraction:
        """The number of units."""
        raise NotImplementedError

    def __add__(self, other: Self) -> Self:
        if type(self) is not type(other):
            raise TypeError(f"{self.unit} and {other.unit} cannot be added")
        return type(self)(self.amount + other.amount)  # type: ignore[call-arg]

    def __mul__(self, count: int) -> Self:
        return self if count == 1 else type(self)(self.amount * count)  # type: ignore[call-arg]


@final
@dataclass(frozen=True, slots=True, order=True)
class TV:
    """Total variation at most `distance`."""

    distance: Fraction

    def __post_init__(self) -> None:
        check.unit_fraction(distance=self.distance)


@final
@dataclass(frozen=True, slots=True, order=True)
class PureDP(Charge):
    """ε-differential privacy: every event's probability changes by at most a factor e^ε."""

    epsilon: Fraction

    unit: ClassVar[str] = "epsilon"

    def __post_init__(self) -> None:
        check.amount(epsilon=self.epsilon)

    @property
    def amount(self) -> Fraction:
        return self.epsilon


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
class GDP(Charge):
    """Gaussian differential privacy, by the square of μ: as hard to tell apart as N(0,1), N(μ,1).

    A Δ-sensitive value behind Gaussian noise σ has μ² = (Δ/σ)². Squares add under adaptive
    composition.
    """

    mu_squared: Fraction

    unit: ClassVar[str] = "mu_squared"

    def __post_init__(self) -> None:
        check.amount(mu_squared=self.mu_squared)

    @property
    def amount(self) -> Fraction:
        return self.mu_squared


@final
@dataclass(frozen=True, slots=True, order=True)
class Draws(Charge):
    """How many answers were drawn: what a promise without noise counts."""

    count: Fraction

    unit: ClassVar[str] = "draws"

    def __post_init__(self) -> None:
        check.amount(count=self.count)

    @property
    def amount(self) -> Fraction:
        return self.count


FREE = GDP(Fraction(0))


UNITS: Mapping[str, type[GDP] | type[PureDP] | type[Draws]] = MappingProxyType(
    {each.unit: each for each in (GDP, PureDP, Draws)}
)


def charge_in(unit: str, amount: Fraction = Fraction(0)) -> Charge:
    """So much of a unit, by the name that ledgers record it under."""
    return UNITS[unit](amount)


def used_part(spent: Charge, budget: Charge) -> float:
    """Which part of a budget is used, for people."""
    whole = budget.amount
    return float(spent.amount / whole) if whole else 0.0


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What one question costs, and how it is drawn if not as the session's plan says.

    `draws` is how many of the promised questions it counts as: an answer of many numbers has more
    chances to go wrong.
    """

    cost: Charge
    terms: Mapping[str, str] = field(default_factory=dict)
    draws: int = 1


def cost_of(offers: Sequence[Offer]) -> Charge:
    """What all offers cost together. Equal neighbours are added at once: a batch has thousands."""
    if len(offers) == 1:
        return offers[0].cost
    runs = [(offer, len(list(equal))) for offer, equal in groupby(offers)]
    return reduce(add, (offer.cost * count for offer, count in runs))
