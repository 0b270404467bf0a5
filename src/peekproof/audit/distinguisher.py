"""Distinguishing attacks: events that tell two neighbouring inputs apart, and what they prove.

`most_likely` says how likely a claimed loss lets an event be on a neighbouring input; `weighed`
says what the counts of events prove. Draws on two inputs are divided: some propose events and the
numbers by which releases may be told apart, some pick the events that tell most, and the rest test
these. Whatever is proposed or picked is only a proposal. What it proves is shown by draws that had
no part in it, so a poor choice costs power and never makes a verdict wrong.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import erfc, exp, fsum, inf, log, sqrt
from numbers import Real
from statistics import NormalDist
from typing import Any, Generic, TypeAlias, TypeVar, final

from peekproof.audit.evidence import Chance, chance
from peekproof.core import check
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


FEWEST = 8


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Halves:
    """A quarter, a quarter, and a half of the draws on either input."""

    proposing: Pair
    picking: Pair
    testing: Pair

    def mapped(self, part: Callable[[Any], Any]) -> "Halves":
        """The same of what `part` makes of each draw."""
        return Halves(
            proposing=mapped(self.proposing, part),
            picking=mapped(self.picking, part),
            testing=mapped(self.testing, part),
        )

    @property
    def all(self) -> list[Any]:
        """Every draw."""
        pairs = (self.proposing, self.picking, self.testing)
        return [each for pair in pairs for side in pair for each in side]


def mapped(pair: Pair, part: Callable[[Any], Any]) -> Pair:
    """What `part` makes of each draw of a pair."""
    return [part(each) for each in pair[0]], [part(each) for each in pair[1]]


def drawn(one: Callable[[], Any], other: Callable[[], Any], *, trials: int) -> Halves:
    """`trials` releases on each input, by turns: what changes with time changes for both."""
    if check.positive_integer(trials=trials) < FEWEST:
        raise InvalidInput(
            argument="trials", accepted=f"an integer of at least {FEWEST}", given=str(trials)
        )
    first, second = trials // 4, trials // 2
    pairs = [(_countable(one()), _countable(other())) for _ in range(trials)]
    sides = [[pair[side] for pair in pairs] for side in (0, 1)]
    return Halves(
        proposing=(sides[0][:first], sides[1][:first]),
        picking=(sides[0][first:second], sides[1][first:second]),
        testing=(sides[0][second:], sides[1][second:]),
    )


def _countable(release: Any) -> Hashable:
    kept = frozen(release)
    try:
        hash(kept)
    except TypeError:
        raise InvalidInput(
            argument="release",
            accepted="a number, something that can be hashed, or a tuple, list or array of these",
            given=type(release).__name__,
        ) from None
    return kept


# A statistic is cut where these shares of the proposing draws lie below.
SHARES = (
    *(2.0**-power for power in range(12, 6, -1)),
    *(step / 64 for step in range(1, 64)),
    *(1 - 2.0**-power for power in range(7, 13)),
)


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
