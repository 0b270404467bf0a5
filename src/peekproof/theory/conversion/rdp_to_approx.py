"""From Rényi losses of one or more orders to (ε, δ)."""

from collections.abc import Callable, Iterable
from fractions import Fraction
from math import inf

from peekproof.core import check
from peekproof.core.errors import InvalidInput
from peekproof.core.loss import RDP, ApproxDP
from peekproof.core.numerics import log_of
from peekproof.core.theorem import theorem
from peekproof.theory.conversion.outward import (
    amount_above,
    exp_up,
    failure,
    float_above,
    sum_up,
)
from peekproof.theory.divergence.exact import as_float

# Orders nearer to 1 or to infinity than this are passed over: floats cannot hold them.
_FINEST = Fraction(1, 10**100)


def _least(
    losses: Iterable[RDP], *, delta: Fraction, bound: Callable[[RDP, float], float]
) -> ApproxDP:
    log_delta = log_of(failure(delta=delta))
    epsilon = min((bound(loss, log_delta) for loss in losses), default=inf)
    if epsilon == inf:
        raise InvalidInput(
            argument="losses", accepted="at least one, of a usable order", given="none"
        )
    return ApproxDP(epsilon=amount_above(epsilon, argument="losses"), delta=delta)


def _sharp(loss: RDP, log_delta: float) -> float:
    if not _FINEST < loss.order - 1 < 1 / _FINEST:
        return inf
    eps, order, less = float_above(epsilon=loss.epsilon), loss.order, float(loss.order - 1)
    return sum_up(eps, log_of(1 - 1 / order), -log_delta / less, -log_of(order) / less)


def _plain(loss: RDP, log_delta: float) -> float:
    if not _FINEST < loss.order - 1 < 1 / _FINEST:
        return inf
    return sum_up(float_above(epsilon=loss.epsilon), -log_delta / float(loss.order - 1))


def _log_delta(loss: RDP, epsilon: Fraction) -> float:
    if not _FINEST < loss.order - 1 < 1 / _FINEST:
        return inf
    float_above(epsilon=max(epsilon, loss.epsilon))
    order, less = loss.order, loss.order - 1
    gap = as_float(less * (loss.epsilon - epsilon))
    return sum_up(gap, as_float(order) * log_of(less / order), -log_of(less))


@theorem("T-rdp-dp", "canonne-kamath-steinke-2020", "Proposition 12 (arXiv v4)")
def rdp_to_approx(losses: Iterable[RDP], *, delta: Fraction) -> ApproxDP:
    """The least ε at this δ that any of the Rényi losses of one mechanism gives.

        ε = min_a  ε_a + ln((a−1)/a) − (ln δ + ln a)/(a−1)

    Holds when: all losses are of the same mechanism; never above Mironov's bound.
    Rounds: up. Terms of both signs are added with a margin for each.
    """
    return _least(losses, delta=delta, bound=_sharp)


@theorem("T-rdp-dp-at", "canonne-kamath-steinke-2020", "Proposition 12 (arXiv v4), solved for δ")
def rdp_to_approx_at(losses: Iterable[RDP], *, epsilon: Fraction) -> ApproxDP:
    """The least δ at this ε that any of the Rényi losses of one mechanism gives.

        δ = min_a  exp((a−1)(ε_a − ε))·(1 − 1/a)^a / (a−1)

    Holds when: all losses are of the same mechanism.
    Rounds: up, and never below 1e-304.
    """
    check.amount(epsilon=epsilon)
    least = min((_log_delta(loss, epsilon) for loss in losses), default=inf)
    return ApproxDP(epsilon=epsilon, delta=Fraction(exp_up(least)))


@theorem("T-rdp-dp-mironov", "mironov-2017", "Proposition 3")
def rdp_to_approx_mironov(losses: Iterable[RDP], *, delta: Fraction) -> ApproxDP:
    """The ε at this δ by the first and best-known conversion, for comparison.

        ε = min_a  ε_a + ln(1/δ)/(a−1)

    Holds when: all losses are of the same mechanism.
    Rounds: up.
    """
    return _least(losses, delta=delta, bound=_plain)
