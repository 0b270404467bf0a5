"""What can be asked: questions in words, the best of several, statistics, means over pairs.

Each tells mechanisms from public information alone what is drawn for it (see `mechanisms.base`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Any, ClassVar, final

from peekproof.core.certificate import UNIT, Span
from peekproof.core.errors import InvalidInput
from peekproof.core.secret import Exact
from peekproof.data.source import Source
from peekproof.data.statistic import PairStatistic, Statistic
from peekproof.mechanisms.base import Mechanism
from peekproof.query.candidates import Candidates
from peekproof.query.form import (
    FILL,
    FINE,
    Form,
    Given,
    Grouped,
    Histogram,
    Mean,
    Quantile,
    Share,
    contribution,
)
from peekproof.query.question import Question
from peekproof.query.tree import Constant
from peekproof.theory.generalization.gaussian import cells_ball, weighted_cells_ball
from peekproof.theory.generalization.pairs import pair_levels
from peekproof.theory.generalization.statistic import statistic_span

_SHAPES: dict[type[Form], str] = {
    Share: "share",
    Mean: "mean",
    Histogram: "cells",
    Grouped: "cells",
    Quantile: "quantile",
}

_FINEST_BALL = 2**20
_ONE, _HALF = Fraction(1), Fraction(1, 2)


def _span(low: float, high: float) -> Span:
    return UNIT if (low, high) == (0, 1) else Span.between(Fraction(low), Fraction(high))


@final
@dataclass(frozen=True, slots=True)
class InWords:
    """A question in words, of any form that is drawn by itself."""

    question: Question

    charge_first: ClassVar[bool] = False
    moved_by: ClassVar[Fraction | None] = None

    def __post_init__(self) -> None:
        if isinstance(self.question.form, Given):
            raise TypeError("a quotient is drawn as its parts")

    @property
    def digest(self) -> str:
        return self.question.digest

    @property
    def text(self) -> str:
        return self.question.text

    @property
    def shape(self) -> str:
        return _SHAPES[type(self.question.form)]

    @property
    def span(self) -> Span:
        return _span(*self.question.form.span)

    @property
    def levels(self) -> int:
        form = self.question.form
        read = form.weight if isinstance(form, Histogram | Grouped) else form
        return FINE if isinstance(read, Mean) else 1

    @property
    def cells(self) -> int:
        form = self.question.form
        return form.steps if isinstance(form, Quantile) else form.dimension

    @property
    def ball(self) -> Fraction:
        """A little larger than it need be, so that ledgers add short numbers."""
        form = self.question.form
        if isinstance(form, Histogram) and isinstance(form.weight, Mean):
            # What a record adds is read in fixed point, and so is the 0 it adds to other cells.
            low, high = form.extent
            nothing = Fraction(contribution(0.0, low=low, high=high), FINE)
            exact = weighted_cells_ball(cells=form.dimension, low=-nothing, high=1 - nothing)
        else:
            # Parts f and 1 − f of two cells lie between the unit vectors, in the same ball.
            exact = cells_ball(cells=form.dimension, most=1)
        return Fraction(ceil(exact * _FINEST_BALL), _FINEST_BALL)

    @property
    def level(self) -> Fraction:
        form = self.question.form
        return form.level if isinstance(form, Quantile) else _HALF

    @property
    def questions(self) -> Sequence[Question]:
        return (self.question,)

    def exact(self, totals: Sequence[Exact[Any]], source: Source) -> Exact[Any]:  # noqa: ARG002
        return totals[0]


@final
@dataclass(frozen=True, slots=True)
class Best:
    """Which of several shares or means is the largest."""

    candidates: Candidates

    charge_first: ClassVar[bool] = False
    shape: ClassVar[str] = "choice"
    ball: ClassVar[Fraction] = _ONE
    level: ClassVar[Fraction] = _HALF
    moved_by: ClassVar[Fraction | None] = None

    @property
    def digest(self) -> str:
        return self.candidates.digest

    @property
    def text(self) -> str:
        return self.candidates.text

    @property
    def span(self) -> Span:
        return _span(*self.candidates.span)

    @property
    def levels(self) -> int:
        return FINE if isinstance(self.candidates.questions[0].form, Mean) else 1

    @property
    def cells(self) -> int:
        return len(self.candidates.questions)

    @property
    def questions(self) -> Sequence[Question]:
        return self.candidates.questions

    def exact(self, totals: Sequence[Exact[Any]], source: Source) -> Exact[Any]:  # noqa: ARG002
        return Exact.together(totals)


@final
@dataclass(frozen=True, slots=True)
class Measured:
    """A statistic of all rows, in units of what they can move it by together."""

    statistic: Statistic
    rows: int

    charge_first: ClassVar[bool] = True
    shape: ClassVar[str] = "statistic"
    levels: ClassVar[int] = FINE
    cells: ClassVar[int] = 1
    ball: ClassVar[Fraction] = _ONE
    level: ClassVar[Fraction] = _HALF
    questions: ClassVar[tuple[Question, ...]] = ()

    @property
    def digest(self) -> str:
        return self.statistic.digest

    @property
    def text(self) -> str:
        return self.statistic.text

    @property
    def span(self) -> Span:
        low, high = self.statistic.bounds
        moved = self.statistic.moved_by
        return statistic_span(rows=self.rows, sensitivity=moved, low=low, high=high)

    @property
    def moved_by(self) -> Fraction | None:
        return self.statistic.moved_by

    def exact(self, totals: Sequence[Exact[Any]], source: Source) -> Exact[Any]:  # noqa: ARG002
        return source.measure(self.statistic, levels=self.levels)


@final
@dataclass(frozen=True, slots=True)
class Paired:
    """A mean over all pairs of rows, which are worth half as many rows (T-pairs)."""

    statistic: PairStatistic
    rows: int

    charge_first: ClassVar[bool] = True
    shape: ClassVar[str] = "pairs"
    span: ClassVar[Span] = UNIT
    cells: ClassVar[int] = 1
    ball: ClassVar[Fraction] = _ONE
    level: ClassVar[Fraction] = _HALF
    moved_by: ClassVar[Fraction | None] = None
    questions: ClassVar[tuple[Question, ...]] = ()

    @property
    def digest(self) -> str:
        return self.statistic.digest

    @property
    def text(self) -> str:
        return self.statistic.text

    @property
    def levels(self) -> int:
        return pair_levels(self.rows)

    def exact(self, totals: Sequence[Exact[Any]], source: Source) -> Exact[Any]:  # noqa: ARG002
        return source.measure(self.statistic, levels=self.levels)


# A share like any other, where it does not matter which.
ANY_SHARE = InWords(Question(text="a share", form=Share(Constant(True)), digest=""))


def any_pairs(rows: int) -> Paired:
    """A mean over pairs of so many rows, where it does not matter which."""
    return Paired(PairStatistic(name="any", function=lambda _: 0), rows)


def guessable(
    asked: Question | PairStatistic, mechanism: Mechanism, *, guess: float | None
) -> InWords | Paired:
    """What a guess can be checked about: a share, a mean, or a mean over pairs of rows."""
    if isinstance(asked, PairStatistic):
        return Paired(asked, mechanism.rows)
    form = asked.form
    if isinstance(form, Share | Mean):
        return InWords(asked)
    fill = FILL if isinstance(form, Given) and form.about_known else ""
    raise InvalidInput(
        argument="guess",
        accepted="for shares and means, in a session that checks guesses",
        given=repr(guess),
        hint=fill if mechanism.guesses else "open the data with mechanisms=[peekproof.Checking]",
    )
