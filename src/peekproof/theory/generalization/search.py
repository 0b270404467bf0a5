"""Numerical minimisation of a bound over its free parameters, and the bound of a route it gives.

A search only chooses where a theorem is evaluated. A poor choice makes a bound wider, never wrong.
`golden` and `descend` search over one parameter and over several. `each_within` solves advanced
composition for the ε of each answer. `Priced` is a route's bound with the parameters at which it
was evaluated.
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import exp, inf, isnan, log, sqrt
from typing import Generic, TypeVar, final

from peekproof.core.certificate import OneQuestion, Simultaneous

Point = tuple[float, ...]

_GOLDEN = (sqrt(5) - 1) / 2
_REACH = 30.0  # no parameter leaves its start by more than e³⁰: a vacuous bound may be flat


def golden(
    objective: Callable[[float], float], *, low: float, high: float, precision: float = 1e-4
) -> float:
    """The x in [low, high] near which `objective` is least, if it falls and then rises.

    The search is in ln x and stops at one part in 10⁴, where a smooth minimum is flat to 10⁻⁸.
    """
    a, b = 0.0, 1.0

    def at(share: float) -> float:
        return exp(log(low) + share * log(high / low))

    left, right = b - _GOLDEN * (b - a), a + _GOLDEN * (b - a)
    f_left, f_right = objective(at(left)), objective(at(right))
    while log(high / low) * (b - a) > precision:
        if f_left <= f_right:
            b, right, f_right = right, left, f_left
            left = b - _GOLDEN * (b - a)
            f_left = objective(at(left))
        else:
            a, left, f_left = left, right, f_right
            right = a + _GOLDEN * (b - a)
            f_right = objective(at(right))
    return at((a + b) / 2)


def descend(objective: Callable[[Point], float], *, start: Point, rounds: int = 400) -> Point:
    """Positive parameters near which `objective` is least: Nelder–Mead in their logarithms."""

    first = tuple(log(x) for x in start)

    def value(logs: Point) -> float:
        if max(abs(x - y) for x, y in zip(logs, first, strict=True)) > _REACH:
            return inf
        found = objective(tuple(exp(x) for x in logs))
        return inf if isnan(found) else found

    corners = [first] + [
        tuple(x + (i == j) for j, x in enumerate(first)) for i in range(len(first))
    ]
    simplex = sorted((value(corner), corner) for corner in corners)
    for _ in range(rounds):
        (best, _), (worst, last) = simplex[0], simplex[-1]
        if worst - best <= 1e-7 * abs(best):
            break
        rest = [corner for _, corner in simplex[:-1]]
        centre = tuple(sum(xs) / len(rest) for xs in zip(*rest, strict=True))

        def beyond(reach: float, centre: Point = centre, last: Point = last) -> tuple[float, Point]:
            point = tuple(c + reach * (c - x) for c, x in zip(centre, last, strict=True))
            return value(point), point

        moved = beyond(1.0)
        if moved[0] < best:
            moved = min(moved, beyond(2.0))
        elif moved[0] >= simplex[-2][0]:
            moved = min(moved, beyond(0.5), beyond(-0.5))
        if moved[0] < worst:
            simplex[-1] = moved
        else:
            kept = simplex[0][1]
            halves = [
                tuple((x + y) / 2 for x, y in zip(kept, corner, strict=True))
                for _, corner in simplex[1:]
            ]
            simplex = [simplex[0]] + [(value(corner), corner) for corner in halves]
        simplex.sort()
    return tuple(exp(x) for x in simplex[0][1])


def each_within(total: float, *, count: int, slack: float) -> float:
    """An ε whose `count` answers compose to at most `total`, before rounding.

    T-advanced-sharp is at most ε·s + kε²/2 with s = √(2k ln(1/δ′)), as tanh(ε/2) ≤ ε/2; this is the
    root of that. Callers evaluate the theorem again at what they use.
    """
    spread = sqrt(-2 * count * log(slack))
    return 2 * total / (spread + sqrt(spread * spread + 2 * count * total))


B = TypeVar("B", Simultaneous, OneQuestion)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Priced(Generic[B]):
    """What a route promises. No parameters: the route's theorem does not apply at all."""

    theorem: str
    bound: B
    parameters: tuple[tuple[str, Fraction], ...]
