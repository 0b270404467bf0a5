"""The gate of a session: the filter of its kind of promise, behind the ledger's one question."""

from dataclasses import dataclass
from typing import final

from holdfast.accounting.clock import ClockFilter
from holdfast.accounting.draws import DrawsFilter
from holdfast.core.charge import Charge
from holdfast.core.gate import Admitted, Refused
from holdfast.core.loss import GDP, Draws


@final
@dataclass(frozen=True, slots=True)
class SessionGate:
    """Asks the one filter it holds; charges of another unit are a programming error."""

    filter: ClockFilter | DrawsFilter

    @classmethod
    def within(cls, limit: Charge) -> "SessionGate":
        """The gate that keeps charges within `limit`."""
        return cls(ClockFilter(limit) if isinstance(limit, GDP) else DrawsFilter(limit))

    def admit(self, cost: Charge, *, spent: Charge) -> Admitted[Charge] | Refused[Charge]:
        """What the filter says about the charge."""
        limit: Charge
        total: Charge
        match self.filter, cost, spent:
            case ClockFilter(), GDP(), GDP():
                verdict = self.filter.admit(cost, spent=spent)
                if isinstance(verdict, Admitted):
                    total = verdict.spent
                    return Admitted(total)
                limit = verdict.limit
                return Refused(limit)
            case DrawsFilter(), Draws(), Draws():
                counted = self.filter.admit(cost, spent=spent)
                if isinstance(counted, Admitted):
                    total = counted.spent
                    return Admitted(total)
                limit = counted.limit
                return Refused(limit)
            case _:
                raise TypeError("a charge of another unit than the promise")
