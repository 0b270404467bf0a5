"""The contract of backends: what answers a session, from rows and a ledger here or at a gateway."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, final

from peekproof.core.certificate import Certificate
from peekproof.ledger.entry import Settled
from peekproof.ledger.ledger import Ledger
from peekproof.mechanisms.base import Ask, Past, Query, Reply
from peekproof.mechanisms.plan import Plan, Price
from peekproof.query.question import Question
from peekproof.query.schema import Schema
from peekproof.session.history import History


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Standing:
    """What was asked of the data by everybody, and what is left for whoever looks."""

    past: Past
    remaining: int
    remaining_for_all: int
    remaining_rounds: int | None
    used: float  # of the budget, as a part of the whole


class Backend(Protocol):
    """Rows and a ledger, wherever they are. Threads may share it."""

    @property
    def plan(self) -> Plan:
        """What is promised."""
        ...

    @property
    def schema(self) -> Schema:
        """The public columns and their kinds."""
        ...

    @property
    def analyst(self) -> str:
        """Who asks; "" if nobody says so."""
        ...

    @property
    def place(self) -> str:
        """Where the ledger is, in words."""
        ...

    @property
    def ledger(self) -> Ledger:
        """The ledger itself, where it is at hand; NotAllowed elsewhere."""
        ...

    def answer(self, asks: Sequence[Ask]) -> list[Reply]:
        """What the asks get: charged and recorded if they are new, free if they are not.

        All or nothing, but where guesses are checked, which are made one by one.
        """
        ...

    def known(self, what: Query) -> bool:
        """Whether this was answered before, and so is free."""
        ...

    def look(self) -> Standing:
        """What was asked and what is left now."""
        ...

    def last_look(self) -> Standing:
        """The same without looking again, for a repr: it never fails."""
        ...

    def new_draws(self, drawn: Sequence[Question]) -> int:
        """How many of these questions were not answered before."""
        ...

    def price_of(
        self,
        asked: Question,
        *,
        radius: float | None,
        loss: float | None,
        guess: float | None,
        tolerance: float | None,
        together: int,
    ) -> Price:
        """What a question of any form would cost now, and how far its interval would reach."""
        ...

    def price_of_choice(self, ask: Ask) -> Price:
        """What a choice would cost now, and how much better the best can be."""
        ...

    def check_quotients(self, asked: Sequence[Question], *, radius: float | None) -> None:
        """Refuse quotients that what is known of their groups leaves nothing of."""
        ...

    def check_function(self) -> None:
        """Refuse functions of all rows, where they cannot be run."""
        ...

    def history(self, analyst: str | None) -> History:
        """All answers so far, or those that this analyst was the first to get."""
        ...

    def certificate(self, settled: Settled) -> Certificate:
        """The certificate of an answer, as the ledger records it."""
        ...

    def as_analyst(self, name: str) -> "Backend":
        """The same, for what this analyst asks."""
        ...

    def close(self) -> None:
        """Let go of the ledger, or of the connections to the gateway."""
        ...
