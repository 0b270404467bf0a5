"""How a holdout asks: what is predicted, what is expected of it, and for which parts."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar, final

from peekproof.core.answer import Answer
from peekproof.core.errors import USED_UP, InvalidInput
from peekproof.derive.derived import Derived
from peekproof.learn.calibrating import Calibration, calibrated
from peekproof.learn.choosing import Best, best
from peekproof.learn.column import Predictions, check_index, predictions_of
from peekproof.learn.comparing import Comparison, compare
from peekproof.learn.composite import Composite
from peekproof.learn.desk import Desk, Guessed
from peekproof.learn.differing import expected_difference
from peekproof.learn.guesses import Trained, expected_score
from peekproof.learn.in_parts import InParts, between, seen_rows
from peekproof.learn.metric import Metric
from peekproof.learn.metrics.probability import Brier
from peekproof.learn.predicting import Predicting, is_model, predicted_by
from peekproof.learn.scoring import Scoring

V = TypeVar("V")
Score = Answer | Derived  # what follows from several answers is derived


@contextmanager
def in_several() -> Iterator[None]:
    """Say, if one of several questions is refused, what has become of those before it."""
    try:
        yield
    except USED_UP as refused:
        refused.of_several = True
        raise


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Expecting:
    """What was said about a score beforehand."""

    guess: float | None = None
    tolerance: float | None = None
    trained_on: int | None = None


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Scores:
    """Asks a desk about models. `last` is what was answered before, by metric."""

    desk: Desk
    features: object
    trained: Trained | None
    index: Any = None  # by which pandas names the rows
    last: dict[str, float] = field(default_factory=dict)

    def score(
        self, what: object, metric: Metric | Composite, given: Expecting, *, where: str = ""
    ) -> Score:
        """The score of a model or of predictions, by one answer or several."""
        predicted = self.predicted(what, metric)
        if where or isinstance(metric, Composite):
            with in_several():
                return self._parts(given, where=where).score(what, metric, predicted)
        scoring = Scoring.of(metric, self.desk.labels, predicted)
        answer = self.desk.ask(scoring, self._guessed(what, metric, given))
        self.last[metric.text] = answer.value
        return answer

    def score_by(
        self,
        what: object,
        metric: Metric | Composite,
        given: Expecting,
        conditions: Mapping[V, str],
    ) -> dict[V, Derived]:
        """The score among the rows for which each of some conditions holds.

        Refused before anything is asked for if no group would say anything, were they all alike.
        """
        predicted, even = self.predicted(what, metric), 1 / max(2, len(conditions))
        alone = len(conditions) == 1
        groups = {
            value: self._parts(given, where=where, group=even, alone=alone)
            for value, where in conditions.items()
        }
        for where in conditions.values():
            self.desk.condition(where)
        if not isinstance(metric, Composite) and not alone:
            _check_groups(each.nothing(what, metric, predicted) for each in groups.values())
        with in_several():
            return {value: each.score(what, metric, predicted) for value, each in groups.items()}

    def calibration(
        self,
        what: object,
        *,
        bins: int,
        positive: float | str,
        validation: tuple[object, object] | None,
        tolerance: float | None,
    ) -> Calibration:
        """How often the positive class comes, by bins of its probability."""
        predicted = self.predicted(what, Brier(positive))
        seen = None if validation is None else seen_rows(validation)
        parts = self._parts(Expecting(tolerance=tolerance))
        asking = parts.binning(what, predicted, positive=positive, seen=seen)
        with in_several():
            return calibrated(asking, bins=bins, positive=positive)

    def compare(
        self, pair: tuple[object, object], metric: Metric, *, guess: object, names: tuple[str, str]
    ) -> Comparison:
        """Which of two is better."""
        predicted = [self.predicted(each, metric) for each in pair]
        last = self.last.get(metric.text, metric.span / 2)
        expected = expected_difference(guess, pair, metric, trained=self.trained, last=last)
        with in_several():
            return compare(self.desk, metric, predicted, expected, names=names)

    def best(self, models: Mapping[str, object], metric: Metric) -> Best:
        """The best of several."""
        predicted = {name: self.predicted(each, metric) for name, each in models.items()}
        return best(self.desk, metric, predicted)

    def predicted(self, what: object, metric: Predicting) -> Predictions:
        """What a model says of the rows, or what was predicted for them."""
        if is_model(what):
            what = predicted_by(what, self.features, metric)
        check_index(what, self.index, "predictions", rows="the rows of the holdout")
        return predictions_of(what, rows=self.desk.labels.rows)

    def _guessed(self, what: object, metric: Metric, given: Expecting) -> Guessed:
        """What was said, else what the model or its training rows say, else the last answer.

        A guess of which nobody says where it comes from is taken to be from as many rows as are
        held: that is a choice of its tolerance, and no certificate rests on it.
        """
        guess, rows = given.guess, given.trained_on
        if guess is None:
            found = expected_score(what, metric, self.trained)
            if found is None:
                last = self.last.get(metric.text, metric.span / 2)
                return Guessed(share=last, tolerance=given.tolerance, trained_on=rows)
            guess, rows = found.score, found.rows if rows is None else rows
        return Guessed(
            share=between(guess, 0.0, metric.span),
            tolerance=given.tolerance,
            trained_on=self.desk.labels.rows if rows is None else rows,
        )

    def _parts(
        self, given: Expecting, *, where: str = "", group: float = 0.5, alone: bool = True
    ) -> InParts:
        return InParts(
            desk=self.desk,
            trained=self.trained,
            last=self.last,
            guess=given.guess,
            tolerance=given.tolerance,
            trained_on=given.trained_on,
            where=where,
            group=group,
            alone=alone,
        )


def _check_groups(problems: Iterable[InvalidInput | None]) -> None:
    """Refuse groups of which none would say anything."""
    first: InvalidInput | None = None
    for problem in problems:
        if problem is None:
            return
        first = first or problem
    if first is not None:
        raise first
