"""The gate of a session: the filter of its kind of promise, behind the ledger's one question."""

from dataclasses import dataclass
from typing import final

from holdfast.accounting.clock import ClockFilter
from holdfast.accounting.draws import DrawsFilter
from holdfast.accounting.pure import PureFilter
from holdfast.core.charge import Charge
from holdfast.core.gate import Admitted, Refused
from holdfast.core.loss import GDP, Draws, PureDP


@final
@dataclass(frozen=True, slots=True)
class SessionGate:
    """Asks the one filter it holds; charges of another unit are a programming error."""

    filter: ClockFilter | PureFilter | DrawsFilter

    @classmethod
    def within(cls, limit: Charge) -> "SessionGate":
        """The gate that keeps charges within `limit`."""
        match limit:
            case GDP():
                return cls(ClockFilter(limit))
            case PureDP():
                return cls(PureFilter(limit))
            case Draws():
                return cls(DrawsFilter(limit))

    def admit(self, cost: Charge, *, spent: Charge) -> Admitted[Charge] | Refused[Charge]:
        """What the filter says about the charge."""
        match self.filter, cost, spent:
            case ClockFilter(), GDP(), GDP():
                return _widened(self.filter.admit(cost, spent=spent))
            case PureFilter(), PureDP(), PureDP():
                return _widened(self.filter.admit(cost, spent=spent))
            case DrawsFilter(), Draws(), Draws():
                return _widened(self.filter.admit(cost, spent=spent))
            case _:
                raise TypeError("a charge of another unit than the promise")


def _widened(
    verdict: (
        Admitted[GDP]
        | Refused[GDP]
        | Admitted[PureDP]
        | Refused[PureDP]
        | Admitted[Draws]
        | Refused[Draws]
    ),
) -> Admitted[Charge] | Refused[Charge]:
    """The same verdict, about a charge of whichever unit."""
    amount: Charge = verdict.spent if isinstance(verdict, Admitted) else verdict.limit
    return Admitted(amount) if isinstance(verdict, Admitted) else Refused(amount)
