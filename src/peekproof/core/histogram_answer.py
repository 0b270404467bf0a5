"""Many numbers from one draw, each with its interval."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, final, overload

from peekproof.core.answer import Answer
from peekproof.core.certificate import Certificate
from peekproof.core.charge import Charge, amount_of
from peekproof.core.frames import number_row, to_pandas
from peekproof.core.html import histogram_html
from peekproof.core.shown import shown, visible

if TYPE_CHECKING:
    from pandas import DataFrame


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
        return not amount_of(self.cost)

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
        return "\n".join([shown(self.question), *lines])

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
            "cost": str(amount_of(self.cost)),
            "replayed": self.replayed,
            "remaining": self.remaining,
            "theorems": list(self.certificate.theorems),
        }
