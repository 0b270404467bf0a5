"""Laws of every accountant, to run against your own.

    for law in LAWS:
        law(MyAccountant())

Each raises `Violation` with what it saw. They need no test runner.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from math import comb, erfc, exp, sqrt

from peekproof.accounting.accountants import Accountant
from peekproof.accounting.events import (
    Approximate,
    Concentrated,
    Conversation,
    DiscreteGaussian,
    DiscreteLaplace,
    Event,
    Exponential,
    Gaussian,
    Laplace,
    Neighbours,
    Pure,
    SampledGaussian,
)
from peekproof.core.errors import InvalidInput
from peekproof.testing.statistics import Violation, require

DELTA = Fraction(1, 10**6)

# Rounding and grids may make a bound larger by about this much, and then a comparison of two.
SLACK = Fraction(1, 1000)

EVENTS: tuple[Event, ...] = (
    Laplace(scale=Fraction(7), sensitivity=Fraction(2)),
    DiscreteLaplace(scale=Fraction(8)),
    Gaussian(sigma=Fraction(9)),
    DiscreteGaussian(sigma=Fraction(11), sensitivity=Fraction(2)),
    Exponential(epsilon=Fraction(1, 5)),
    Pure(epsilon=Fraction(3, 10)),
    Approximate(epsilon=Fraction(1, 4), delta=Fraction(1, 10**9)),
    Concentrated(rho=Fraction(1, 50)),
    SampledGaussian(sigma=Fraction(2), rate=Fraction(1, 20)),
)


def _covered(accountant: Accountant) -> list[Event]:
    covered = [event for event in EVENTS if accountant.covers(event)]
    require(covered, f"{accountant.NAME} covers no event at all")
    return covered


def many_at_once_is_one_at_a_time(accountant: Accountant) -> None:
    """A count is a repetition."""
    for event in _covered(accountant):
        one_by_one = Conversation.of(*[event] * 12)
        at_once = Conversation.of((event, 12))
        slow, fast = (accountant.epsilon(c, delta=DELTA) for c in (one_by_one, at_once))
        require(slow == fast, f"{accountant.NAME}: 12 × {event} is {fast}, one by one {slow}")


def order_does_not_matter(accountant: Accountant) -> None:
    """A conversation is a multiset."""
    events = [e for e in _covered(accountant) if e.neighbours is Neighbours.REPLACE_ONE]
    first, second = Conversation.of(*events), Conversation.of(*reversed(events))
    forth, back = (accountant.epsilon(c, delta=DELTA) for c in (first, second))
    require(abs(forth - back) <= SLACK * forth, f"{accountant.NAME}: {forth} or {back}")


def nothing_costs_nothing(accountant: Accountant) -> None:
    """A conversation without events has ε = 0."""
    epsilon = accountant.epsilon(Conversation.of(), delta=DELTA)
    require(epsilon < Fraction(1, 10**50), f"{accountant.NAME}: nothing costs {epsilon}")


def more_costs_more(accountant: Accountant) -> None:
    """Repeating a conversation raises its ε."""
    for event in _covered(accountant):
        costs = [
            accountant.epsilon(Conversation.of((event, count)), delta=DELTA)
            for count in (1, 4, 16, 64, 256)
        ]
        rises = all(less < more for less, more in pairwise(costs))
        require(rises, f"{accountant.NAME}: {event} costs {[float(cost) for cost in costs]}")


def a_larger_delta_buys_a_smaller_epsilon(accountant: Accountant) -> None:
    """ε never rises with δ."""
    for event in _covered(accountant):
        conversation = Conversation.of((event, 30))
        costs = [
            accountant.epsilon(conversation, delta=Fraction(1, 10**digits))
            for digits in (7, 6, 4, 2)
        ]
        falls = all(more >= less * (1 - SLACK) for more, less in pairwise(costs))
        require(falls, f"{accountant.NAME}: {event} costs {[float(cost) for cost in costs]}")


def there_and_back(accountant: Accountant) -> None:
    """The δ at the ε of a δ is not larger than that δ."""
    for event in _covered(accountant):
        conversation = Conversation.of((event, 25))
        epsilon = accountant.epsilon(conversation, delta=DELTA)
        delta = accountant.delta(conversation, epsilon=epsilon)
        require(delta <= DELTA * (1 + SLACK), f"{accountant.NAME}: {event} comes back as {delta}")


def never_below_what_is_reached(accountant: Accountant) -> None:
    """No δ is below that of a mechanism which the events describe exactly."""
    for event, exact in _REACHED:
        for count in (1, 5, 40):
            if not accountant.covers(event):
                continue
            for epsilon in (Fraction(0), Fraction(1, 10), Fraction(1)):
                claimed = accountant.delta(Conversation.of((event, count)), epsilon=epsilon)
                reached = exact(count, float(epsilon))
                require(
                    float(claimed) >= reached * (1 - 1e-9) - 1e-15,
                    f"{accountant.NAME}: {count} × {event} reaches δ = {reached} at ε = "
                    f"{epsilon}, and {float(claimed)} is claimed",
                )


def what_is_not_covered_is_refused(accountant: Accountant) -> None:
    """An event without a theorem is never free."""
    for event in EVENTS:
        if not accountant.covers(event):
            _refused(accountant, Conversation.of(event), DELTA, f"accepted {event}")


def absurd_levels_are_refused(accountant: Accountant) -> None:
    """A δ of 0 or less, of 1 or more, or that is no exact number, is refused."""
    conversation = Conversation.of((_covered(accountant)[0], 3))
    for delta in (Fraction(0), Fraction(-1, 10), Fraction(1), Fraction(3, 2), float("nan"), None):
        _refused(accountant, conversation, delta, f"accepted δ = {delta}")


def it_is_no_gate(accountant: Accountant) -> None:
    """A composition theorem cannot decide whether a session may go on."""
    require(not hasattr(accountant, "admit"), f"{accountant.NAME} has an `admit`")


LAWS: tuple[Callable[[Accountant], None], ...] = (
    many_at_once_is_one_at_a_time,
    order_does_not_matter,
    nothing_costs_nothing,
    more_costs_more,
    a_larger_delta_buys_a_smaller_epsilon,
    there_and_back,
    never_below_what_is_reached,
    what_is_not_covered_is_refused,
    absurd_levels_are_refused,
    it_is_no_gate,
)


def _refused(accountant: Accountant, conversation: Conversation, delta: object, fault: str) -> None:
    try:
        accountant.epsilon(conversation, delta=delta)  # type: ignore[arg-type]
    except InvalidInput:
        return
    raise Violation(f"{accountant.NAME} {fault}")


def _responses(epsilon: float) -> Callable[[int, float], float]:
    """The δ of randomised response repeated `count` times."""

    def reached(count: int, level: float) -> float:
        yes, no = 1 / (1 + exp(-epsilon)), exp(-epsilon) / (1 + exp(-epsilon))
        return sum(
            comb(count, lies)
            * max(
                0.0,
                yes ** (count - lies) * no**lies - exp(level) * yes**lies * no ** (count - lies),
            )
            for lies in range(count + 1)
        )

    return reached


def _normal(mu: float) -> Callable[[int, float], float]:
    """The δ of Gaussian noise repeated `count` times."""

    def reached(count: int, level: float) -> float:
        total = mu * sqrt(count)
        near, far = (level / total - total / 2) / sqrt(2), (level / total + total / 2) / sqrt(2)
        return max(0.0, (erfc(near) - exp(level) * erfc(far)) / 2)

    return reached


def _laplace(epsilon: float) -> Callable[[int, float], float]:
    """The δ of one Laplace answer, which more answers only raise."""
    return lambda count, level: max(0.0, 1 - exp((level - epsilon) / 2)) if count else 0.0


_REACHED: tuple[tuple[Event, Callable[[int, float], float]], ...] = (
    (Pure(epsilon=Fraction(3, 10)), _responses(0.3)),
    (DiscreteLaplace(scale=Fraction(5)), _responses(0.2)),
    (Approximate(epsilon=Fraction(3, 10), delta=Fraction(0)), _responses(0.3)),
    (Gaussian(sigma=Fraction(4)), _normal(0.25)),
    (Laplace(scale=Fraction(5)), _laplace(0.2)),
)
