"""A conversation of (ε, δ) events by brute force."""

from fractions import Fraction

from mpmath import mpf

from peekproof.accounting.events import Approximate, Conversation, Event, Exponential, Laplace, Pure
from peekproof.core.charge import ApproxDP
from theory.composition.enumeration import exact_delta


def pair_of(event: Event) -> ApproxDP:
    match event:
        case Laplace(scale=scale, sensitivity=sensitivity):
            return ApproxDP(epsilon=sensitivity / scale, delta=Fraction(0))
        case Pure(epsilon=epsilon) | Exponential(epsilon=epsilon):
            return ApproxDP(epsilon=epsilon, delta=Fraction(0))
        case Approximate(epsilon=epsilon, delta=delta):
            return ApproxDP(epsilon=epsilon, delta=delta)
    raise TypeError(event)


def losses_of(conversation: Conversation) -> dict[ApproxDP, int]:
    losses: dict[ApproxDP, int] = {}
    for event, count in conversation.counts.items():
        losses[pair_of(event)] = losses.get(pair_of(event), 0) + count
    return losses


def exact(conversation: Conversation, epsilon: Fraction) -> mpf:
    """The δ of the worst mechanisms that the events allow, at 50 digits."""
    each = [loss for loss, count in losses_of(conversation).items() for _ in range(count)]
    return exact_delta(each, epsilon)
