"""Lower bounds on a privacy loss, by many releases on two inputs or by one run on many records.

`loss_floor` draws many releases on each of two inputs that differ in one record. An event that
happens more often on one of them than a loss allows refutes that loss. That none was found proves
nothing.

`audit_one_run` makes each record one of two by a fair coin; the mechanism runs once on all of
them, and its output is used to guess coins. More right guesses than a loss allows refute it: see
`theory.one_run`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Protocol, TypeVar, final

from peekproof.audit.distinguisher import (
    Claim,
    Event,
    Telling,
    checked,
    drawn,
    most_telling,
    weighed,
)
from peekproof.core import check
from peekproof.core.charge import ApproxDP, PureDP
from peekproof.core.errors import InvalidInput
from peekproof.noise.entropy import Entropy
from peekproof.theory.one_run import LARGEST, any_guesses, fixed_guesses

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


HALVINGS = 50

# From coins to scores (a sequence or an array), one for each: the larger, the rather is it heads.
Run = Callable[[tuple[int, ...]], Any]


class Bound(Protocol):
    """A p-value of so many right guesses: `any_guesses`, or `fixed_guesses`."""

    def __call__(self, *, right: int, guesses: int, records: int, loss: ApproxDP) -> float: ...


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class OneRun:
    """What the guesses of one run prove of a loss.

    `epsilon` (at `delta`) is a bound from below, and `exceeds` refutes the claim: either is wrong
    with probability at most `false_alarm`. `p_value` is that of the claim.
    """

    records: int
    guesses: int
    right: int
    epsilon: float
    delta: Fraction
    false_alarm: float
    claim: PureDP | ApproxDP | None = None
    p_value: float | None = None

    @property
    def exceeds(self) -> bool:
        return self.p_value is not None and self.p_value <= self.false_alarm

    def to_dict(self) -> dict[str, Any]:
        return {
            "records": self.records,
            "guesses": self.guesses,
            "right": self.right,
            "epsilon": self.epsilon,
            "delta": float(self.delta),
            "claim": None if self.claim is None else str(self.claim),
            "p_value": self.p_value,
            "exceeds": self.exceeds,
            "false_alarm": self.false_alarm,
        }

    def __str__(self) -> str:
        at = f" at δ = {float(self.delta):g}" if self.delta else ""
        lines = [
            f"ε ≥ {self.epsilon:.3f}{at}",
            f"{self.right} of {self.guesses} guesses are right, of {self.records} records",
        ]
        if self.p_value is not None:
            verdict = "refuted" if self.exceeds else "not refuted (which proves nothing)"
            lines.append(f"claimed {self.claim}: {verdict}, p ≤ {self.p_value:.3g}")
        return "\n".join([*lines, f"wrong with probability at most {self.false_alarm:g}"])


def one_run_floor(
    *,
    right: int,
    guesses: int,
    records: int,
    false_alarm: float,
    delta: Fraction = Fraction(0),
    claim: PureDP | ApproxDP | None = None,
    bound: Bound = any_guesses,
) -> OneRun:
    """The report on one run in which so many of the guesses were right.

    The floor is above the ε of a mechanism with probability at most `false_alarm`, though it is
    looked for among many and p-values need not rise with ε. Proof. The derivative of the p-value of
    `any_guesses` is q(1 − q)·(v·C(r, v)·q^{v−1}(1 − q)^{r−v} − mδ): it falls, rises, and can fall
    again only to its limit 1. So with 0 all ε up to the floor are rejected, the true one as well.
    For `fixed_guesses` r is fixed; the results at which some ε′ is rejected that the mechanism
    keeps are a number v of right guesses or more of them, and one such ε′ is rejected at v.
    """
    check.unit_fraction(delta=delta)
    check.probability(false_alarm=false_alarm)

    def p_value(loss: ApproxDP) -> float:
        return bound(right=right, guesses=guesses, records=records, loss=loss)

    def rejected(epsilon: float) -> bool:
        return p_value(ApproxDP(epsilon=Fraction(epsilon), delta=delta)) <= false_alarm

    low, high = 0.0, LARGEST
    if rejected(low):
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if rejected(middle) else (low, middle)
    return OneRun(
        records=records,
        guesses=guesses,
        right=right,
        epsilon=low,
        delta=delta,
        false_alarm=false_alarm,
        claim=claim,
        p_value=None if claim is None else p_value(_approximate(claim)),
    )


def audit_one_run(
    run: Run,
    *,
    records: int,
    guesses: int,
    false_alarm: float,
    rng: Entropy,
    delta: Fraction = Fraction(0),
    claim: PureDP | ApproxDP | None = None,
) -> OneRun:
    """The report on one run that is made here, with the coins that `rng` draws.

    `run` gets a coin, 0 or 1, for every record, runs the mechanism once, and gives a score for each
    record from the output alone. Half of the guesses say heads where scores are largest, half say
    tails where they are smallest; nothing is guessed of the middle. Where scores are equal the
    earlier record comes first, so that ties say nothing of coins.
    """
    if not 2 <= guesses <= check.positive_integer(records=records) or guesses % 2:
        raise InvalidInput(
            argument="guesses", accepted=f"an even number from 2 to {records}", given=repr(guesses)
        )
    if claim is not None:
        _approximate(claim)  # before the one run is used up
    coins = tuple(rng.bits(1) for _ in range(records))
    scores = run(coins)
    if len(scores) != records:
        raise InvalidInput(
            argument="run", accepted=f"{records} scores, one for each coin", given=str(len(scores))
        )
    if any(score != score for score in scores):  # noqa: PLR0124 NaN has no place in an order
        raise InvalidInput(argument="run", accepted="scores that are numbers", given="NaN")
    order = sorted(range(records), key=lambda place: scores[place])
    tails, heads = order[: guesses // 2], order[-guesses // 2 :]
    right = sum(coins[place] == 0 for place in tails) + sum(coins[place] == 1 for place in heads)
    return one_run_floor(
        right=right,
        guesses=guesses,
        records=records,
        false_alarm=false_alarm,
        delta=delta,
        claim=claim,
        bound=fixed_guesses,
    )


def in_two_cells(release: Callable[[tuple[int, ...]], Any], *, others: int = 0) -> Run:
    """A run of a mechanism that releases counts of many cells, two of them for each record.

    Heads puts record i into cell 2i and tails into cell 2i + 1; `others` further rows, known to
    all, are in each of the cells, so that noise is not cut off at 0. The score is by how much the
    first of its cells is ahead.
    """

    def run(coins: tuple[int, ...]) -> list[Any]:
        counts = tuple(others + each for coin in coins for each in (coin, 1 - coin))
        released = release(counts)
        return [a - b for a, b in zip(released[::2], released[1::2], strict=True)]

    return run


def _approximate(claim: PureDP | ApproxDP) -> ApproxDP:
    if isinstance(claim, ApproxDP):
        return claim
    if not isinstance(claim, PureDP):
        raise InvalidInput(
            argument="claim",
            accepted="PureDP, or ApproxDP (others by peekproof.theory.conversion)",
            given=repr(claim),
        )
    return ApproxDP(epsilon=claim.epsilon, delta=Fraction(0))
