"""The gate of a session: the filter of its kind of promise, behind the ledger's one question."""

from dataclasses import dataclass
from typing import cast, final

from peekproof.accounting.clock import ClockFilter
from peekproof.accounting.draws import DrawsFilter
from peekproof.accounting.pure import PureFilter
from peekproof.core.charge import GDP, Admitted, Charge, Draws, Gate, PureDP, Refused


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
        asked: Gate[Charge, Charge] = cast("Gate[Charge, Charge]", self.filter)
        if not type(cost) is type(spent) is type(self.filter.limit):
            raise TypeError("a charge of another unit than the promise")
        return asked.admit(cost, spent=spent)
