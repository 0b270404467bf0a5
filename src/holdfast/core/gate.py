"""The one question a ledger asks before it charges: is this much admitted?"""

from dataclasses import dataclass
from typing import Protocol, final

from holdfast.core.loss import GaussianLoss


@final
@dataclass(frozen=True, slots=True)
class Admitted:
    """The charge fits; `spent` is the total once it is made."""

    spent: GaussianLoss


@final
@dataclass(frozen=True, slots=True)
class Refused:
    """The charge does not fit under `limit`; nothing changes."""

    limit: GaussianLoss


class Gate(Protocol):
    """Decides adaptively, from what was spent, whether a further charge keeps the promise.

    Implementations are filters (theorems that survive adaptively chosen charges), never
    composition theorems for charges fixed in advance.
    """

    def admit(self, cost: GaussianLoss, *, spent: GaussianLoss) -> Admitted | Refused: ...
