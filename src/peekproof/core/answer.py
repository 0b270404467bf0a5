"""What the analyst gets.

What was chosen of many, and how far from the best it can be.

Many numbers from one draw, each with its interval.

A value, and of which level of the population it is a quantile.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from math import isfinite
from typing import TYPE_CHECKING, final, overload

from peekproof.core.certificate import UNIT, Certificate, Interval, Span
from peekproof.core.charge import Charge
from peekproof.core.frames import number_row, to_pandas
from peekproof.core.html import answer_html, choice_html, histogram_html, quantile_html
from peekproof.core.numerics import decimal_down, decimal_up, digits_up, float_up, level_down
from peekproof.core.shown import visible

if TYPE_CHECKING:
    from pandas import DataFrame


@final
@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Answer:
    """A released value with its interval for the population.

    `cost` is what this call charged: nothing when the question had been answered before.
    `remaining` is how many new questions the data can still take. The certificate is about
    shares; `span` says what they stand for. `drawn` tells a new answer that cost nothing from one
    that was given before.
    """

    question: str
    released: Fraction
    certificate: Certificate
    cost: Charge
    remaining: int
    span: Span = UNIT
    drawn: bool = False
    # Worked out when it is first wanted: it takes longer than all else that an answer tells.
    _interval: list[Interval] = field(default_factory=list, init=False, repr=False, compare=False)

    @property
    def value(self) -> float:
        return float(self.released)

    @property
    def radius(self) -> float:
        """How far the interval reaches from the value, on its longer side. Rounds: up."""
        interval = self.interval
        below, above = (
            self.released - Fraction(interval.low),
            Fraction(interval.high) - self.released,
        )
        widest = Fraction(self.certificate.radius) * self.span.width
        return float_up(min(widest, max(below, above)))

    @property
    def interval(self) -> Interval:
        if not self._interval:
            self._interval.append(self._worked_out())
        return self._interval[0]

    def _worked_out(self) -> Interval:
        if self.span is UNIT:
            return self.certificate.interval(self.released)
        share = self.span.share(self.released)
        return self.span.interval(self.certificate.interval(share))

    @property
    def low(self) -> float:
        return self.interval.low

    @property
    def high(self) -> float:
        return self.interval.high

    @property
    def confidence(self) -> float:
        return level_down(self.certificate.target.confidence)

    @property
    def missing(self) -> None:
        """Nothing: all rows count. A mean among the rows with a value tells how many have none."""
        return

    @property
    def replayed(self) -> bool:
        """Whether the answer was given before, so that this call cost nothing."""
        return not self.drawn and not self.cost.amount

    def __contains__(self, value: float) -> bool:
        return value in self.interval

    def __str__(self) -> str:
        value = f"{self.value:.{self.span.places}f}"
        return f"{value}  {self.span.shown(self.interval)}  {visible(self.question)}"

    def __repr__(self) -> str:
        return f"<Answer {self}>"

    def _repr_html_(self) -> str:
        """The answer for a notebook."""
        return answer_html(self)

    def to_dicts(self) -> list[dict[str, object]]:
        """A row of `peekproof.to_pandas`."""
        interval = self.interval
        return [
            number_row(
                question=self.question,
                value=self.value,
                ends=(interval.low, interval.high),
                radius=self.radius,
                confidence=self.confidence,
                replayed=self.replayed,
            )
        ]

    def to_dict(self) -> dict[str, object]:
        return {
            "question": self.question,
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "radius": self.radius,
            "confidence": self.confidence,
            "cost": str(self.cost.amount),
            "replayed": self.replayed,
            "remaining": self.remaining,
            "theorems": list(self.certificate.theorems),
        }


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Choice:
    """The candidate that was chosen as the best.

    In the population no other candidate is better by more than `gap`: with the session's
    confidence, together with all its other answers. `winner` is how large what was chosen is, where
    that was told with it.
    """

    chosen: str
    index: int
    candidates: int
    certificate: Certificate
    cost: Charge
    remaining: int
    span: Span = UNIT
    winner: Answer | None = None

    @property
    def gap(self) -> float:
        """How much better the best can be, in the units of the candidates. Rounds: up."""
        if self.winner is not None:  # no candidate reaches beyond its interval
            return float_up(Fraction(self.winner.high) - Fraction(self.winner.low))
        return float_up(Fraction(self.certificate.radius) * self.span.width)

    @property
    def confidence(self) -> float:
        return level_down(self.certificate.target.confidence)

    @property
    def replayed(self) -> bool:
        """Whether the choice was made before, so that this call cost nothing."""
        return not self.cost.amount

    def __str__(self) -> str:
        said = f"(best of {self.candidates:,} up to {digits_up(self.gap)})"
        return f"{self.winner or visible(self.chosen)}  {said}"

    def _repr_html_(self) -> str:
        """The choice for a notebook."""
        return choice_html(self)

    def to_dicts(self) -> list[dict[str, object]]:
        """A row of `peekproof.to_pandas`, with the value of what was chosen if that was told."""
        found = self.winner
        return [
            number_row(
                question=f"the largest of {self.candidates:,}",
                cell=self.chosen,
                value=found and found.value,
                ends=found and (found.low, found.high),
                radius=found and found.radius,
                confidence=self.confidence,
                replayed=self.replayed,
                gap=self.gap,
            )
        ]

    def to_dict(self) -> dict[str, object]:
        found = self.winner
        told = {"value": found.value, "low": found.low, "high": found.high} if found else {}
        return {
            "chosen": self.chosen,
            "index": self.index,
            "candidates": self.candidates,
            "gap": self.gap,
            **told,
            "confidence": self.confidence,
            "cost": str(self.cost.amount),
            "replayed": self.replayed,
            "remaining": self.remaining,
            "theorems": list(self.certificate.theorems),
        }


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class HistogramAnswer:
    """The answers of all cells, in the order of the question; their intervals hold together.

    `cost` is what this call charged for all of them.
    """

    question: str
    labels: tuple[str, ...]
    cells: tuple[Answer, ...]
    cost: Charge
    remaining: int

    @property
    def certificate(self) -> Certificate:
        """The one certificate of all cells."""
        return self.cells[0].certificate

    @property
    def values(self) -> tuple[float, ...]:
        return tuple(cell.value for cell in self.cells)

    @property
    def replayed(self) -> bool:
        """Whether the answer was given before, so that this call cost nothing."""
        return not self.cost.amount

    def __len__(self) -> int:
        return len(self.cells)

    def __iter__(self) -> Iterator[Answer]:
        return iter(self.cells)

    @overload
    def __getitem__(self, cell: int | str) -> Answer: ...

    @overload
    def __getitem__(self, cell: slice) -> tuple[Answer, ...]: ...

    def __getitem__(self, cell: int | str | slice) -> Answer | tuple[Answer, ...]:
        """A cell by its place or its label."""
        if not isinstance(cell, str):
            return self.cells[cell]
        if cell not in self.labels:
            raise KeyError(cell)
        return self.cells[self.labels.index(cell)]

    def __str__(self) -> str:
        lines = [
            f"  {cell.value:.{cell.span.places}f}  {cell.span.shown(cell.interval)}  {label}"
            for label, cell in zip(map(visible, self.labels), self.cells, strict=True)
        ]
        return "\n".join([visible(self.question), *lines])

    def _repr_html_(self) -> str:
        """The histogram for a notebook."""
        return histogram_html(self)

    def to_pandas(self) -> "DataFrame":
        """One row a cell; see `peekproof.to_pandas`."""
        return to_pandas(self)

    def to_dicts(self) -> list[dict[str, object]]:
        """The rows of `peekproof.to_pandas`, one a cell."""
        return [
            number_row(
                question=self.question,
                cell=label,
                value=cell.value,
                ends=(cell.low, cell.high),
                radius=cell.radius,
                confidence=cell.confidence,
                replayed=self.replayed,
            )
            for label, cell in zip(map(visible, self.labels), self.cells, strict=True)
        ]

    def to_dict(self) -> dict[str, object]:
        first = self.cells[0]
        return {
            "question": self.question,
            "cells": [
                {
                    "label": label,
                    "value": cell.value,
                    "low": cell.low,
                    "high": cell.high,
                }
                for label, cell in zip(map(visible, self.labels), self.cells, strict=True)
            ],
            "confidence": first.confidence,
            "cost": str(self.cost.amount),
            "replayed": self.replayed,
            "remaining": self.remaining,
            "theorems": list(self.certificate.theorems),
        }


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class QuantileAnswer:
    """`value` is a quantile of the population for some level in `levels`, near the `level` asked.

    That is: at most a share `levels.high` of the population is at or below `after`, the point of
    the grid before `value`, and at least a share `levels.low` is at or below `value`.
    """

    question: str
    value: float
    after: float
    level: Fraction
    certificate: Certificate
    cost: Charge
    remaining: int

    @property
    def levels(self) -> Interval:
        """The levels of which `value` can be the quantile."""
        return Interval.around(self.level, radius=self.certificate.radius)

    @property
    def confidence(self) -> float:
        return level_down(self.certificate.target.confidence)

    @property
    def replayed(self) -> bool:
        """Whether the answer was given before, so that this call cost nothing."""
        return not self.cost.amount

    def __str__(self) -> str:
        levels = self.levels
        ends = f"[{decimal_down(levels.low)}, {decimal_up(levels.high)}]"
        return f"{self.value!r}  level in {ends}  {visible(self.question)}"

    def _repr_html_(self) -> str:
        """The answer for a notebook."""
        return quantile_html(self)

    def to_dicts(self) -> list[dict[str, object]]:
        """A row of `peekproof.to_pandas`; certain are the levels, not ends of the value."""
        return [
            number_row(
                question=self.question,
                value=self.value,
                ends=None,
                radius=None,
                confidence=self.confidence,
                replayed=self.replayed,
                lowest_level=self.levels.low,
                highest_level=self.levels.high,
            )
        ]

    def to_dict(self) -> dict[str, object]:
        return {
            "question": self.question,
            "value": self.value,
            "after": self.after if isfinite(self.after) else None,
            "level": float(self.level),
            "lowest_level": self.levels.low,
            "highest_level": self.levels.high,
            "confidence": self.confidence,
            "cost": str(self.cost.amount),
            "replayed": self.replayed,
            "remaining": self.remaining,
            "theorems": list(self.certificate.theorems),
        }
