"""A metric of one's own: any function that says what each row is worth."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import ClassVar, final

import numpy as np
import numpy.typing as npt

from peekproof.core.errors import InvalidInput
from peekproof.learn.column import Labels, Predictions
from peekproof.learn.metric import Rows, Wants
from peekproof.learn.metrics.named import COMPOSITES, METRICS, PAIRS
from peekproof.learn.metrics.quotients import Rest

Worth = Callable[..., object]

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]{0,39}")
_SINGLE = 16  # made-up rows that a function is given one by one
_ROUNDING = 1e-12  # how much a number may differ with the rows that are computed with it


@final
@dataclass(frozen=True, slots=True)
class Custom:
    """What a function of labels and predictions gives for each row, from 0 to 1.

    The function is tried on made-up labels first, which is free, and what is wrong there is told:
    on declared classes, else on predicted labels and on a few that nobody predicted, for labels
    need not be among predictions. Where fewer than two can be made up, classes have to be declared.

    On the real ones it cannot fail any more: a row that it raises for, or gives no number from 0 to
    1 for, counts as the worst, so that a label that was not made up never makes a score better.
    So each row is worth something, whatever its label is, and if that depends on this row alone,
    the mean is certified as any other. That it does is checked on made-up rows, too: a function
    that gives them other numbers in parts or one by one than all together is refused. One that
    mixes rows for some real labels only is not found out.

    An error instead would be one more thing that a check can say of the labels, besides that the
    guess passed and the bins of one that failed, which is all that T-check-horizon counts.
    """

    flag: ClassVar[bool] = False
    charge_first: ClassVar[bool] = True
    span: ClassVar[float] = 1.0

    NAME: str
    higher: bool
    wants: Wants
    function: Worth = field(compare=False, repr=False)

    @property
    def text(self) -> str:
        return self.NAME

    def check(self, labels: Labels, *predictions: Predictions) -> None:
        """Refuse predictions that the function cannot score, whatever the labels are."""
        like, given = self._like(labels, predictions), [each.values for each in predictions]
        if labels.text and labels.classes is None and len(_distinct(like)) < 2:
            raise self._undeclared(len(_distinct(like)))
        for made_up in _made_up(labels, *like):
            try:
                found = self._called(made_up, *given)
            except Exception as error:
                problem = f"{type(error).__name__}: {error}"[:200]
                raise self._refused(f"{problem}, on made-up labels") from error
            if found.shape != (labels.rows,):
                raise self._refused(f"an array of shape {found.shape} for {labels.rows:,} rows")
            self._check_range(found, made_up)
        mixed = [*_mixed(labels, *like)]
        for each in mixed:
            self._check_alone(each, *given)
        if self.wants is not Wants.LABEL:
            mixed = []  # beside probabilities, which are of 0 and 1 unless classes are declared
        for each in (*mixed, *_besides(labels, like, numbers=self.wants is Wants.LABEL)):
            try:
                found = self._called(each, *given)
            except Exception:  # noqa: S112 (there may be no such labels)
                continue
            if found.shape == (labels.rows,):
                self._check_range(found, each)

    def _check_range(self, found: Rows, made_up: npt.NDArray[np.generic]) -> None:
        wrong = ~((found >= 0) & (found <= 1))
        if wrong.any():
            row = int(wrong.argmax())
            label = made_up[row].item()
            given = f"{found[row]:g} in row {row:,} (from 0), if its label were {label!r}"
            raise self._refused(given[:160])

    def _like(
        self, labels: Labels, predictions: tuple[Predictions, ...]
    ) -> list[npt.NDArray[np.generic]]:
        """Predictions that are what labels are: no probabilities."""
        if self.wants is not Wants.LABEL:
            return []
        return [e.values for e in predictions if e.values.ndim == 1 and e.text == labels.text]

    def _check_alone(self, *given: npt.NDArray[np.generic]) -> None:
        """Refuse a function that gives a made-up row another number among other rows.

        Labels that it fails for all together say nothing: there may be none of them.
        """
        rows = len(given[0])
        try:
            whole = self._called(*given)
        except Exception:
            return
        if whole.shape != (rows,):
            raise self._refused(f"an array of shape {whole.shape} for {rows:,} rows")
        cut = rows // 3
        some = np.linspace(0, rows - 1, min(rows, _SINGLE)).astype(int).tolist()
        parts = [slice(cut), slice(cut, rows), *(slice(row, row + 1) for row in some)]
        for part in parts:
            if part.stop in {part.start, 0}:
                continue
            try:
                found = self._called(*(each[part] for each in given))
            except Exception as error:
                raise self._mixing(f"{type(error).__name__} for some of the rows alone") from error
            wanted = whole[part]
            if found.shape != wanted.shape:
                raise self._mixing(f"an array of shape {found.shape} for {len(wanted):,} rows")
            off = ~np.isclose(found, wanted, rtol=_ROUNDING, atol=_ROUNDING, equal_nan=True)
            if off.any():
                first = int(off.argmax())
                row = (part.start or 0) + first
                raise self._mixing(
                    f"{wanted[first]:g} in row {row:,} (from 0) among {rows:,} made-up rows and "
                    f"{found[first]:g} among {len(wanted):,} of them"
                )

    def _mixing(self, given: str) -> InvalidInput:
        return InvalidInput(
            argument="metric",
            accepted="a function that gives every row a number that depends on this row alone, on "
            f"its label and its prediction ({self.NAME})",
            given=given[:200],
            hint="nothing was asked of the holdout. Of numbers that follow from all rows together, "
            "such as ranks, parts of the largest or a score of them all, nothing is certified: "
            "divide by a number that is fixed beforehand",
        )

    def values(self, labels: Labels, *predictions: Predictions) -> Rows:
        given = [labels.values, *(each.values for each in predictions)]
        try:
            found = self._called(*given)
        except Exception:
            found = None
        if found is None or found.shape != (labels.rows,):
            found = np.array(
                [self._one(*(each[row : row + 1] for each in given)) for row in range(labels.rows)]
            )
        # Not cut to 0 or 1: what a label costs beyond the range would flatter a score.
        inside = (found >= -_ROUNDING) & (found <= 1 + _ROUNDING)
        return np.clip(np.where(inside, found, self._worst), 0.0, 1.0)

    @property
    def _worst(self) -> float:
        return 0.0 if self.higher else 1.0

    def _called(self, *given: npt.NDArray[np.generic]) -> Rows:
        with np.errstate(all="ignore"):  # a warning could be about a label
            told = self.function(*(each.copy() for each in given))
            if np.ma.is_masked(told):
                raise ValueError("some of the numbers are masked")
            if np.iscomplexobj(np.asarray(told)):
                raise ValueError("the numbers are complex")
            return np.asarray(told, dtype=np.float64)

    def _one(self, *given: npt.NDArray[np.generic]) -> float:
        """What one row is worth."""
        try:
            found = self._called(*given)
        except Exception:
            return self._worst
        return float(found[0]) if found.shape == (1,) else self._worst

    def _undeclared(self, count: int) -> InvalidInput:
        predicted = "one label is" if count == 1 else "no label is"
        return InvalidInput(
            argument="metric",
            accepted=f"one that can be tried on at least two made-up labels ({self.NAME})",
            given=f"labels that are text, of which {predicted} known by predictions",
            hint="nothing was asked of the holdout. Declare the labels that there can be where it "
            "is opened in Python: Holdout(…, classes=[…])",
        )

    def _refused(self, given: str) -> InvalidInput:
        return InvalidInput(
            argument="metric",
            accepted=f"a function that gives a number from 0 to 1 for every row ({self.NAME})",
            given=given,
            hint="nothing was asked of the holdout. Divide by the most that a row can cost; if "
            "labels are not as they were made up, declare them where the holdout is opened in "
            "Python: Holdout(…, classes=[…])",
        )


def _distinct(like: list[npt.NDArray[np.generic]]) -> list[object]:
    """The different labels that are predicted, in their order."""
    return np.unique(np.concatenate(like)).tolist() if like else []


def _besides(
    labels: Labels, like: list[npt.NDArray[np.generic]], *, numbers: bool
) -> Iterator[npt.NDArray[np.generic]]:
    """One label for all rows, of those that may be held though no row or few were predicted so.

    Predicted ones, the least and the largest among them, and 0 and 1; beside predicted numbers
    also 2 and 3, for classes are often numbered. Of declared classes all were tried.
    """
    if labels.classes is not None:
        return
    known = _distinct(like)
    some = np.linspace(0, len(known) - 1, min(len(known), _SINGLE)).astype(int).tolist()
    few: list[object] = [known[place] for place in some]
    if not labels.text:
        few += [0.0, 1.0, 2.0, 3.0] if numbers else [0.0, 1.0]
    for each in few:
        yield np.full(labels.rows, each)


def _made_up(labels: Labels, *like: npt.NDArray[np.generic]) -> Iterator[npt.NDArray[np.generic]]:
    """Labels that are like the real ones, as far as is public, to try a function on.

    Of declared classes each for every row, so that any real row has been tried. Else predicted
    labels, as if they were right, and as if each were that of the row before. Else 0 and 1 by
    turns; of texts that nobody declared or predicted nothing can be made up.
    """
    if labels.classes is not None:
        for named in labels.classes:
            yield np.full(labels.rows, named)
        return
    for each in like:
        yield each
        yield np.roll(each, 1)
    if not like and not labels.text:
        yield np.arange(labels.rows) % 2.0


def _mixed(labels: Labels, *like: npt.NDArray[np.generic]) -> Iterator[npt.NDArray[np.generic]]:
    """Labels by lot, the same each time, so that rows differ in what they are worth.

    Of declared classes; else of predicted labels, and of a few besides, for those may be all alike.
    """
    draws = np.random.default_rng(0)
    if labels.classes is not None:
        yield draws.choice(np.array(labels.classes), labels.rows)
        return
    if like:
        yield draws.choice(np.concatenate(like), labels.rows)
    two = np.array(["", "other"] if labels.text else [0.0, 1.0])
    more = two if labels.text else np.arange(4.0)
    for besides in (two, more):
        few = [*(draws.choice(each, 2) for each in like), besides]
        yield draws.choice(np.concatenate(few), labels.rows)


def metric(
    function: Worth, *, name: str, higher: bool = True, wants: str = Wants.LABEL.value
) -> Custom:
    """A metric whose score is the mean of function(labels, predictions), one number a row.

    name    identifies it in the ledger: the same name and predictions are the same question, so
            another function needs another name
    higher  whether more is better
    wants   the method of a model that predicts what it takes: "predict" or "predict_proba"

    What a row is worth must depend on that row alone, its label and its prediction: of numbers
    that follow from all rows together nothing is certified. The function is tried on made-up
    labels before it is shown the real ones, and refused if it fails, gives numbers that are not
    from 0 to 1, or gives rows other numbers among others than alone. That is a check on made-up
    rows and no proof: what mixes rows for real labels only is not detected. If it fails for a
    real label only, or gives no number from 0 to 1 for it, that row counts as the worst. Declared
    `classes` of a holdout are all tried. It runs where labels are held: take none that you do not
    trust.
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
