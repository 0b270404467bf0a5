"""Guessers that read rows or cells which may be seen: training rows, and declared domains."""

from fractions import Fraction
from typing import ClassVar, cast, final

import numpy as np
import polars as pl

from peekproof.core.errors import InvalidInput
from peekproof.core.secret import Exact
from peekproof.data.source import Source
from peekproof.data.table import Array, PublicTable
from peekproof.guess.domain import Domain
from peekproof.guess.guesser import on_grid
from peekproof.guess.median.constraint import Holder
from peekproof.guess.median.guesser import ConsistentMedian
from peekproof.guess.median.limit import LimitHolder
from peekproof.guess.weights import MultiplicativeWeights, ProductValues
from peekproof.mechanisms.empirical import UnsafeEmpirical
from peekproof.query.form import FINE, Mean
from peekproof.query.question import Question

_ERROR = Fraction(1, 50)


@final
class Training:
    """Guesses what other rows of the same kind say: training data, last year's, a public set.

    `rows` is a dict of NumPy arrays, a pandas or Polars data frame, or the part of a split that is
    there to be looked at, in whatever engine it lies. They must not be the rows that are asked
    about: a guess may depend on everything but these.
    """

    kind: ClassVar[str] = "training"

    def __init__(self, rows: object) -> None:
        self._table = rows if isinstance(rows, Source) else PublicTable(_columns(rows))

    @property
    def fingerprint(self) -> str:
        """Which rows they are, if that is known; no session about the same rows takes them."""
        return self._table.fingerprint if isinstance(self._table, Source) else ""

    def guess(self, question: Question) -> Fraction:
        if isinstance(self._table, Source):
            return on_grid(float(_looked_up(self._table, question)))
        return on_grid(float(np.mean(self._table.values(question))))

    def learn(self, question: Question, answer: Fraction, *, within: Fraction) -> None:
        """Nothing: the rows stay what they are."""

    def describe(self) -> dict[str, str]:
        return {"kind": self.kind, "rows": str(self._table.rows)}


def _looked_up(source: Source, question: Question) -> Fraction:
    """What the rows say, as a share of its scale, without protection: they are there for that."""
    levels = FINE if isinstance(question.form, Mean) else 1
    (total,) = source.totals([question])
    return UnsafeEmpirical(rows=source.rows * levels).release_unsafely(cast(Exact[int], total))


def consistent_median(
    domain: Domain, *, holder: Holder | None = None, slack: Fraction = _ERROR
) -> ConsistentMedian:
    """The median over all data sets on the cells of a domain that fit the answers so far.

    Without a `holder`, in the limit of large data sets: the distribution of largest entropy that
    agrees with every failed guess's answer up to `slack`.
    """
    held = LimitHolder(cells=domain.cells) if holder is None else holder
    return ConsistentMedian(holder=held, values=_on_cells(domain), slack=slack)


def _on_cells(domain: Domain) -> ProductValues:
    return ProductValues(domain, lambda columns: PublicTable(columns).values)


def learned_weights(domain: Domain, *, error: Fraction = _ERROR) -> MultiplicativeWeights:
    """Multiplicative weights on the cells of a domain, which learn from failed guesses.

    `error` says how far a failed guess is off at least, so how far a lesson moves the weights.
    """
    return MultiplicativeWeights(cells=domain.cells, values=_on_cells(domain), error=error)


def _columns(rows: object) -> dict[str, Array]:
    """Columns as arrays; of a data frame those that questions can use."""
    if isinstance(rows, dict):
        return rows
    if type(rows).__module__.partition(".")[0] == "pandas":
        rows = pl.from_pandas(rows)
    if not isinstance(rows, pl.DataFrame):
        raise InvalidInput(
            argument="rows",
            accepted="a dict of arrays, or a pandas or Polars data frame",
            given=f"a {type(rows).__name__}",
        )
    usable = [
        column
        for column in rows
        if column.dtype.is_numeric() or column.dtype in (pl.String, pl.Boolean)
    ]
    return {column.name: column.to_numpy() for column in usable}
