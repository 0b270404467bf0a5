"""All accountants, and the tightest of them for a conversation."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from importlib.util import find_spec
from typing import final

from peekproof.accounting.accountants import (
    Accountant,
    Advanced,
    Basic,
    GaussianExact,
    Numerical,
    Optimal,
    Renyi,
    Zcdp,
)
from peekproof.accounting.events import Conversation
from peekproof.accounting.library import Moments, Pld
from peekproof.core.errors import InvalidInput

PROVEN: tuple[Accountant, ...] = (
    Basic(),
    Advanced(),
    Optimal(),
    Zcdp(),
    Renyi(),
    GaussianExact(),
    Numerical(),
)
BRIDGES: tuple[Accountant, ...] = (Moments(), Pld())


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What one accountant says about a conversation."""

    accountant: Accountant
    epsilon: Fraction


def available() -> tuple[Accountant, ...]:
    """Every accountant that can run here: the bridges need dp-accounting."""
    return (*PROVEN, *BRIDGES) if find_spec("dp_accounting") else PROVEN


def covering(
    conversation: Conversation, *, among: Iterable[Accountant] | None = None
) -> tuple[Accountant, ...]:
    """The accountants, of all that are available, that cover every event of the conversation."""
    return tuple(
        accountant
        for accountant in (available() if among is None else among)
        if all(accountant.covers(event) for event in conversation.counts)
    )


def compare(
    conversation: Conversation, *, delta: Fraction, among: Iterable[Accountant] | None = None
) -> tuple[Row, ...]:
    """What every accountant says that covers the conversation, the smallest ε first.

    One that cannot reach this δ is left out.
    """
    rows = []
    for accountant in covering(conversation, among=among):
        try:
            rows.append(
                Row(accountant=accountant, epsilon=accountant.epsilon(conversation, delta=delta))
            )
        except InvalidInput:
            continue
    return tuple(sorted(rows, key=lambda row: row.epsilon))


def tightest(conversation: Conversation, *, delta: Fraction) -> Row:
    """The smallest ε that any available accountant gives at this δ, and which one does.

    Pass the conversation to `compare` with `among=PROVEN` to leave the bridges out.
    """
    rows = compare(conversation, delta=delta)
    if not rows:
        raise covered_by_none(conversation)
    return rows[0]


def covered_by_none(conversation: Conversation) -> InvalidInput:
    """The refusal of a conversation that no available accountant bounds at the level asked for."""
    kinds = ", ".join(sorted({type(event).__name__ for event in conversation.counts}))
    return InvalidInput(
        argument="events",
        accepted="covered together by some accountant, at this level",
        given=kinds or "none",
        hint="noise on Poisson samples needs dp-accounting (pip install 'peekproof[pld]')",
    )
