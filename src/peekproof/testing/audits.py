"""Audits as assertions: loss, coverage, digits, timing and side channels, for your own functions.

The laws of losses are for any function that releases something: no more is lost than is claimed.
The law of digits is for any function that releases numbers: they tell no more than is claimed.
Whatever reads secrets must tell them by nothing but its answers, neither by its side channels nor
by how long it takes. Whatever answers with intervals must have all intervals of a conversation
hold as often as promised.

Each law raises `Violation` with the report if the claim is refuted, and gives the report
otherwise. Where a law has a false alarm, it is wrong with probability at most that. A claim that
is not refuted is not proved.
"""

from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction
from typing import Any, TypeVar

from peekproof.audit.analysts.protocol import Player
from peekproof.audit.channels import Calls, ChannelReport, compare_channels
from peekproof.audit.coverage import Coverage, coverage
from peekproof.audit.distinguisher import Claim
from peekproof.audit.losses import LossFloor, OneRun, Run, audit_one_run, loss_floor
from peekproof.audit.opponents.protocol import Setup
from peekproof.audit.precision import Precision, precision
from peekproof.audit.timing import Call, Timing, timing
from peekproof.core import check
from peekproof.core.charge import ApproxDP, PureDP
from peekproof.noise.entropy import Entropy
from peekproof.testing.statistics import require

D = TypeVar("D")


def channels_do_not_tell(run: Callable[[D], Calls], one: D, other: D) -> ChannelReport:
    """Errors, logs, warnings and what is printed are the same for two neighbouring data sets."""
    found = compare_channels(run, one, other)
    require(found.calls, "no call was made: nothing was audited")
    require(not found.tells, str(found))
    return found


R = TypeVar("R")


def digits_do_not_tell(
    claim: Claim,
    one: Callable[[], R],
    other: Callable[[], R],
    *,
    trials: int,
    false_alarm: float,
    outputs: Callable[[Any], bool] | None = None,
    features: Mapping[str, Callable[[Any], Hashable]] | None = None,
) -> Precision:
    """Neither what digits look like nor where releases lie tells neighbouring inputs apart.

    Raises `Violation` with the report otherwise; about digits that keep the claim it is wrong with
    probability at most `false_alarm`, about releases outside of `outputs` never.
    """
    found = precision(
        one,
        other,
        claim=claim,
        trials=trials,
        false_alarm=false_alarm,
        outputs=outputs,
        features=features,
    )
    require(not found.tells, str(found))
    return found


def durations_do_not_tell(
    one: Call,
    other: Call,
    *,
    pairs: int = 40,
    factor: float = 1.5,
    repeats: int = 3,
    false_alarm: float = 1e-9,
    seed: int = 0,
) -> Timing:
    """Of two calls, none takes longer by more than the factor, again and again.

    Wrong about calls that take equally long with probability at most `false_alarm`.
    """
    found = timing(
        one,
        other,
        pairs=pairs,
        factor=factor,
        repeats=repeats,
        false_alarm=false_alarm,
        seed=seed,
    )
    require(not found.tells, str(found))
    return found


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


def intervals_cover(
    setup: Setup,
    analyst: Player,
    *,
    runs: int = 100,
    confidence: float | Fraction = Fraction(19, 20),
    false_alarm: float = 1e-9,
    seed: int = 0,
    workers: int = 1,
    radius: float | None = None,
) -> Coverage:
    """In no more runs than promised does any interval miss the population.

    Wrong about a setup that keeps its word with probability at most `false_alarm`. Refusing every
    run is no way to pass, and with a `radius` neither are intervals that reach further.
    """
    if radius is not None:
        check.positive_float(radius=radius)
    found = coverage(
        setup,
        analyst,
        runs=runs,
        confidence=confidence,
        false_alarm=false_alarm,
        seed=seed,
        workers=workers,
    )
    require(found.intervals, f"{setup.name} answered nothing in {runs} runs: nothing was audited")
    require(found.keeps_its_promise, str(found))
    require(
        radius is None or found.largest_radius <= radius,
        f"intervals of {setup.name} reach {found.largest_radius:.4g} far, more than {radius}",
    )
    return found
