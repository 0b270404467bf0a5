"""Laws of losses for any function that releases something: no more is lost than is claimed.

Each raises `Violation` with the report if the claim is refuted, which is wrong with probability at
most its false alarm, and gives the report otherwise. A claim that is not refuted is not proved.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TypeVar

from peekproof.audit.epsilon import LossFloor, loss_floor
from peekproof.audit.one_run import OneRun, Run, audit_one_run
from peekproof.audit.telling.claims import Claim
from peekproof.core.charge import ApproxDP, PureDP
from peekproof.noise.entropy import Entropy
from peekproof.testing.violation import require

R = TypeVar("R")


def loss_stays_within(
    claim: Claim,
    one: Callable[[], R],
    other: Callable[[], R],
    *,
    trials: int,
    false_alarm: float,
    events: Mapping[str, Callable[[R], bool]] | None = None,
) -> LossFloor:
    """Releases on two neighbouring inputs are as alike as the claim says, by all that was found."""
    found = loss_floor(
        one,
        other,
        trials=trials,
        false_alarm=false_alarm,
        delta=float(_delta(claim)),
        claim=claim,
        events=events,
    )
    require(not found.exceeds, str(found))
    return found


def one_run_stays_within(
    claim: PureDP | ApproxDP,
    run: Run,
    *,
    records: int,
    guesses: int,
    false_alarm: float,
    rng: Entropy,
) -> OneRun:
    """One run on many records, each one of two by a coin, does not tell too many of the coins."""
    found = audit_one_run(
        run,
        records=records,
        guesses=guesses,
        false_alarm=false_alarm,
        rng=rng,
        delta=_delta(claim),
        claim=claim,
    )
    require(not found.exceeds, str(found))
    return found


def _delta(claim: Claim) -> Fraction:
    """At which δ a bound on ε is comparable with the claim."""
    return claim.delta if isinstance(claim, ApproxDP) else Fraction(0)
