"""A hunt for the flights that are late most often, on a sample of them.

The analyst tries every single condition, adds every other one to the three groups that look
worst, and so on, up to `depth` conditions. Plainly it reports the worst group that it met; with
Peekproof the one whose certified lower end is highest. All flights are the population, so truths
are known.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import final

import numpy as np

from lab.real_data import flights
from peekproof.audit.analysts.protocol import Columns, ExactSample
from peekproof.audit.opponents.protocol import Reply, textbook
from peekproof.ledger.witness import simulation
from peekproof.mechanisms.checking import Checking
from peekproof.noise.entropy import Seeded
from peekproof.session.guessers import Training
from peekproof.session.opening import open

# Conditions about different columns can be combined.
Group = frozenset[str]
Answering = Callable[[Group], Reply | None]

LATE = "dep_delay > 30"
CARRIERS = (
    *("9E", "AA", "AS", "B6", "DL", "EV", "F9", "FL"),
    *("HA", "MQ", "OO", "UA", "US", "VX", "WN", "YV"),
)
CONDITIONS = (
    *(f"hour >= {hour}" for hour in (12, 15, 17, 19)),
    *(f"month between {first} and {first + 2}" for first in (3, 6, 9)),
    *(f"origin = '{name}'" for name in ("EWR", "JFK", "LGA")),
    *(f"carrier = '{name}'" for name in CARRIERS),
    *(f"month = {month}" for month in range(1, 13)),
    *(f"hour = {hour}" for hour in range(5, 24)),
)
SAMPLE = 20_000
DEPTH = 3
_KEPT = 3
_FEWEST = 10  # rows, below which even a careless analyst believes no rate
_QUESTIONS = 1_000  # two for every group that can be met, and more


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Met:
    """A group that was tried, and what was said about how often it is late."""

    group: Group
    said: Reply

    @property
    def truth(self) -> float:
        return true_rate(self.group)

    @property
    def holds(self) -> bool:
        return self.truth in self.said


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Hunt:
    """All groups in the order in which they were tried, and after each which one led."""

    met: tuple[Met, ...]
    leading: tuple[Met, ...]

    @property
    def reported(self) -> Met:
        return self.leading[-1]


def written(group: Group) -> str:
    """The group as one condition."""
    return " and ".join(sorted(group))


def draw_flights(*, rows: int, seed: int) -> Columns:
    """So many flights, each as likely as another, and the columns that are asked about."""
    drawn = flights().draw(rows=rows, rng=np.random.default_rng(seed))
    return {name: drawn[name] for name in ("carrier", "origin", "month", "hour", "dep_delay")}


@cache
def true_rate(group: Group) -> float:
    """How often the flights of a group were late, of all that there were; 0 if there was none."""
    inside = flights().truth(written(group))
    return float(flights().truth(f"{LATE} and {written(group)}") / inside) if inside else 0.0


def hunt_plainly(sample: Columns, *, depth: int = DEPTH) -> Hunt:
    """Rates of the sample, with the interval that is right for one group chosen beforehand."""
    table = ExactSample(sample)

    def answer(group: Group) -> Reply | None:
        rows = table.exactly(written(group)) * table.rows
        if rows < _FEWEST:
            return None
        value = float(table.exactly(f"{LATE} and {written(group)}") * table.rows / rows)
        said = textbook(value, rows=float(rows))
        return Reply(value, max(0.0, said.low), min(1.0, said.high))

    return _hunt(answer, score=lambda said: said.value, depth=depth)


@simulation()
def hunt_with_peekproof(sample: Columns, *, seed: int, depth: int = DEPTH) -> Hunt:
    """One half of the rows guesses, the session holds the other and checks."""
    half = len(next(iter(sample.values()))) // 2
    guessing = {name: column[:half] for name, column in sample.items()}
    checking = {name: column[half:] for name, column in sample.items()}
    with open(
        checking,
        questions=_QUESTIONS,
        mechanisms=[Checking],
        guesser=Training(guessing),
        entropy=Seeded(seed),
    ) as session:

        def answer(group: Group) -> Reply:
            found = session.conditional(f"{LATE} given {written(group)}")
            return Reply(found.value, found.low, found.high)

        return _hunt(answer, score=lambda said: said.low, depth=depth)


def _hunt(answer: Answering, *, score: Callable[[Reply], float], depth: int) -> Hunt:
    met: list[Met] = []
    leading: list[Met] = []
    tried: set[Group] = set()
    front: Sequence[Group] = [frozenset()]
    for _ in range(depth):
        before = len(met)
        for group in _further(front, tried):
            if (said := answer(group)) is not None:
                met.append(Met(group=group, said=said))
                rivals = [*leading[-1:], met[-1]]
                leading.append(max(rivals, key=lambda each: score(each.said)))
        worst = sorted(met[before:], key=lambda each: -score(each.said))[:_KEPT]
        front = [each.group for each in worst]
    return Hunt(met=tuple(met), leading=tuple(leading))


def _further(front: Sequence[Group], tried: set[Group]) -> Iterator[Group]:
    """Every group with one more condition, about another column, that was not tried before."""
    for group in front:
        used = {_column(condition) for condition in group}
        for condition in CONDITIONS:
            further = group | {condition}
            if _column(condition) not in used and further not in tried:
                tried.add(further)
                yield further


def _column(condition: str) -> str:
    return condition.partition(" ")[0]
