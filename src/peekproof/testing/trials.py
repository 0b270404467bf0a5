"""What only many draws can show of a mechanism: that its loss and its radius are as it says.

Both laws state how often they are wrong about a mechanism that keeps its word, and raise
`Violation` otherwise. A test declares its share with `peekproof.testing.statistics`.
"""

from collections.abc import Callable
from fractions import Fraction
from typing import TypeVar

from peekproof.audit.telling.claims import most_likely
from peekproof.audit.telling.events import Event, weighed
from peekproof.core.charge import GDP, ZCDP, PureDP
from peekproof.core.errors import InvalidInput
from peekproof.noise.entropy import Seeded
from peekproof.testing.case import Case
from peekproof.testing.statistics import excess_p_value
from peekproof.testing.violation import require

S = TypeVar("S")
R = TypeVar("R")


def loss_floor_stays_below_the_cost(
    case: Case[S, R],
    event: Callable[[tuple[R, ...]], bool],
    *,
    trials: int,
    false_alarm: float,
    seed: int = 0,
) -> None:
    """On every pair of neighbours the event and its complement are as likely as the cost allows.

    Wrong about a mechanism that keeps its word with probability at most `false_alarm`, for all
    pairs together. A mechanism that only counts draws claims no loss and is not accepted.
    """
    cost = case.mechanism.cost()
    if not isinstance(cost, PureDP | GDP | ZCDP):
        raise InvalidInput(
            argument="case", accepted="a mechanism whose cost bounds a loss", given=case.name
        )
    require(case.neighbours, f"the case of {case.name} has no neighbours")
    rng = Seeded(seed)
    for number, pair in enumerate(case.neighbours):
        one, other = ([case.transcript(each, rng=rng) for _ in range(trials)] for each in pair)
        (telling,) = weighed(
            [Event(name=case.name, holds=event)],
            one,
            other,
            false_alarm=false_alarm / len(case.neighbours),
        )
        for likely, rare in telling.directions:
            require(
                likely.low <= most_likely(cost, rare.high),
                f"{case.name}, pair {number}: an event of probability at most {rare.high:.4g} "
                f"has at least {likely.low:.4g} on the neighbour, which {cost} excludes",
            )


def release_errs_within_radius(
    case: Case[S, R], *, beta: Fraction, trials: int, false_alarm: float, seed: int = 0
) -> None:
    """In no typical conversation does a release err by more than the radius too often.

    Wrong about a mechanism that keeps its word with probability at most `false_alarm`.
    """
    radius, rng = case.mechanism.radius(beta=beta), Seeded(seed)
    for conversation in case.typical:
        beyond = sum(_worst(case, conversation, rng) > radius for _ in range(trials))
        p_value = excess_p_value(beyond, trials=trials, probability=float(beta))
        require(
            p_value > false_alarm / len(case.typical),
            f"{case.name} errs by more than {radius:.4g} in {beyond} of {trials} draws, "
            f"with β = {float(beta):.4g}",
        )


def _worst(case: Case[S, R], conversation: tuple[S, ...], rng: Seeded) -> Fraction | float:
    released = case.transcript(conversation, rng=rng)
    return max(case.error(exact, out) for exact, out in zip(conversation, released, strict=False))
