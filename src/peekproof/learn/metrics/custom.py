"""A metric of one's own: any function that says what each row is worth."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import ClassVar, final

import numpy as np

from peekproof.core.errors import EvaluationFailed, InvalidInput
from peekproof.learn.column import Labels, Predictions
from peekproof.learn.metric import Rows, Wants
from peekproof.learn.metrics.named import COMPOSITES, METRICS, PAIRS
from peekproof.learn.metrics.rest import Rest

Worth = Callable[..., object]

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}")


@final
@dataclass(frozen=True, slots=True)
class Custom:
    """What a function of labels and predictions gives for each row, moved into [0, 1]."""

    flag: ClassVar[bool] = False
    span: ClassVar[float] = 1.0

    NAME: str
    higher: bool
    wants: Wants
    function: Worth = field(compare=False, repr=False)

    @property
    def text(self) -> str:
        return self.NAME

    def check(self, labels: Labels, *predictions: Predictions) -> None:
        """Anything is taken: only the function knows what it can score."""

    def values(self, labels: Labels, *predictions: Predictions) -> Rows:
        given = [labels.values.copy(), *(each.values.copy() for each in predictions)]
        found = np.asarray(self.function(*given), dtype=np.float64)
        if found.shape != (labels.rows,):
            raise EvaluationFailed()
        worst = 0.0 if self.higher else 1.0
        return np.clip(np.where(np.isnan(found), worst, found), 0.0, 1.0)


def metric(
    function: Worth, *, name: str, higher: bool = True, wants: str = Wants.LABEL.value
) -> Custom:
    """A metric whose score is the mean of function(labels, predictions), one number a row.

    name    identifies it in the ledger: the same name and predictions are the same question, so
            another function needs another name
    higher  whether more is better
    wants   the method of a model that predicts what it takes: "predict" or "predict_proba"

    What a row is worth must depend on that row alone, its label and its prediction: of numbers
    that follow from all rows together nothing is certified, and that cannot be detected. Numbers
    below 0 count as 0, those above 1 as 1, and what is not a number as the worst. The function is
    shown the labels, and runs where they are held: take none that you do not trust.
    """
    if not callable(function):
        raise InvalidInput(
            argument="function",
            accepted="a function of labels and predictions",
            given=repr(function)[:80],
        )
    taken = {*METRICS, *COMPOSITES, *PAIRS}
    if not _NAME.fullmatch(str(name)) or name in taken or name.startswith(Rest.PREFIX):
        raise InvalidInput(
            argument="name",
            accepted="a name of letters, digits and _ that no other metric has",
            given=repr(name)[:80],
        )
    if wants not in {each.value for each in Wants}:
        raise InvalidInput(
            argument="wants",
            accepted=" or ".join(each.value for each in Wants),
            given=repr(wants)[:80],
        )
    return Custom(str(name), bool(higher), Wants(wants), function)
