"""Events that tell two neighbouring inputs apart, and what their counts prove."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log
from statistics import NormalDist
from typing import Any, Generic, TypeVar, final

from peekproof.audit.evidence import Chance, chance
from peekproof.audit.telling.claims import Claim, most_likely

R = TypeVar("R")

_NORMAL = NormalDist()


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Event(Generic[R]):
    """Something that a release may do, by the name under which a report shows it."""

    name: str
    holds: Callable[[R], bool]

    def count(self, releases: Sequence[R]) -> int:
        """In how many it happened; whatever is true counts once."""
        return sum(bool(self.holds(each)) for each in releases)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Telling:
    """How often an event happened on two inputs, and between which ends its probabilities lie.

    The event and its complement are looked at in both directions: the ends are there anyway.
    """

    event: str
    trials: int
    hits: tuple[int, int]
    one: Chance
    other: Chance

    @property
    def directions(self) -> tuple[tuple[Chance, Chance], ...]:
        """Likely on one input, rare on its neighbour."""
        ways = ((self.one, self.other), (self.other, self.one))
        return (*ways, *((likely.complement, rare.complement) for likely, rare in ways))

    def epsilon(self, *, delta: float = 0.0) -> float:
        """The least ε with which (ε, δ) allows these probabilities; 0 if they tell nothing."""
        return max(
            0.0, *(_ratio(likely.low - delta, rare.high) for likely, rare in self.directions)
        )

    @property
    def mu(self) -> float:
        """The least μ with which GDP allows these probabilities; 0 if they tell nothing."""
        return max(0.0, *(_distance(likely.low, rare.high) for likely, rare in self.directions))

    def exceeds(self, claim: Claim) -> bool:
        """Whether the claimed loss excludes these probabilities."""
        return any(likely.low > most_likely(claim, rare.high) for likely, rare in self.directions)

    def to_dict(self) -> dict[str, Any]:
        return {
            "event": self.event,
            "trials": self.trials,
            "hits": list(self.hits),
            "one": [self.one.low, self.one.high],
            "other": [self.other.low, self.other.high],
        }

    def __str__(self) -> str:
        return f"{self.event}: {self.hits[0]} and {self.hits[1]} of {self.trials} draws"


def weighed(
    events: Sequence[Event[R]], one: Sequence[R], other: Sequence[R], *, false_alarm: float
) -> tuple[Telling, ...]:
    """What draws on two inputs tell by each of the events, which were chosen without them.

    All ends of all events hold at once, except with probability `false_alarm`: each of the two
    probabilities of each event has an equal share of it.
    """
    share = false_alarm / (2 * max(1, len(events)))
    found = []
    for event in events:
        hits = event.count(one), event.count(other)
        found.append(
            Telling(
                event=event.name,
                trials=len(one),
                hits=hits,
                one=chance(hits[0], trials=len(one), false_alarm=share),
                other=chance(hits[1], trials=len(other), false_alarm=share),
            )
        )
    return tuple(found)


def _ratio(likely: float, rare: float) -> float:
    return log(likely / rare) if likely > 0 else 0.0


def _distance(likely: float, rare: float) -> float:
    if not (0 < likely < 1 and 0 < rare < 1):
        return 0.0
    return _NORMAL.inv_cdf(likely) - _NORMAL.inv_cdf(rare)
