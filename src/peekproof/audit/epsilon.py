"""How much an input shows in what is released, at least: bounds from below on a loss.

Two inputs that differ in one record are released many times each. An event that happens more often
on one of them than a loss allows refutes that loss. That none was found proves nothing.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar, final

from peekproof.audit.telling.claims import Claim, checked
from peekproof.audit.telling.events import Event, Telling, weighed
from peekproof.audit.telling.halves import drawn
from peekproof.audit.telling.learning import most_telling
from peekproof.core.charge import ApproxDP

R = TypeVar("R")


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class LossFloor:
    """What many draws on two neighbours prove of a loss.

    `epsilon` (at `delta`) and `mu` are bounds from below, and `exceeds` says that the claim is
    refuted; all of it together is wrong with probability at most `false_alarm`.
    """

    tellings: tuple[Telling, ...]
    delta: float
    false_alarm: float
    claim: Claim | None

    @property
    def epsilon(self) -> float:
        return max(each.epsilon(delta=self.delta) for each in self.tellings)

    @property
    def mu(self) -> float:
        return max(each.mu for each in self.tellings)

    @property
    def exceeds(self) -> bool:
        claim = self.claim
        return claim is not None and any(each.exceeds(claim) for each in self.tellings)

    def to_dict(self) -> dict[str, Any]:
        return {
            "epsilon": self.epsilon,
            "delta": self.delta,
            "mu": self.mu,
            "claim": None if self.claim is None else str(self.claim),
            "exceeds": self.exceeds,
            "false_alarm": self.false_alarm,
            "events": [each.to_dict() for each in self.tellings],
        }

    def __str__(self) -> str:
        at = f" at δ = {self.delta:g}" if self.delta else ""
        lines = [f"ε ≥ {self.epsilon:.3f}{at}, μ ≥ {self.mu:.3f}", *map(str, self.tellings)]
        if self.claim is not None:
            verdict = "refuted" if self.exceeds else "not refuted (which proves nothing)"
            lines.append(f"claimed {self.claim}: {verdict}")
        return "\n".join([*lines, f"wrong with probability at most {self.false_alarm:g}"])


def loss_floor(
    one: Callable[[], R],
    other: Callable[[], R],
    *,
    trials: int,
    false_alarm: float,
    delta: float = 0.0,
    claim: Claim | None = None,
    events: Mapping[str, Callable[[R], bool]] | None = None,
) -> LossFloor:
    """What `trials` releases on each of two neighbouring inputs prove of the loss.

    `one` and `other` release afresh, independently, on every call: a number, anything that can be
    counted, or a tuple, list or array of numbers. Half of the draws find the events that tell most:
    thresholds, sets of values, and `events` by name; the other half tests these.
    """
    if claim is not None:
        checked(claim)
    halves = drawn(one, other, trials=trials)
    claimed = float(claim.delta) if isinstance(claim, ApproxDP) else 0.0
    found = most_telling(
        halves.proposing,
        halves.picking,
        given=[Event(name=name, holds=holds) for name, holds in (events or {}).items()],
        false_alarm=false_alarm,
        delta=max(delta, claimed),
    )
    return LossFloor(
        tellings=weighed([each.event for each in found], *halves.testing, false_alarm=false_alarm),
        delta=delta,
        false_alarm=false_alarm,
        claim=claim,
    )
