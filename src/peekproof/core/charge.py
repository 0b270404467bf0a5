"""Privacy losses and charges: exact amounts that a ledger adds up, and the question of a budget.

Each notion of stability is a frozen value: total variation, and pure, approximate, Rényi,
zero-concentrated and Gaussian differential privacy. It bounds how much the law of a mechanism's
whole output can change when one record is replaced. Amounts are Fractions: sums are exact, and the
order of charges cannot matter.

A ledger charges in one unit, which is fixed when the ledger is opened: Gaussian loss, pure loss,
or a number of draws. Before each charge it asks a `Gate` one question: is this much admitted?
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from itertools import groupby
from operator import attrgetter
from types import MappingProxyType
from typing import Generic, Protocol, TypeVar, final

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


Charge = GDP | PureDP | Draws

UNITS: Mapping[str, type[GDP] | type[PureDP] | type[Draws]] = MappingProxyType(
    {"mu_squared": GDP, "epsilon": PureDP, "draws": Draws}
)


# Every charge passes here several times, and a table is faster than a match.
_AMOUNTS: Mapping[type[Charge], Callable[[Charge], Fraction]] = {
    GDP: attrgetter("mu_squared"),
    PureDP: attrgetter("epsilon"),
    Draws: attrgetter("count"),
}


def unit_of(charge: Charge) -> str:
    """The name of the unit, as ledgers record it."""
    return next(name for name, unit in UNITS.items() if isinstance(charge, unit))


def amount_of(charge: Charge) -> Fraction:
    """The number of units."""
    return _AMOUNTS[type(charge)](charge)


def added(first: Charge, second: Charge) -> Charge:
    """The sum of two charges of one unit; two units are a programming error."""
    if type(first) is not type(second):
        raise TypeError("charges of two units cannot be added")
    return type(first)(amount_of(first) + amount_of(second))


def used_part(spent: Charge, budget: Charge) -> float:
    """Which part of a budget is used, for people."""
    whole = amount_of(budget)
    return float(amount_of(spent) / whole) if whole else 0.0


def nothing(unit: str) -> Charge:
    """Zero of this unit."""
    return UNITS[unit](Fraction(0))


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
    return reduce(added, (offer.cost * count for offer, count in runs))


S = TypeVar("S")
C_contra = TypeVar("C_contra", contravariant=True)
S_inv = TypeVar("S_inv")


@final
@dataclass(frozen=True, slots=True)
class Admitted(Generic[S]):
    """The charge fits; `spent` is the total once it is made."""

    spent: S


@final
@dataclass(frozen=True, slots=True)
class Refused(Generic[S]):
    """The charge does not fit under `limit`; nothing changes."""

    limit: S


class Gate(Protocol[C_contra, S_inv]):
    """Decides adaptively, from what was spent, whether a further charge keeps the promise.

    Implementations are filters (theorems that survive adaptively chosen charges), never
    composition theorems for charges fixed in advance: those return a loss and have no `admit`.
    """

    def admit(self, cost: C_contra, *, spent: S_inv) -> Admitted[S_inv] | Refused[S_inv]: ...
