"""Scores that are no plain mean over all rows: how they are prepared, and then asked for."""

import math
from dataclasses import dataclass, replace
from typing import final

from peekproof.core.errors import InvalidInput
from peekproof.derive.derived import Derived
from peekproof.learn.asking import PartAsking
from peekproof.learn.column import (
    Labels,
    Predictions,
    check_index,
    index_of,
    labels_of,
    predictions_of,
)
from peekproof.learn.composite import Composite
from peekproof.learn.desk import Desk
from peekproof.learn.guesses import Expected, Trained, remembered
from peekproof.learn.metric import Metric
from peekproof.learn.metrics.probability import Brier
from peekproof.learn.own_rows import refuse_own_answers
from peekproof.learn.predicting import is_model


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class InParts:
    """What a score in parts needs of a holdout, and what was said when it was asked for."""

    desk: Desk
    trained: Trained | None
    last: dict[str, float]
    guess: float | None = None
    tolerance: float | None = None
    trained_on: int | None = None
    where: str = ""
    group: float = 0.5  # a guess at the share of rows for which the condition holds
    alone: bool = True  # whether nothing else is asked for with it, so that it is refused if empty

    def score(self, what: object, metric: Metric | Composite, predicted: Predictions) -> Derived:
        """A composite, or a mean among the rows for which a condition holds."""
        metric.check(self.desk.labels, predicted)
        if not isinstance(metric, Composite):
            return self._mean_asking(what, metric, predicted).mean(metric)
        if self.where and not metric.grouped:
            raise InvalidInput(
                argument="where",
                accepted=f"left out for {metric.NAME}",
                given=repr(self.where)[:80],
                hint="open a holdout of these rows alone",
            )
        given = self._whole(what, metric, metric.least, 1.0)
        return self._asking(what, metric, predicted, given, self.tolerance).composite(metric)

    def nothing(self, what: object, metric: Metric, predicted: Predictions) -> InvalidInput | None:
        """Why a mean among some rows says nothing if they are as many as is guessed, if so."""
        metric.check(self.desk.labels, predicted)
        return self._mean_asking(what, metric, predicted).nothing_among(metric)

    def _mean_asking(self, what: object, metric: Metric, predicted: Predictions) -> PartAsking:
        given = self._whole(what, metric, 0.0, metric.span)
        share = None if self.tolerance is None else self.tolerance / metric.span
        return self._asking(what, metric, predicted, given, share)

    def _whole(
        self, what: object, metric: Metric | Composite, least: float, most: float
    ) -> float | None:
        """A guess at the score itself; training rows say more, for they say it of each part."""
        if self.guess is not None:
            return between(self.guess, least, most)
        if self.trained is not None or not is_model(what):
            return None
        found = remembered(what, metric)
        return None if found is None or found > most else found

    def binning(
        self,
        what: object,
        predicted: Predictions,
        *,
        positive: float | str,
        seen: Expected | None,
    ) -> PartAsking:
        """Asks for shares of bins, which are guessed from `seen` rows if there are some."""
        metric = Brier(positive)
        metric.check(self.desk.labels, predicted)
        asking = self._asking(what, metric, predicted, None, self.tolerance)
        if seen is None:
            return asking
        metric.check(seen.labels, seen.predicted)
        refuse_own_answers(seen, predicted)
        return replace(asking, expected=seen)

    def _asking(
        self,
        what: object,
        metric: Metric | Composite,
        predicted: Predictions,
        given: float | None,
        tolerance: float | None,
    ) -> PartAsking:
        expected: Expected | None = None
        if self.trained is not None and is_model(what):
            expected = self.trained.expected(what, metric)
            metric.check(expected.labels, expected.predicted)
        return PartAsking(
            desk=self.desk,
            predicted=predicted,
            given=given,
            tolerance=tolerance,
            trained_on=self.trained_on,
            where=self.where,
            group=self.group,
            alone=self.alone,
            expected=expected,
            last=self.last,
        )


def seen_rows(validation: tuple[object, object]) -> Expected:
    """Labels and predictions of rows that may be looked at."""
    labels: Labels = labels_of(validation[0])
    if index_of(validation[0]) is not None:
        index = index_of(validation[0])
        check_index(validation[1], index, "validation[1]", rows="the labels of validation")
    return Expected(labels, predictions_of(validation[1], rows=labels.rows))


def between(guess: object, low: float, high: float) -> float:
    """A guess, if the score can be so."""
    try:
        found = float(guess)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        found = math.nan
    if not low <= found <= high or math.isinf(found):
        reach = f"from {low:g} to {high:g}" if math.isfinite(low) else f"of at most {high:g}"
        raise InvalidInput(argument="guess", accepted=f"a score {reach}", given=repr(guess)[:80])
    return found
