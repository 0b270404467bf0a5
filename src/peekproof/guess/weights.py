"""Multiplicative weights: a distribution on declared cells that learns from failed guesses.

`ProductValues` finds the values of a question in all cells of a product, on the columns that it
mentions alone.
"""

import math
from collections import OrderedDict
from collections.abc import Callable
from fractions import Fraction
from typing import ClassVar, cast, final

import numpy as np
import numpy.typing as npt

from peekproof.core import check
from peekproof.core.errors import InvalidInput
from peekproof.guess.domain import MOST_CELLS, Domain, Masses, Weighing
from peekproof.guess.guesser import on_grid
from peekproof.query.form import Mean, Share
from peekproof.query.question import Question
from peekproof.query.tree import columns
from peekproof.theory.weights import LARGEST_STEP, most_updates

Values = Callable[[Question], Weighing]

SMALLEST_ERROR = Fraction(1, 2**16)

_LARGEST_ODDS = math.exp(LARGEST_STEP)


@final
class MultiplicativeWeights:
    """The mean of a question under weights on public cells, which move with every lesson.

    `values` gives for a question its value in each cell: true or false for a share, a number of
    [0, 1] for a mean. `error` says how far a failed guess is from the truth at least; if it is, and
    the truth is a distribution on the cells, then no more than `most_updates` lessons count (T-mw).
    If it is not, guesses may be bad; whether an answer is valid never depends on them.

    Weights are doubles. The same lessons in the same order give the same bits, whatever was guessed
    in between, with one version of NumPy on one machine; another one may round otherwise.
    """

    kind: ClassVar[str] = "multiplicative-weights"
    __slots__ = ("_error", "_last", "_masses", "_values", "cells", "updates")

    def __init__(self, *, cells: int, values: Values, error: Fraction) -> None:
        self.cells = check.positive_integer(cells=cells)
        if cells > MOST_CELLS:
            raise InvalidInput(
                argument="cells", accepted=f"at most {MOST_CELLS:,}", given=f"{cells:,}"
            )
        if not SMALLEST_ERROR <= check.positive_fraction(error=error) < 1:
            raise InvalidInput(
                argument="error", accepted=f"from {SMALLEST_ERROR} to below 1", given=str(error)
            )
        self._values, self._error = values, error
        self._masses = Masses(cells)
        self._last: tuple[str, Weighing, float] | None = None
        self.updates = 0

    @property
    def most_updates(self) -> int:
        """How many lessons count at most, if the truth is a distribution on the cells."""
        return most_updates(cells=self.cells, error=self._error)

    def distribution(self) -> npt.NDArray[np.float64]:
        """What has been learnt: the probability of each cell."""
        return self._masses.normalised()

    def guess(self, question: Question) -> Fraction:
        return on_grid(self._read(question)[1])

    def learn(self, question: Question, answer: Fraction, *, within: Fraction) -> None:
        """Tilt the weights towards the answer; one that the guess already fits teaches nothing."""
        given = float(check.unit_fraction(answer=answer))
        slack = float(min(check.amount(within=within), Fraction(1)))
        values, mean = self._read(question)
        odds = tilt(guess=mean, answer=given, within=slack, error=float(self._error))
        if odds != 1:
            self._masses.tilt(values, odds=odds, mean=mean)
            self._last = None
            self.updates += 1

    def describe(self) -> dict[str, str]:
        return {"kind": self.kind, "cells": str(self.cells), "error": str(self._error)}

    def _read(self, question: Question) -> tuple[Weighing, float]:
        """The values of a question and their mean; a lesson follows the guess it corrects."""
        if self._last is None or self._last[0] != question.digest:
            values = self._values(question)
            if values.shape != (self.cells,) or values.dtype not in (np.bool_, np.float64):
                raise InvalidInput(
                    argument="values",
                    accepted=f"{self.cells:,} flags or doubles",
                    given=f"{values.dtype} of shape {values.shape}",
                )
            self._last = question.digest, values, self._masses.mean(values)
        return self._last[1:]


def tilt(*, guess: float, answer: float, within: float, error: float) -> float:
    """The factor e^ρ of T-mw for a cell where the question is true; 1 if nothing is to be learnt.

    The truth is within `within` of the answer and at least `error` from the guess, so at least
    |answer − guess| − `within` too: the larger is how far the guess is to move, if this stays near
    the answer. Inside `within` the side is unknown. A guess of 0 or 1 is one that no weights move.
    """
    gap = abs(answer - guess)
    if gap <= within or not 0 < guess < 1:
        return 1.0
    move = min(max(error, gap - within), gap + within)
    aim = guess + math.copysign(move, answer - guess)
    if aim >= 1 or aim <= 0:
        return _LARGEST_ODDS if aim >= 1 else 1 / _LARGEST_ODDS
    odds = aim * (1 - guess) / ((1 - aim) * guess)
    return min(max(odds, 1 / _LARGEST_ODDS), _LARGEST_ODDS)


Evaluator = Callable[[dict[str, npt.NDArray[np.generic]]], Values]

_KEPT = 16


@final
class ProductValues:
    """What a question says of each cell of a domain, for `MultiplicativeWeights`.

    `table` makes the evaluator of some columns, given as arrays. The question is evaluated once for
    each combination of values of the columns it mentions and then repeated over all others, so a
    question about two columns out of ten takes little more than writing its values down.
    """

    __slots__ = ("_domain", "_table", "_tables")

    def __init__(self, domain: Domain, table: Evaluator) -> None:
        self._domain, self._table = domain, table
        self._tables: OrderedDict[tuple[str, ...], Values] = OrderedDict()

    def __call__(self, question: Question) -> Weighing:
        named = mentioned(question)
        unknown = named - set(self._domain.columns)
        if unknown:
            raise InvalidInput(
                argument="question",
                accepted=f"about columns of the domain: {', '.join(self._domain.columns)}"[:200],
                given=f"about {min(unknown)}"[:80],
            )
        part = self._domain.only(named)
        values = self._evaluator(part)(question)
        own = [len(points) if name in named else 1 for name, points in self._domain.axes]
        whole = [len(points) for _, points in self._domain.axes]
        return cast(Weighing, np.broadcast_to(values.reshape(own), whole).reshape(-1))

    def _evaluator(self, part: Domain) -> Values:
        names = tuple(part.columns)
        if names not in self._tables:
            self._tables[names] = self._table(part.columns_as_arrays())
            if len(self._tables) > _KEPT:
                self._tables.popitem(last=False)
        self._tables.move_to_end(names)
        return self._tables[names]


def mentioned(question: Question) -> set[str]:
    """The names of all columns on which a share or a mean depends."""
    match question.form:
        case Share(root) | Mean(root):
            return columns(root)
        case form:
            raise InvalidInput(
                argument="question",
                accepted="a share or a mean, which have one number",
                given=f"a {type(form).__name__.lower()}",
            )
