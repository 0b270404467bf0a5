"""An analyst of flights whose every question depends on the answers before it, and its data."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import polars as pl

from peekproof.core.answer import Answer
from peekproof.derive.conditional import ConditionalAnswer
from peekproof.session.session import Session

NEVER = 1440.0  # minutes late: a flight that was cancelled

Array = npt.NDArray[np.generic]
Columns = dict[str, Array]
Mask = npt.NDArray[np.bool_]
Condition = tuple[str, Mask]


def detailed(table: pl.DataFrame) -> Columns:
    """The columns for training guesses: numbers as they are."""
    return {
        "carrier": table["carrier"].to_numpy(),
        "origin": table["origin"].to_numpy(),
        "month": table["month"].cast(float).to_numpy(),
        "hour": table["hour"].cast(float).to_numpy(),
        "late": table["dep_delay"].cast(float).fill_null(NEVER).to_numpy(),
        "distance": table["distance"].cast(float).to_numpy(),
    }


def banded(table: pl.DataFrame) -> Columns:
    """The columns for learned weights: numbers in a few bands, cut at round values."""
    columns = detailed(table)
    cuts = {"hour": (9, 12, 15, 18), "late": (-4, 0, 15, 60), "distance": (500, 900, 1400)}
    for name, edges in cuts.items():
        columns[name] = np.digitize(columns[name].astype(float), edges).astype(float)
    return columns


@dataclass
class Analyst:
    """Asks what people ask; everything after the first question depends on the answers.

    `steps` are the thresholds that each number may be compared with, `spans` the bounds of means.
    """

    session: Session
    population: Columns
    steps: dict[str, npt.NDArray[np.float64]]
    spans: dict[str, tuple[float, float]]
    questions: int
    rng: np.random.Generator
    told: list[tuple[Answer | ConditionalAnswer, float]] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._known: dict[str, Mask] = {}
        self._values = {
            name: sorted(set(column.tolist()))
            for name, column in self.population.items()
            if name in ("carrier", "origin", "month")
        }

    def work(self) -> None:
        kinds = (self._drill_down, self._compare, self._search, self._means)
        while len(self.told) < self.questions:
            for _ in kinds[self.rng.choice(4, p=(0.4, 0.25, 0.25, 0.1))]():
                if len(self.told) == self.questions:
                    break

    def _ask(self, text: str, truth: float) -> Answer | ConditionalAnswer:
        start = time.perf_counter()
        answer = self.session.ask(text)
        if not answer.replayed:
            self.seconds.append(time.perf_counter() - start)
            self.told.append((answer, truth))
        return answer

    def _share(self, *conditions: Condition) -> Answer | ConditionalAnswer:
        mask = conditions[0][1]
        for _, other in conditions[1:]:
            mask = mask & other
        return self._ask(" and ".join(text for text, _ in conditions), float(np.mean(mask)))

    def _is(self, name: str, value: object) -> Condition:
        text = f"{name} = {value!r}"
        if text not in self._known:
            self._known[text] = self.population[name] == value
        return text, self._known[text]

    def _numbers(self, name: str) -> npt.NDArray[np.float64]:
        return self.population[name].astype(np.float64, copy=False)

    def _above(self, name: str, step: float) -> Condition:
        return f"{name} > {step!r}", self._numbers(name) > step

    def _not_above(self, name: str, step: float) -> Condition:
        return f"{name} <= {step!r}", self._numbers(name) <= step

    def _any(self, name: str) -> Condition:
        if name in self._values:
            return self._is(name, self._values[name][self.rng.integers(len(self._values[name]))])
        step = float(self.rng.choice(self.steps[name]))
        return (self._above, self._not_above)[self.rng.integers(2)](name, step)

    def _names(self) -> list[str]:
        return [str(name) for name in self.rng.permutation(list(self.population))]

    def _drill_down(self) -> Iterator[Answer | ConditionalAnswer]:
        """One more condition each time; a rare one is dropped again for another."""
        names = self._names()
        held = [self._any(names[0])]
        last = self._share(*held)
        yield last
        for name in names[1:5]:
            further = self._any(name)
            answer = self._share(*held, further)
            yield answer
            if answer.value > 0.3 * last.value:
                held, last = [*held, further], answer

    def _compare(self) -> Iterator[Answer | ConditionalAnswer]:
        """The share of each group that is late, and then the worst group by another one."""
        by, then = self.rng.permutation(["carrier", "origin", "month"])[:2]
        late = self._above("late", float(self.rng.choice(self.steps["late"])))
        extra = [self._any("distance")] if self.rng.integers(2) else []
        shares = {}
        for value in self._values[by]:
            answer = self._share(self._is(by, value), late, *extra)
            yield answer
            shares[value] = answer.value
        worst = max(shares, key=lambda value: shares[value])
        for value in self._values[then]:
            yield self._share(self._is(by, worst), self._is(then, value), late, *extra)

    def _search(self) -> Iterator[Answer | ConditionalAnswer]:
        """The threshold at which the share of a group falls below a level, by halving."""
        name = str(self.rng.choice(list(self.steps)))
        others = [other for other in self._names() if other != name]
        group = self._any(others[0])
        whole = self._share(group)
        yield whole
        level = whole.value * self.rng.choice((0.25, 0.5, 0.75))
        low, high = 0, len(self.steps[name]) - 1
        while low < high:
            middle = (low + high) // 2
            answer = self._share(group, self._above(name, float(self.steps[name][middle])))
            yield answer
            low, high = (middle + 1, high) if answer.value > level else (low, middle)

    def _means(self) -> Iterator[Answer | ConditionalAnswer]:
        """A mean; if it is in the upper half of its bounds, one with another bound."""
        name = str(self.rng.choice(list(self.spans)))
        low, high = self.spans[name]
        for _ in range(3):
            values = np.clip(self._numbers(name), low, high)
            answer = self._ask(f"mean({name}, {low!r}, {high!r}, {low!r})", float(np.mean(values)))
            yield answer
            middle = (low + high) / 2
            low, high = (low, high + 1) if answer.value > middle else (low, (3 * high + low) / 4)
