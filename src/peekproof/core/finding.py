"""What a recorded answer says of the population. Free of ledgers: it may come from anywhere."""

from dataclasses import dataclass
from typing import final

from peekproof.core.certificate import Interval, Span
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import decimal_down, decimal_up, digits_up


@final
@dataclass(frozen=True, slots=True)
class Numbers:
    """Values with their intervals for the population: one, or one for each cell.

    `labels` name the cells, where it is known what they are.
    """

    cells: tuple[tuple[float, Interval], ...]
    span: Span
    labels: tuple[str, ...] = ()

    @property
    def value(self) -> float:
        return self._only[0]

    @property
    def interval(self) -> Interval:
        return self._only[1]

    @property
    def low(self) -> float:
        return self.interval.low

    @property
    def high(self) -> float:
        return self.interval.high

    @property
    def _only(self) -> tuple[float, Interval]:
        if len(self.cells) == 1:
            return self.cells[0]
        raise InvalidInput(
            argument="the answer",
            accepted="one number for that",
            given=f"{len(self.cells):,} cells",
            hint="go through named(), or to_dicts()",
        )

    def named(self) -> list[tuple[str, float, Interval]]:
        """The cells with their labels: their places from 1 if these are not known, none for one."""
        names = self.labels or tuple(f"cell {place + 1}" for place in range(len(self.cells)))
        if len(self.cells) == 1 and not self.labels:
            names = ("",)
        return [(name, *cell) for name, cell in zip(names, self.cells, strict=True)]

    def lines(self) -> list[str]:
        return [
            f"{name}: {self._shown(value, interval)}" if name else self._shown(value, interval)
            for name, value, interval in self.named()
        ]

    def _shown(self, value: float, interval: Interval) -> str:
        places = self.span.places
        low = decimal_down(interval.low, places=places)
        high = decimal_up(interval.high, places=places)
        return f"{value:.{places}f}; in the population from {low} to {high}"

    def to_dict(self) -> dict[str, object]:
        cells: list[dict[str, object]] = [
            {"value": value, "low": interval.low, "high": interval.high}
            for value, interval in self.cells
        ]
        if self.labels:
            named = zip(self.labels, cells, strict=True)
            return {"cells": [{"label": label, **cell} for label, cell in named]}
        return cells[0] if len(cells) == 1 else {"cells": cells}

    def to_dicts(self) -> list[dict[str, object]]:
        """One row a number."""
        return [
            {"cell": name, "value": value, "low": interval.low, "high": interval.high}
            for name, value, interval in self.named()
        ]


@final
@dataclass(frozen=True, slots=True)
class Chosen:
    """A place in a list of candidates, from 0; none is better by more than `gap`.

    `text` is the candidate, where it is known which it was, and `winner` its value and interval,
    where they were told.
    """

    index: int
    candidates: int
    gap: float
    text: str = ""
    winner: Numbers | None = None

    @property
    def name(self) -> str:
        return self.text or f"no. {self.index + 1:,}"

    def lines(self) -> list[str]:
        told = self.winner.lines() if self.winner else []
        return [
            f"no. {self.index + 1:,} of the {self.candidates:,} candidates; in the population "
            f"none is better by more than {digits_up(self.gap)}",
            *told,
        ]

    def to_dict(self) -> dict[str, object]:
        told = self.winner.to_dict() if self.winner else {}
        return {"chosen": self.index, "candidates": self.candidates, "gap": self.gap, **told}

    def to_dicts(self) -> list[dict[str, object]]:
        """One row, without a value if that of what was chosen was not drawn."""
        nothing: dict[str, object] = {"value": None, "low": None, "high": None}
        told = self.winner.to_dict() if self.winner else nothing
        return [{"cell": self.name, **told, "gap": self.gap}]


@final
@dataclass(frozen=True, slots=True)
class Level:
    """A value of a grid, and of which levels of the population it can be the quantile."""

    value: float
    levels: Interval

    def lines(self) -> list[str]:
        low, high = decimal_down(self.levels.low), decimal_up(self.levels.high)
        return [f"{self.value!r}; in the population a quantile of some level from {low} to {high}"]

    def to_dict(self) -> dict[str, object]:
        low, high = self.levels.low, self.levels.high
        return {"value": self.value, "lowest_level": low, "highest_level": high}

    def to_dicts(self) -> list[dict[str, object]]:
        """One row; certain are the levels, not ends of the value."""
        return [{"cell": "", "low": None, "high": None, **self.to_dict()}]


Finding = Numbers | Chosen | Level
