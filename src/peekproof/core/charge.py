"""What a ledger adds up: exact amounts of one unit, fixed when the ledger is opened."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import reduce
from itertools import groupby
from operator import attrgetter
from types import MappingProxyType
from typing import final

from peekproof.core.loss import GDP, Draws, PureDP

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
