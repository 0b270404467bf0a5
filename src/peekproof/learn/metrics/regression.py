"""Metrics of numbers: absolute and squared errors, moments of labels, and R².

No error counts more than the distance of two bounds, between which labels lie. The bounds belong to
the metric and must not come from the rows: narrow ones give narrow intervals. Predictions beyond
them are refused. Labels beyond them cannot be, for that would tell that there are some: their
errors are cut to the width. R² follows from three means that hold together.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, cast, final

import numpy as np

from peekproof.core.answer import Answer
from peekproof.core.errors import InvalidInput
from peekproof.derive.derived import Derived, Range
from peekproof.derive.joint import Joint
from peekproof.learn.column import Labels, Numbers, Predictions
from peekproof.learn.composite import Asking
from peekproof.learn.metric import Rows, Wants
from peekproof.learn.metrics import kinds
from peekproof.learn.metrics.kinds import finite, numeric_labels, width, written


@dataclass(frozen=True, slots=True)
class Bounded:
    """What metrics share whose labels lie between two bounds."""

    NAME: ClassVar[str] = ""
    flag: ClassVar[bool] = False
    charge_first: ClassVar[bool] = False
    wants: ClassVar[Wants] = Wants.LABEL

    low: float
    high: float

    def __post_init__(self) -> None:
        width(self.low, self.high)

    @property
    def text(self) -> str:
        return written(self.NAME, self.low, self.high)


@final
@dataclass(frozen=True, slots=True)
class AbsoluteError(Bounded):
    """|label − prediction|, in the units of the label."""

    NAME: ClassVar[str] = "absolute_error"
    higher: ClassVar[bool] = False

    @property
    def span(self) -> float:
        return width(self.low, self.high)

    def check(self, labels: Labels, *predictions: Predictions) -> None:
        kinds.within(kinds.numbers(labels, predictions), self.low, self.high)

    def values(self, labels: Labels, *predictions: Predictions) -> Rows:
        return np.abs(_errors(labels, predictions, self.span)) / self.span


@final
@dataclass(frozen=True, slots=True)
class SquaredError(Bounded):
    """(label − prediction)², in squares of the units of the label."""

    NAME: ClassVar[str] = "squared_error"
    higher: ClassVar[bool] = False

    @property
    def span(self) -> float:
        return width(self.low, self.high) ** 2

    def check(self, labels: Labels, *predictions: Predictions) -> None:
        kinds.within(kinds.numbers(labels, predictions), self.low, self.high)

    def values(self, labels: Labels, *predictions: Predictions) -> Rows:
        most = width(self.low, self.high)
        return (_errors(labels, predictions, most) / most) ** 2


@final
@dataclass(frozen=True, slots=True)
class Pinball:
    """The loss that the quantile of a level has least of, in the units of the label.

    level·error where the label is above the prediction, and (1 − level)·error where it is below.
    """

    NAME: ClassVar[str] = "pinball"
    flag: ClassVar[bool] = False
    charge_first: ClassVar[bool] = False
    higher: ClassVar[bool] = False
    wants: ClassVar[Wants] = Wants.LABEL

    level: float
    low: float
    high: float

    def __post_init__(self) -> None:
        width(self.low, self.high)
        if not 0 < finite(level=self.level) < 1:
            raise InvalidInput(
                argument="level", accepted="between 0 and 1", given=repr(self.level)[:80]
            )

    @property
    def span(self) -> float:
        return max(self.level, 1 - self.level) * width(self.low, self.high)

    @property
    def text(self) -> str:
        return written(self.NAME, self.level, self.low, self.high)

    def check(self, labels: Labels, *predictions: Predictions) -> None:
        kinds.within(kinds.numbers(labels, predictions), self.low, self.high)

    def values(self, labels: Labels, *predictions: Predictions) -> Rows:
        off = _errors(labels, predictions, width(self.low, self.high))
        loss = np.maximum(self.level * off, (self.level - 1) * off)
        return cast(Rows, np.minimum(loss / self.span, 1.0))


def _errors(labels: Labels, predictions: tuple[Predictions, ...], most: float) -> Rows:
    """Label minus prediction, no further from 0 than `most`."""
    (predicted,) = predictions
    with np.errstate(over="ignore"):  # what overflows is further off than anything counts
        off = cast(Numbers, labels.values) - cast(Numbers, predicted.values)
    return np.clip(off, -most, most)


@final
@dataclass(frozen=True, slots=True)
class LabelMean(Bounded):
    """How far the label, moved into the bounds, is above the lower one."""

    NAME: ClassVar[str] = "label_mean"
    higher: ClassVar[bool] = True

    @property
    def span(self) -> float:
        return width(self.low, self.high)

    def check(self, labels: Labels, *predictions: Predictions) -> None:
        numeric_labels(labels)
        no_predictions(predictions)

    def values(self, labels: Labels, *predictions: Predictions) -> Rows:  # noqa: ARG002
        inside = np.clip(cast(Numbers, labels.values), self.low, self.high)
        return (inside - self.low) / self.span


@final
@dataclass(frozen=True, slots=True)
class LabelSpread:
    """The square of the distance of the label, moved into the bounds, from a centre in them."""

    NAME: ClassVar[str] = "label_spread"
    flag: ClassVar[bool] = False
    charge_first: ClassVar[bool] = False
    higher: ClassVar[bool] = False
    wants: ClassVar[Wants] = Wants.LABEL

    centre: float
    low: float
    high: float

    def __post_init__(self) -> None:
        width(self.low, self.high)
        if not self.low <= finite(centre=self.centre) <= self.high:
            raise InvalidInput(
                argument="centre", accepted="between low and high", given=repr(self.centre)[:80]
            )

    @property
    def reach(self) -> float:
        """From the centre to the bound that is further away."""
        return max(self.high - self.centre, self.centre - self.low)

    @property
    def span(self) -> float:
        return self.reach**2

    @property
    def text(self) -> str:
        return written(self.NAME, self.centre, self.low, self.high)

    def check(self, labels: Labels, *predictions: Predictions) -> None:
        numeric_labels(labels)
        no_predictions(predictions)

    def values(self, labels: Labels, *predictions: Predictions) -> Rows:  # noqa: ARG002
        inside = np.clip(cast(Numbers, labels.values), self.low, self.high)
        return ((inside - self.centre) / self.reach) ** 2


def no_predictions(predictions: tuple[Predictions, ...]) -> None:
    """Refuse predictions where labels alone are asked about: each would be a question anew."""
    if predictions:
        raise InvalidInput(
            argument="metric", accepted="one of predictions", given="one of labels alone"
        )


@final
@dataclass(frozen=True, slots=True)
class R2:
    """1 − E(y − ŷ)²/Var y, for labels between the bounds.

    Predictions beyond them are refused. A label beyond them counts as if it was at the bound, and
    its error as at most their distance.

    Var y = E(y − c)² − (Ey − c)² for every c. With what was answered for Ey as c, which is public
    by then, the second term is at most the square of a radius, so the variance is known almost
    as well as the first. Both are about labels alone: asked once, and free for later models.
    """

    NAME: ClassVar[str] = "r2"
    higher: ClassVar[bool] = True
    wants: ClassVar[Wants] = Wants.LABEL
    least: ClassVar[float] = -float("inf")
    grouped: ClassVar[bool] = False

    low: float
    high: float

    def __post_init__(self) -> None:
        width(self.low, self.high)

    @property
    def text(self) -> str:
        return written(self.NAME, self.low, self.high)

    def check(self, labels: Labels, *predictions: Predictions) -> None:
        kinds.within(kinds.numbers(labels, predictions), self.low, self.high)

    def found(self, asking: Asking) -> Derived:
        across = width(self.low, self.high)
        mean = asking.label_part(LabelMean(self.low, self.high), across / 2)
        centre = min(max(self.low + mean.value, self.low), self.high)
        spread = asking.label_part(LabelSpread(centre, self.low, self.high), across**2 / 12)
        off = Fraction(centre) - Fraction(self.low)
        missed, guess = SquaredError(self.low, self.high), (1 - asking.whole) * spread.value
        if _least(spread, mean, off=off) <= 0 and asking.hidden(missed, guess):
            raise InvalidInput(
                argument="metric",
                accepted="one that says something for this guess: the interval would be all "
                "numbers of at most 1",
                given=f"{self.text}, where the variance of labels is known to be at most "
                f"{spread.high:.2g}, and not to be more than 0",
                hint="nothing was charged for the error, and what was answered of labels is free "
                "from now on: it takes more rows, or bounds that are nearer to the labels",
            )
        error = asking.part(missed, lambda: guess)
        return _explained(error, spread, mean, off=off, most=Fraction(across) ** 2 / 4)


def _explained(
    error: Answer, spread: Answer, mean: Answer, *, off: Fraction, most: Fraction
) -> Derived:
    """1 − error/(spread − (mean − off)²) where the variance is positive, and at most `most`.

    Sound by T-joint-function: it falls in the error and rises in the variance, so its extremes
    are at corners. Where the variance may be as small as it likes nothing bounds it from below.
    Rounds: outward, from exact quotients.
    """
    ends = [Fraction(end) - off for end in (mean.low, mean.high)]
    nearest = Fraction(0) if ends[0] <= 0 <= ends[1] else min(end * end for end in ends)
    least = _least(spread, mean, off=off)
    largest = min(Fraction(spread.high) - nearest, most)
    low = 1 - Fraction(error.high) / least if least > 0 else None
    high = 1 - max(Fraction(error.low), Fraction(0)) / largest if largest > 0 else Fraction(1)
    if low is not None and low > high:  # answers that contradict each other say nothing
        low, high = None, Fraction(1)
    span = Range.outward(low, high)
    variance = spread.released - (mean.released - off) ** 2
    value = 1 - error.released / variance if variance > 0 else Fraction(0)
    joint = Joint.of(Joint.on(each, each.certificate) for each in (error, spread, mean))
    return Derived(label="r2", released=span.nearest(value), interval=span, joint=joint)


def _least(spread: Answer, mean: Answer, *, off: Fraction) -> Fraction:
    """What the variance is at least; nothing is known of it if that is not more than 0."""
    ends = (Fraction(end) - off for end in (mean.low, mean.high))
    return Fraction(spread.low) - max(end * end for end in ends)
