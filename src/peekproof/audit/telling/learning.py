"""Finding the events that tell most: some draws propose them, others pick among them.

Whatever is found here is only a proposal. What it proves is shown by draws that had no part in it,
so a poor choice costs power and never makes a verdict wrong.
"""

from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf, log, sqrt
from statistics import NormalDist
from typing import Any, final

from peekproof.audit.telling.events import Event
from peekproof.audit.telling.statistics import Pair, Statistic, statistics
from peekproof.core import check

# A statistic is cut where these shares of the proposing draws lie below.
SHARES = (
    *(2.0**-power for power in range(12, 6, -1)),
    *(step / 64 for step in range(1, 64)),
    *(1 - 2.0**-power for power in range(7, 13)),
)

_NORMAL = NormalDist()


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """An event, with what it would prove of ε and of μ if the test went as the picking draws."""

    event: Event[Any]
    epsilon: float
    mu: float


def most_telling(
    proposing: Pair,
    picking: Pair,
    *,
    given: Sequence[Event[Any]] = (),
    false_alarm: float,
    delta: float = 0.0,
) -> tuple[Proposal, ...]:
    """The proposal that says most of ε, and the one that says most of μ if it is another."""
    check.probability(false_alarm=false_alarm)
    luck = 2 * log(2 / false_alarm) / len(picking[0])
    found = [
        (*_scores(shares, luck=luck, delta=delta), build)
        for build, shares in _proposed(proposing, picking, given)
    ]
    best = max(found, key=lambda each: each[0]), max(found, key=lambda each: each[1])
    return tuple(
        Proposal(event=build(), epsilon=epsilon, mu=mu)
        for epsilon, mu, build in ((best[0],) if best[0] is best[1] else best)
    )


def _proposed(
    proposing: Pair, picking: Pair, given: Sequence[Event[Any]]
) -> Iterator[tuple[Callable[[], Event[Any]], tuple[float, float]]]:
    """Events, each with the share of the picking draws of either side in which it happened."""
    for event in given:
        one, other = (event.count(side) / len(side) for side in picking)
        yield partial(_as_given, event), (one, other)
    for statistic in statistics(proposing):
        known = sorted(_numbers(statistic, proposing[0]) + _numbers(statistic, proposing[1]))
        sides = [sorted(_numbers(statistic, side)) for side in picking]
        for cut in {known[int(share * len(known))]: None for share in SHARES if known}:
            one, other = (
                (len(numbers) - bisect_left(numbers, cut)) / len(side)
                for numbers, side in zip(sides, picking, strict=True)
            )
            yield partial(_reaching, statistic, cut), (one, other)


def _as_given(event: Event[Any]) -> Event[Any]:
    return event


def _reaching(statistic: Statistic, cut: Any) -> Event[Any]:
    def holds(release: Any) -> bool:
        number = statistic.of(release)
        return number is not None and bool(number >= cut)

    return Event(name=statistic.reaching(cut), holds=holds)


def _numbers(statistic: Statistic, side: Sequence[Any]) -> list[Any]:
    return [number for each in side if (number := statistic.of(each)) is not None]


def _scores(shares: tuple[float, float], *, luck: float, delta: float) -> tuple[float, float]:
    """By the normal approximation of the ends, which is quick and need not be right."""
    epsilon = mu = -inf
    for one, other in (shares, shares[::-1]):
        for p, q in ((one, other), (1 - one, 1 - other)):
            low = p - sqrt(luck * p * (1 - p)) - luck / 2 * p
            high = q + sqrt(luck * q * (1 - q)) + luck / 2
            if low > delta:
                epsilon = max(epsilon, log((low - delta) / high))
            if low > 0 and high < 1:
                mu = max(mu, _NORMAL.inv_cdf(low) - _NORMAL.inv_cdf(high))
    return epsilon, mu
