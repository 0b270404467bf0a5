"""Accountants interpret a described conversation; each is a theorem, or a family of them."""

from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import ClassVar, Protocol, TypeVar

from peekproof.accounting.conversation import Conversation
from peekproof.accounting.event import Event
from peekproof.core.errors import InvalidInput

L = TypeVar("L", bound=Hashable)


class Accountant(Protocol):
    """Bounds the loss of a conversation whose parameters were fixed in advance.

    Not a filter: it has no `admit`, so no session can be gated by it.
    """

    NAME: ClassVar[str]
    THEOREMS: ClassVar[tuple[str, ...]]

    def covers(self, event: Event) -> bool:
        """Whether the theorem says anything about such an event."""
        ...

    def epsilon(self, conversation: Conversation, *, delta: Fraction) -> Fraction:
        """An ε that the conversation keeps at this δ."""
        ...

    def delta(self, conversation: Conversation, *, epsilon: Fraction) -> Fraction:
        """A δ that the conversation keeps at this ε; 1 where the theorem says nothing."""
        ...


def require_covered(conversation: Conversation, accountant: Accountant) -> None:
    """Refuse a conversation with an event that the accountant does not cover."""
    for event in conversation.counts:
        if not accountant.covers(event):
            raise _uncovered(event, accountant.NAME)


def read_all(
    conversation: Conversation, reading: Callable[[Event], L | None], *, accountant: str
) -> dict[L, int]:
    """All events as losses of one notion, equal ones together; refused if one has none."""
    losses: dict[L, int] = {}
    for event, count in conversation.counts.items():
        loss = reading(event)
        if loss is None:
            raise _uncovered(event, accountant)
        losses[loss] = losses.get(loss, 0) + count
    return losses


def _uncovered(event: Event, accountant: str) -> InvalidInput:
    return InvalidInput(
        argument="events",
        accepted=f"ones that the {accountant} accountant covers",
        given=type(event).__name__,
        hint="ask an accountant that covers it",
    )
