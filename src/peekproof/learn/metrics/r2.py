"""How much of the variance of labels is explained, from three means that hold together."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

from peekproof.core.answer import Answer
from peekproof.derive.derived import Derived
from peekproof.derive.joint import Joint
from peekproof.derive.range import Range
from peekproof.learn.column import Labels, Predictions
from peekproof.learn.composite import Asking
from peekproof.learn.metric import Wants
from peekproof.learn.metrics import kinds
from peekproof.learn.metrics.arguments import width, written
from peekproof.learn.metrics.label_moments import LabelMean, LabelSpread
from peekproof.learn.metrics.numeric import SquaredError


@final
@dataclass(frozen=True, slots=True)
class R2:
    """1 − E(y − ŷ)²/Var y, for labels between the bounds.

    No error counts more than their distance, so for predictions far outside it is more than that.

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
        kinds.numbers(labels, predictions)

    def found(self, asking: Asking) -> Derived:
        across = width(self.low, self.high)
        mean = asking.label_part(LabelMean(self.low, self.high), across / 2)
        centre = min(max(self.low + mean.value, self.low), self.high)
        spread = asking.label_part(LabelSpread(centre, self.low, self.high), across**2 / 12)
        error = asking.part(
            SquaredError(self.low, self.high), lambda: (1 - asking.whole) * spread.value
        )
        off = Fraction(centre) - Fraction(self.low)
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
    furthest = max(end * end for end in ends)
    nearest = Fraction(0) if ends[0] <= 0 <= ends[1] else min(end * end for end in ends)
    least = Fraction(spread.low) - furthest
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
