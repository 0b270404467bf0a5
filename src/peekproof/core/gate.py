"""The one question a ledger asks before it charges: is this much admitted?"""

from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar, final

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
