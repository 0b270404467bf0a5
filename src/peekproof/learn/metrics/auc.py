"""The area under the curve: how often predictions rank a row of a class above another row."""

from dataclasses import dataclass
from typing import ClassVar, final

from peekproof.derive.derived import Derived
from peekproof.derive.linear import portion
from peekproof.learn.column import Labels, Predictions
from peekproof.learn.composite import Asking
from peekproof.learn.metric import Wants
from peekproof.learn.metrics.kinds import Argument, class_name, written
from peekproof.learn.metrics.ranked import Order, Ranked


@final
@dataclass(frozen=True, slots=True)
class AUC:
    """concordant/(concordant + anticoncordant), of two means over pairs that hold together.

    In the population it is the probability that of two fresh rows of different classes the
    prediction is larger for the one of the class, a tie counting one half. Where only labels are
    fresh, so that rows differ in what is expected of them, it is the quotient of the two
    expectations: pairs weigh as much as their classes are likely to differ.
    """

    NAME: ClassVar[str] = "auc"
    higher: ClassVar[bool] = True
    wants: ClassVar[Wants] = Wants.NUMBER
    least: ClassVar[float] = 0.0
    grouped: ClassVar[bool] = False

    positive: Argument = 1.0

    def __post_init__(self) -> None:
        class_name(positive=self.positive)

    @property
    def text(self) -> str:
        return written(self.NAME, self.positive)

    def check(self, labels: Labels, *predictions: Predictions) -> None:
        Ranked(Order.CONCORDANT, self.positive).check(labels, *predictions)

    def found(self, asking: Asking) -> Derived:
        over, under = (Ranked(order, self.positive) for order in Order)
        _check(asking, over, under, share=0.5)  # no more pairs are of different classes
        concordant = asking.pairs(
            over,
            lambda: asking.whole * self._different(asking, over, under),
            again=True,
        )
        rest = asking.pairs(
            under,
            lambda: self._different(asking, over, under) - concordant.value,
        )
        return portion(concordant, rest=rest)

    def _different(self, asking: Asking, over: Ranked, under: Ranked) -> float:
        """About how many pairs are of different classes, whoever predicts; refused if too few."""
        share = asking.class_share(self.positive)
        different = 2 * share * (1 - share)
        _check(asking, over, under, share=different)
        return different


def _check(asking: Asking, over: Ranked, under: Ranked, *, share: float) -> None:
    problem = asking.empty(over, under, share=share)
    if problem is not None:
        raise problem
