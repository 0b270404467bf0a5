"""How likely a claimed loss lets an event be on a neighbouring input."""

from fractions import Fraction
from math import erfc, exp, sqrt
from statistics import NormalDist
from typing import TypeAlias

from peekproof.core.charge import GDP, TV, ZCDP, ApproxDP, PureDP
from peekproof.core.errors import InvalidInput
from peekproof.theory.conversion import zcdp_to_approx

Claim: TypeAlias = PureDP | ApproxDP | GDP | ZCDP | TV

# Where the curve of a zCDP claim is looked at; each point holds, so all may be.
DELTAS = tuple(Fraction(1, 2**power) for power in range(1, 16))

# Above this exp overflows, and nothing is excluded.
LARGEST = Fraction(700)


def checked(claim: object) -> Claim:
    """The claim, if it bounds a loss."""
    if not isinstance(claim, PureDP | ApproxDP | GDP | ZCDP | TV):
        raise InvalidInput(
            argument="claim",
            accepted="what bounds a loss: PureDP, ApproxDP, GDP, ZCDP or TV",
            given=repr(claim),
        )
    return claim


def most_likely(claim: object, probability: float) -> float:
    """How likely an event can be on a neighbour if it has at most this probability, by the claim.

    Rounds: up, so that the last digits of logarithms and quantiles raise no alarm.
    """
    match checked(claim):
        case PureDP(epsilon=epsilon):
            bound = _factor(epsilon) * probability
        case ApproxDP(epsilon=epsilon, delta=delta):
            bound = _factor(epsilon) * probability + float(delta)
        case GDP(mu_squared=squared):
            bound = _shifted(probability, sqrt(squared))
        case TV(distance=distance):
            bound = probability + float(distance)
        case zcdp:
            bound = min(_on_line(zcdp, delta, probability) for delta in DELTAS)
    return min(1.0, bound * (1 + 1e-9))


def _factor(epsilon: Fraction) -> float:
    return exp(float(min(epsilon, LARGEST)))


def _on_line(zcdp: ZCDP, delta: Fraction, probability: float) -> float:
    return _factor(zcdp_to_approx(zcdp, delta=delta).epsilon) * probability + float(delta)


def _shifted(probability: float, mu: float) -> float:
    """Φ(Φ⁻¹(probability) + μ): what the best test of two normals reaches."""
    if not 0 < probability < 1:
        return probability
    # By the tail: one that is found as 1 minus nearly 1 has no digits left.
    return erfc(-(NormalDist().inv_cdf(probability) + mu) / sqrt(2)) / 2
