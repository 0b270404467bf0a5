"""What an opponent says of itself: how private it is, and how far its answers are off."""

from dataclasses import dataclass
from typing import Protocol, final, runtime_checkable

from peekproof.audit.opponents.protocol import Opponent
from peekproof.audit.opponents.sessions import Asked
from peekproof.core.charge import GDP, PureDP
from peekproof.mechanisms.checking import Checking
from peekproof.mechanisms.open_ended import OpenEnded
from peekproof.planner.plan import Plan

# GDP is claimed for Gaussian noise, and for nothing else: it is the clock of T-drift-gauss.
Loss = GDP | PureDP


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """The loss of the whole conversation, and a radius that no interval exceeds, in shares.

    None where nothing of the kind is claimed.
    """

    loss: Loss | None = None
    radius: float | None = None


@runtime_checkable
class Promising(Protocol):
    """An opponent that says what it promises."""

    @property
    def promise(self) -> Promise: ...


def promise_of(opponent: Opponent) -> Promise:
    """What an opponent claims; who claims nothing cannot be caught lying."""
    match opponent:
        case Promising():
            return opponent.promise
        case Asked():
            return _planned(opponent.session.plan)
        case _:
            return Promise()


def _planned(plan: Plan) -> Promise:
    """A plan's budget is the loss of all its questions together, unless it counts draws."""
    loss = plan.budget
    # Where a radius grows with the failures or with the stage, the plan's is not the largest.
    grows = isinstance(plan.mechanism, Checking | OpenEnded)
    return Promise(
        loss=loss if isinstance(loss, GDP | PureDP) else None,
        radius=None if grows else plan.radius,
    )
