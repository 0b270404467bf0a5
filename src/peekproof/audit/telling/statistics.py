"""Numbers by which releases on two inputs may be told apart, proposed by draws of both."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from math import fsum, log, sqrt
from numbers import Real
from typing import Any, TypeAlias, final

Feature: TypeAlias = Callable[[Any], Any]

Pair: TypeAlias = tuple[Sequence[Any], Sequence[Any]]

# Numbers are put into so many ranges, and are clearly apart beyond so many standard deviations.
RANGES, CLEAR = 8, 3


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Statistic:
    """A number made of a release, None if it has none, and how to say that it reaches a cut."""

    of: Feature
    reaching: Callable[[Any], str]


def statistics(draws: Pair) -> Iterator[Statistic]:
    """How telling the value was; a number itself, each of several, and all together."""
    yield _rank(draws)
    yield Statistic(of=_number, reaching=lambda cut: f"release ≥ {cut}")
    width = max(len(each) if isinstance(each, tuple) else 0 for side in draws for each in side)
    for place in range(width):
        yield _placed(place)
    if width > 1:
        yield _together(draws, width)


def frozen(release: Any) -> Hashable:
    """A release as it can be counted: arrays and lists become tuples."""
    if hasattr(release, "tolist"):
        release = release.tolist()
    if isinstance(release, list | tuple):
        return tuple(frozen(part) for part in release)
    kept: Hashable = release
    return kept


def _rank(draws: Pair) -> Statistic:
    """The place of a value among all, by how much likelier it seems on the first input.

    Values that were not seen come in the middle, where nothing was seen to tell.
    """
    one, other = Counter(draws[0]), Counter(draws[1])
    lead = {v: (one[v] - other[v]) / (one[v] + other[v] + 2) for v in one | other}

    def reaching(cut: Any) -> str:
        reach = sorted((v for v in lead if lead[v] >= cut), key=lambda v: -lead[v])
        shown = ", ".join(map(str, reach[:3])) + (", …" if len(reach) > 3 else "")
        return f"release is {shown}" if len(reach) == 1 else f"release is among {shown}"

    return Statistic(of=lambda release: lead.get(release, 0.0), reaching=reaching)


def _number(release: Any) -> Any:
    """The release if it is a number that has a place among others, which NaN has not."""
    return release if isinstance(release, Real) and release == release else None  # noqa: PLR0124


def _placed(place: int) -> Statistic:
    def of(release: Any) -> Any:
        inside = isinstance(release, tuple) and place < len(release)
        return _number(release[place]) if inside else None

    return Statistic(of=of, reaching=lambda cut: f"number {place} of the release ≥ {cut}")


def _together(draws: Pair, width: int) -> Statistic:
    """The sum over all numbers of the log of how much likelier each is on the first input.

    That is the best there is if they are independent. Ranges in which a number was not clearly
    likelier on one side say nothing, so that many numbers that do not tell drown none that does.
    """
    scores = [_scored(_placed(place), draws) for place in range(width)]
    return Statistic(
        of=lambda release: fsum(score(release) for score in scores),
        reaching=lambda cut: f"all numbers of the release together ≥ {cut:.4g}",
    )


def _scored(number: Statistic, draws: Pair) -> Callable[[Any], float]:
    one, other = ([x for each in side if (x := number.of(each)) is not None] for side in draws)
    pooled = sorted(one + other)
    edges = sorted({pooled[len(pooled) * step // RANGES] for step in range(1, RANGES) if pooled})
    counts = [Counter(bisect_right(edges, each) for each in side) for side in (one, other)]
    pairs = [(counts[0][place], counts[1][place]) for place in range(len(edges) + 1)]
    told = [log((a + 1) / (b + 1)) if abs(a - b) > CLEAR * sqrt(a + b) else 0.0 for a, b in pairs]

    def score(release: Any) -> float:
        found = number.of(release)
        return 0.0 if found is None else told[bisect_right(edges, found)]

    return score
