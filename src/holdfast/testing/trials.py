"""What only many draws can show of a mechanism: that its loss and its radius are as it says.

Both laws state how often they are wrong about a mechanism that keeps its word, and raise
`Violation` otherwise. A test declares its share with `holdfast.testing.statistics`.
"""

from collections.abc import Callable
from fractions import Fraction
from math import exp, sqrt
from statistics import NormalDist
from typing import TypeVar

from holdfast.core.errors import InvalidInput
from holdfast.core.loss import GDP, ZCDP, PureDP
from holdfast.mechanisms.protocol import Cost
from holdfast.noise.entropy import Seeded
from holdfast.testing.case import Case
from holdfast.testing.epsilon import chance
from holdfast.testing.statistics import excess_p_value
from holdfast.testing.violation import Violation, require
from holdfast.theory.conversion.zcdp_to_approx import zcdp_to_approx

S = TypeVar("S")
R = TypeVar("R")

Event = Callable[[tuple[R, ...]], bool]

# Where the curve of a zCDP cost is looked at; each point holds, so all may be.
DELTAS = tuple(Fraction(1, 2**power) for power in range(1, 16))


def loss_floor_stays_below_the_cost(
    case: Case[S, R], event: Event[R], *, trials: int, false_alarm: float, seed: int = 0
) -> None:
    """On every pair of neighbours the event and its complement are as likely as the cost allows.

    Wrong about a mechanism that keeps its word with probability at most `false_alarm`: all its
    probabilities lie between the ends of `chance` at once except with that. A mechanism that only
    counts draws claims no loss and is not accepted.
    """
    cost = case.mechanism.cost()
    if not isinstance(cost, PureDP | GDP | ZCDP):
        raise InvalidInput(
            argument="case", accepted="a mechanism whose cost bounds a loss", given=case.name
        )
    require(case.neighbours, f"the case of {case.name} has no neighbours")
    share = false_alarm / (2 * len(case.neighbours))
    rng = Seeded(seed)
    for number, pair in enumerate(case.neighbours):
        one, other = (
            chance(
                sum(event(case.transcript(each, rng=rng)) for _ in range(trials)),
                trials=trials,
                false_alarm=share,
            )
            for each in pair
        )
        for p, q in ((one, other), (other, one)):
            for likely, rare in ((p, q), (p.complement, q.complement)):
                excess = likely.low - most_likely(cost, rare.high)
                require(
                    excess <= 0,
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


def most_likely(cost: Cost, probability: float) -> float:
    """How likely an event can be on a neighbour if it has this probability, by the cost."""
    match cost:
        case PureDP(epsilon=epsilon):
            bound = exp(float(epsilon)) * probability
        case GDP(mu_squared=squared):
            bound = _shifted(probability, sqrt(squared))
        case ZCDP():
            bound = min(_on_line(cost, delta, probability) for delta in DELTAS)
        case _:
            raise Violation(f"{cost!r} bounds no loss")
    # The last digits of logarithms and quantiles are not to raise an alarm.
    return min(1.0, bound * (1 + 1e-9))


def _on_line(cost: ZCDP, delta: Fraction, probability: float) -> float:
    return exp(float(zcdp_to_approx(cost, delta=delta).epsilon)) * probability + float(delta)


def _shifted(probability: float, mu: float) -> float:
    """Φ(Φ⁻¹(probability) + μ): what the best test of two normals reaches."""
    if not 0 < probability < 1:
        return probability
    normal = NormalDist()
    return normal.cdf(normal.inv_cdf(probability) + mu)


def _worst(case: Case[S, R], conversation: tuple[S, ...], rng: Seeded) -> Fraction | float:
    released = case.transcript(conversation, rng=rng)
    return max(case.error(exact, out) for exact, out in zip(conversation, released, strict=False))
