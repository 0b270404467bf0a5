"""Losses that simply add."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from peekproof.accounting.accountant import read_all
from peekproof.accounting.conversation import Conversation
from peekproof.accounting.event import Event
from peekproof.accounting.reading import as_approximate
from peekproof.core import check
from peekproof.core.charge import ApproxDP
from peekproof.core.errors import InvalidInput
from peekproof.theory.composition import basic
from peekproof.theory.conversion import failure


@final
@dataclass(frozen=True, slots=True)
class Basic:
    """Σε and Σδ."""

    NAME: ClassVar[str] = "basic"
    THEOREMS: ClassVar[tuple[str, ...]] = ("T-basic",)

    def covers(self, event: Event) -> bool:
        return as_approximate(event) is not None

    def epsilon(self, conversation: Conversation, *, delta: Fraction) -> Fraction:
        total = self._total(conversation)
        if failure(delta=delta) < total.delta:
            raise InvalidInput(
                argument="delta",
                accepted=f"at least {float(total.delta):g}, the sum over the events",
                given=f"{float(delta):g}",
            )
        return total.epsilon

    def delta(self, conversation: Conversation, *, epsilon: Fraction) -> Fraction:
        check.amount(epsilon=epsilon)
        total = self._total(conversation)
        return total.delta if epsilon >= total.epsilon else Fraction(1)

    def _total(self, conversation: Conversation) -> ApproxDP:
        return basic(read_all(conversation, as_approximate, accountant=self.NAME))
