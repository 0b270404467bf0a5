"""How pairs of rows are ranked: the parts of the area under the curve.

Of two rows of which one is of a class and the other is not, a prediction should be larger for the
first. Counted by ranks, in O(n log n), and exactly: twice, so that ties count one half.
"""

from dataclasses import dataclass
from enum import Enum
from typing import ClassVar, cast, final

import numpy as np

from peekproof.core.errors import InvalidInput
from peekproof.learn.column import Labels, Numbers, Predictions
from peekproof.learn.metric import Wants
from peekproof.learn.metrics.kinds import Argument, class_name, class_of_kind, one_each, written


class Order(Enum):
    """Which pairs of different classes count; both orders together are all of these pairs."""

    CONCORDANT = "concordant"  # the prediction is larger for the row of the class
    ANTICONCORDANT = "anticoncordant"  # it is larger for the other one


@final
@dataclass(frozen=True, slots=True)
class Ranked:
    """The share of all pairs of rows that are of different classes and in this order.

    A tie counts one half in either. Both are symmetric in the two rows, and no means over rows.
    """

    wants: ClassVar[Wants] = Wants.NUMBER

    order: Order
    positive: Argument = 1.0

    def __post_init__(self) -> None:
        class_name(positive=self.positive)

    @property
    def NAME(self) -> str:  # noqa: N802 (a constant of other metrics)
        return self.order.value

    @property
    def text(self) -> str:
        return written(self.NAME, self.positive)

    def check(self, labels: Labels, *predictions: Predictions) -> None:
        """Refuse what cannot be ranked, by its kind and shape."""
        class_of_kind(labels, self.positive)
        if len(predictions) != 1:
            raise InvalidInput(
                argument="predictions",
                accepted="those of one model, which rank the rows",
                given=f"{len(predictions)} of them",
            )
        predicted = one_each(predictions, accepted="one number a row, to rank it by")
        if predicted.text:
            raise InvalidInput(
                argument="predictions",
                accepted="one number a row, to rank it by",
                given="text",
            )
        if labels.rows < 2:
            raise InvalidInput(
                argument="metric", accepted="one of single rows", given="one of pairs, for 1 row"
            )

    def halves(self, labels: Labels, predicted: Predictions) -> int:
        """Twice the number of pairs that count; n(n − 1) if all do."""
        truth = np.equal(labels.values, self.positive)
        ranks = cast(Numbers, predicted.values)
        of_class, others = ranks[truth], np.sort(ranks[~truth])
        below = np.searchsorted(others, of_class, side="left").sum(dtype=np.int64)
        not_above = np.searchsorted(others, of_class, side="right").sum(dtype=np.int64)
        found = int(below) + int(not_above)
        if self.order is Order.CONCORDANT:
            return found
        return 2 * len(of_class) * len(others) - found

    def share(self, labels: Labels, predicted: Predictions) -> float:
        """The share of rows that may be looked at."""
        return self.halves(labels, predicted) / (labels.rows * (labels.rows - 1))
