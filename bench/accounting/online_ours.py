"""Peekproof's filters and odometer after many charges.

What was spent is one exact number, so the state after n charges is written down, not walked to.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import count

from accounting.online import Jumping, Walking

from peekproof.accounting.filters import (
    Admitted,
    ApproxFilter,
    ApproxSpent,
    ClockFilter,
    Odometer,
    PureFilter,
    ZCDPFilter,
)
from peekproof.core.charge import GDP, ZCDP, ApproxDP, PureDP

EPSILON = Fraction(1, 100)
RHO = ZCDP(Fraction(1, 20_000))
DELTA = Fraction(1, 10**6)
PLENTY = Fraction(10**9)


def zcdp() -> Jumping:
    gate = ZCDPFilter(ZCDP(PLENTY))
    return Jumping(lambda n: partial(gate.admit, RHO, spent=RHO * n))


def pure() -> Jumping:
    gate, cost = PureFilter(PureDP(PLENTY)), PureDP(EPSILON)
    return Jumping(lambda n: partial(gate.admit, cost, spent=cost * n))


def approximate() -> Jumping:
    gate = ApproxFilter(limit=ApproxDP(epsilon=PLENTY, delta=Fraction(1, 2)), slack=DELTA)
    cost = ApproxDP(epsilon=EPSILON, delta=Fraction(1, 10**9))

    def after(n: int) -> Callable[[], object]:
        spent = ApproxSpent(squares=EPSILON**2 * n, delta=cost.delta * n)
        return lambda: gate.admit(cost, spent=spent)

    return Jumping(after)


def clock() -> Jumping:
    gate, cost = ClockFilter(GDP(PLENTY)), GDP(Fraction(1, 10_000))
    return Jumping(lambda n: partial(gate.admit, cost, spent=cost * n))


def odometer() -> Jumping:
    meter = Odometer(delta=DELTA, first=RHO)

    def after(n: int) -> Callable[[], object]:
        spent = RHO * n
        return lambda: meter.read(spent + RHO)

    return Jumping(after)


def zcdp_of_hundred_kinds() -> Jumping:
    """Charges 1/20,001, 1/20,002, …, 1/20,100 in turn: sums with a large denominator."""
    gate = ZCDPFilter(ZCDP(PLENTY))
    costs = [ZCDP(Fraction(1, 20_000 + i)) for i in range(1, 101)]
    cycle = ZCDP(sum((cost.rho for cost in costs), Fraction(0)))
    return Jumping(lambda n: partial(gate.admit, costs[0], spent=cycle * (n // 100)))


def zcdp_always_new() -> Walking:
    """Charges 1/20,001, 1/20,002, … without end: the worst that exact sums can meet."""

    def start() -> Callable[[], object]:
        gate, sizes, spent = ZCDPFilter(ZCDP(PLENTY)), count(20_001), ZCDP(Fraction(0))

        def charge() -> None:
            nonlocal spent
            admitted = gate.admit(ZCDP(Fraction(1, next(sizes))), spent=spent)
            if isinstance(admitted, Admitted):
                spent = admitted.spent

        return charge

    return Walking(start)


CONTENDERS: dict[str, Callable[[], Jumping | Walking]] = {
    "Peekproof zCDP filter": zcdp,
    "Peekproof pure filter": pure,
    "Peekproof approximate filter": approximate,
    "Peekproof clock filter": clock,
    "Peekproof odometer, charge and reading": odometer,
    "Peekproof zCDP filter, 100 denominators": zcdp_of_hundred_kinds,
    "Peekproof zCDP filter, a new denominator every time": zcdp_always_new,
}
