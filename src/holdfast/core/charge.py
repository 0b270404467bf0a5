"""What a ledger adds up: exact amounts of one unit, fixed when the ledger is opened."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from types import MappingProxyType
from typing import final

from holdfast.core.loss import GDP, Draws

Charge = GDP | Draws

UNITS: Mapping[str, type[GDP] | type[Draws]] = MappingProxyType({"mu_squared": GDP, "draws": Draws})


def unit_of(charge: Charge) -> str:
    """The name of the unit, as ledgers record it."""
    return "mu_squared" if isinstance(charge, GDP) else "draws"


def amount_of(charge: Charge) -> Fraction:
    """The number of units."""
    return charge.mu_squared if isinstance(charge, GDP) else charge.count


def added(first: Charge, second: Charge) -> Charge:
    """The sum of two charges of one unit; two units are a programming error."""
    if isinstance(first, GDP) and isinstance(second, GDP):
        return first + second
    if isinstance(first, Draws) and isinstance(second, Draws):
        return first + second
    raise TypeError("charges of two units cannot be added")


def nothing(unit: str) -> Charge:
    """Zero of this unit."""
    return UNITS[unit](Fraction(0))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What one draw costs, and how it is made if not as the session's plan says."""

    cost: Charge
    terms: Mapping[str, str] = field(default_factory=dict)
