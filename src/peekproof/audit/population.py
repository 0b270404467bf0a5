"""Populations whose truth is known, so that an interval can be seen to hold."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any, Protocol, final

import numpy as np

from peekproof.audit.analysts.protocol import Columns, ExactSample
from peekproof.core import check
from peekproof.core.errors import InvalidInput


class Population(Protocol):
    """Where rows come from, independently of each other."""

    def draw(self, *, rows: int, rng: np.random.Generator) -> Columns:
        """A sample of so many independent rows."""
        ...

    def truth(self, question: str) -> Fraction:
        """The population's share or mean."""
        ...


@final
class Listed:
    """All rows of a table, each as likely as another; samples are drawn with replacement.

    A table is columns by name, as arrays or lists, or a frame of pandas or Polars.
    """

    def __init__(self, columns: object) -> None:
        columns = _arrays(columns)
        sizes = {len(column) for column in columns.values()}
        if len(sizes) != 1 or not min(sizes):
            accepted = "columns of one length, with at least one row"
            raise InvalidInput(argument="columns", accepted=accepted, given=f"{sorted(sizes)}")
        self._columns, (self.size,) = columns, sizes
        self._everybody = ExactSample(columns)

    def __reduce__(self) -> tuple[type["Listed"], tuple[Columns]]:
        # The table that knows the truths holds a lock; another process makes its own.
        return Listed, (self._columns,)

    def draw(self, *, rows: int, rng: np.random.Generator) -> Columns:
        chosen = rng.integers(0, self.size, check.positive_integer(rows=rows))
        return {name: column[chosen] for name, column in self._columns.items()}

    def truth(self, question: str) -> Fraction:
        return self._everybody.exactly(question)


def _arrays(columns: Any) -> Columns:
    """A table as arrays by name."""
    try:
        if isinstance(columns, Mapping):
            return {name: np.array(column, ndmin=1) for name, column in columns.items()}
        return {name: columns[name].to_numpy() for name in columns.columns}
    except (AttributeError, TypeError, ValueError) as problem:
        raise InvalidInput(
            argument="columns",
            accepted="a table: columns by name, or a frame of pandas or Polars",
            given=type(columns).__name__,
        ) from problem
