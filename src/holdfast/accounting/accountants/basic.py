"""Losses that simply add."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from holdfast.accounting.accountant import read_all
from holdfast.accounting.conversation import Conversation
from holdfast.accounting.event import Event
from holdfast.accounting.reading import as_approximate
from holdfast.core import check
from holdfast.core.errors import InvalidInput
from holdfast.core.loss import ApproxDP
from holdfast.theory.composition.basic import basic
from holdfast.theory.conversion.outward import failure


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
