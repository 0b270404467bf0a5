"""The rows of a holdout given as rows to guess from: then guesses would be looks at its labels."""

import math
from collections import Counter
from collections.abc import Callable, Iterable
from functools import cached_property
from typing import final

import numpy as np

from peekproof.core.errors import InvalidInput
from peekproof.learn.column import Predictions
from peekproof.learn.desk import Desk, LocalDesk
from peekproof.learn.guesses import Expected, Trained
from peekproof.learn.naming import digests

_ORDERS = 1e6  # in more than so many, the same order is no chance


@final
class OwnRows:
    """The rows of a holdout by the names that their features give them, and never by labels.

    Whether a label is that of a row must not be told: asked for each row and each class, it would
    be every label, unrecorded and free. So rows are compared by their features alone, which
    whoever predicts for them knows.

    Features name a row if no other row of the holdout has the same. Where several have, as where
    features take few values, rows elsewhere that look alike are no sign of anything.
    """

    def __init__(self, names: Callable[[], Iterable[str]]) -> None:
        self._names = names

    @classmethod
    def of(cls, desk: Desk, features: object) -> "OwnRows":
        """Those of a desk of this process; of another one, those whose features are given here."""
        if isinstance(desk, LocalDesk):
            held = desk.held
            return cls(lambda: held.names)
        return cls(lambda: digests(features) or ())

    @cached_property
    def _told_apart(self) -> frozenset[str]:
        return frozenset(name for name, times in Counter(self._names()).items() if times == 1)

    def refuse(self, trained: Trained | None) -> None:
        """Refuse training rows of which one or more are rows of the holdout.

        Where either side has no features to compare, nothing can be told, and nothing is.
        """
        names = None if trained is None else digests(trained.features)
        if names is None:
            return
        own = [place for place, name in enumerate(names) if name in self._told_apart]
        if own:
            found = "1 row of it" if len(own) == 1 else f"{len(own):,} rows of it"
            raise _own("training", f"{found}, the first as training row {own[0]:,} (from 0)")


def refuse_own_answers(seen: Expected, predicted: Predictions) -> None:
    """Refuse validation rows whose predictions are those for the rows of the holdout, one by one.

    By predictions alone: an error that depended on the labels beside them would tell these. Where
    other rows may well have the same predictions, as those of a constant, they are no sign.
    """
    if seen.predicted.digest == predicted.digest and _telling(predicted):
        raise _own("validation", "the predictions for its rows")


def _telling(predicted: Predictions) -> bool:
    """Whether the same predictions in the same order are hardly those for other rows.

    Either most of them differ, or there are many orders that they could be in.
    """
    _, times = np.unique(predicted.values, axis=0, return_counts=True)
    orders = math.lgamma(predicted.rows + 1) - sum(math.lgamma(each + 1) for each in times.tolist())
    return 2 * len(times) >= predicted.rows or orders > math.log(_ORDERS)


def _own(argument: str, given: str) -> InvalidInput:
    return InvalidInput(
        argument=argument,
        accepted="other rows than those of the holdout",
        given=given,
        hint="a guess that was made from the labels it is checked with is always confirmed, and "
        "nothing that is promised would be true: leave these rows out",
    )
