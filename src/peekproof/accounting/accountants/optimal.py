"""The best that can be said from (ε, δ) alone."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from peekproof.accounting.accountant import read_all
from peekproof.accounting.conversation import Conversation
from peekproof.accounting.event import Event
from peekproof.accounting.grid import step_for
from peekproof.accounting.reading import as_approximate
from peekproof.core.charge import GDP, ApproxDP
from peekproof.theory.optimal_composition import (
    optimal,
    optimal_at,
    optimal_mixed,
    optimal_mixed_at,
    responses_of,
)


@final
@dataclass(frozen=True, slots=True)
class Optimal:
    """Kairouz–Oh–Viswanath for equal parameters, Murtagh–Vadhan on a fine grid for others."""

    NAME: ClassVar[str] = "optimal"
    THEOREMS: ClassVar[tuple[str, ...]] = ("T-optimal", "T-optimal-mixed")

    def covers(self, event: Event) -> bool:
        return as_approximate(event) is not None

    def epsilon(self, conversation: Conversation, *, delta: Fraction) -> Fraction:
        losses = self._losses(conversation)
        if len(losses) == 1:
            ((each, count),) = losses.items()
            return optimal(each, count=count, delta=delta).epsilon
        return optimal_mixed(losses, delta=delta, step=_step(losses)).epsilon

    def delta(self, conversation: Conversation, *, epsilon: Fraction) -> Fraction:
        losses = self._losses(conversation)
        if len(losses) == 1:
            ((each, count),) = losses.items()
            return optimal_at(each, count=count, epsilon=epsilon).delta
        return optimal_mixed_at(losses, epsilon=epsilon, step=_step(losses)).delta

    def _losses(self, conversation: Conversation) -> dict[ApproxDP, int]:
        return read_all(conversation, as_approximate, accountant=self.NAME)


def _step(losses: dict[ApproxDP, int]) -> Fraction:
    return step_for(responses=responses_of(losses), laplaces={}, gaussian=GDP(Fraction(0)))
