"""The rows of a holdout given as rows to guess from: then guesses would be looks at its labels."""

import math
from collections.abc import Callable
from functools import cached_property
from typing import final

import numpy as np
import numpy.typing as npt

from peekproof.core.errors import InvalidInput
from peekproof.core.shared_columns import ENOUGH
from peekproof.data.column_marks import order_mark
from peekproof.data.fingerprint import Words
from peekproof.learn.column import Predictions
from peekproof.learn.desk import Desk
from peekproof.learn.features import ACCEPTED, Features
from peekproof.learn.model import Expected, Trained

_ORDERS = 1e6  # in more than so many, the same order is no chance
_ENOUGH_KINDS = 30  # of rows that are there once or twice tell how often chance repeats one
_NOT_BY_CHANCE = 6  # N₂² is at most 3/2·N₁·N₃ where it is chance, and four times that by bad luck
_COPIES = 3  # of each row are the work of somebody; more may be a design, unless of measurements
_COMBINATIONS = 10  # for each row, of values of which no two rows need have the same
_MEETINGS = 7  # of rows, where so many are expected and there is none once in a thousand times
_FINE = 1 << 22  # numbers of 32 bits that a measurement may well be
_FEW_TWINS = 50  # one row in so many may have been copied among measurements


@final
class OwnRows:
    """The rows of a holdout by what their features say, and never by labels.

    Whether a label is that of a row must not be told: asked for each row and each class, it would
    be every label, unrecorded and free. So rows are compared by their features alone, which
    whoever predicts for them knows.

    Other rows of the same population may look like rows of the holdout where features take few
    values, and how often they do the holdout tells by itself. If N₁, N₂ and N₃ of its n rows are
    there once, twice and three times, and p different rows are possible, then of m rows that
    others drew about

        c = m·(2·N₂ + 3·N₃)/n + m·n/p

    look like one that is there once or twice (Good and Turing; by the second term, which is what
    even chances give, also if none met by luck). More than 2c + 3√c of them are refused: from 1
    on where c is below 0.07, as it is for measurements and texts. Some things are known better:

    - If all rows are there k times, or many twice and hardly any three times, somebody has
      repeated them, and they count once: N₂² is at most 3/2·N₁·N₃ by chance.
    - If two columns of measurements each tell most rows apart, so have been the few twins.
    - If even chances among p would have made far more twins than there are, rows have a key, and
      the second term is nothing.
    - If no column tells most rows apart, they are combinations of few values: N₂ counts 1 more,
      and if less than ten for each row are possible, nothing is told.
    - Of less than 30 that are there once or twice, and are not half of all rows, nothing is told.

    Where nothing is told, all rows of the holdout in its order are refused, if it is no design.
    """

    def __init__(self, features: Callable[[], Features | None], *, given: bool) -> None:
        self._find, self._given = features, given

    @classmethod
    def of(cls, desk: Desk, features: object) -> "OwnRows":
        """Those of a desk of this process; of another one, those whose features are given here."""
        if desk.held is not None and desk.held.features is not None:
            held = desk.held.features
            return cls(lambda: held, given=True)
        return cls(lambda: Features.of(features), given=features is not None)

    @cached_property
    def _features(self) -> Features | None:
        return self._find()

    def refuse(self, trained: Trained | None) -> None:
        """Refuse training rows that are rows of the holdout, and those that cannot be compared.

        A holdout without features has predictions scored and no models, so nothing is guessed.
        """
        if trained is None or not self._given:
            return
        held, other = self._features, Features.of(trained.features)
        if held is None or other is None:
            kind = f"training, a {type(trained.features).__name__}"
            whose = "the holdout, which is none of these" if held is None else kind
            raise InvalidInput(
                argument="training",
                accepted=f"rows that can be compared with the holdout's: as X of both, {ACCEPTED}",
                given=f"X of {whose}",
                hint="rows of the holdout among them could not be told: convert it, or leave "
                "training out and give guesses",
            )
        mine, theirs = held.like(other)
        own = _found(held, mine, theirs)
        if len(own):
            found = "1 row of it" if len(own) == 1 else f"{len(own):,} rows of it"
            raise _own("training", f"{found}, the first as training row {own[0]:,} (from 0)")
        if _same_order(mine, theirs):
            raise _own("training", f"all {len(mine):,} rows of it, in their order")


def _same_order(mine: Words, theirs: Words) -> bool:
    """Whether rows are all of the holdout in its order, which neither design nor chance gives."""
    if not np.array_equal(mine, theirs):
        return False
    mark = order_mark("", mine, np.unique(mine, return_counts=True)[1].tolist())
    return mark is not None and mark.bits >= ENOUGH


def _found(held: Features, mine: Words, theirs: Words) -> npt.NDArray[np.intp]:
    """The places of training rows that are rows of the holdout; none if they may be others."""
    nothing = np.empty(0, np.intp)
    kinds, first, times = np.unique(mine, return_index=True, return_counts=True)
    known = np.isin(theirs, kinds)
    if not known.any():
        return nothing
    spreads = held.spreads(first)
    telling = [each for each in spreads if 2 * each.different > len(kinds)]
    measured = sum(each.possible is None for each in telling)
    copies = int(np.gcd.reduce(times)) if len(kinds) >= _ENOUGH_KINDS else 1
    if copies <= _COPIES or measured:
        times = times // copies
    once, twice, thrice = (int(np.count_nonzero(times == each)) for each in (1, 2, 3))
    rows, others = int(times.sum()), len(theirs)
    own = np.flatnonzero(known & np.isin(theirs, kinds[times <= 2]))
    if not len(own) or (once + twice < _ENOUGH_KINDS and 2 * (once + 2 * twice) < rows):
        return nothing
    possible = math.prod(_FINE if each.possible is None else each.possible for each in spreads)
    if not spreads or any(each.text for each in telling):
        possible = _FINE**2  # texts may be any
    if spreads and not telling:
        if possible < _COMBINATIONS * rows:
            return nothing
        twice += 1
    if rows**2 / (2 * possible) > _MEETINGS + 2 * (rows - once):
        possible = _FINE**2  # a key: by even chances many more would have met
    by_chance = _NOT_BY_CHANCE * once * (thrice + 1)
    repeated = once + twice >= _ENOUGH_KINDS and twice**2 > by_chance
    if (telling or not spreads) and (repeated or (measured > 1 and twice <= rows / _FEW_TWINS)):
        twice = thrice = 0
    chance = others * (2 * twice + 3 * thrice) / rows + others * rows / possible
    return own if len(own) > 2 * chance + 3 * math.sqrt(chance) else nothing


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
