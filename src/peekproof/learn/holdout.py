"""A holdout that can be scored on again and again: what people call."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar, final

from peekproof.core.answer import Answer
from peekproof.core.errors import USED_UP, InvalidInput
from peekproof.derive.derived import Derived
from peekproof.learn.calibrating import Calibration, calibrated
from peekproof.learn.choosing import Best, best, named
from peekproof.learn.column import Predictions, check_index, index_of, predictions_of
from peekproof.learn.comparing import Comparison, compare, expected_difference
from peekproof.learn.composite import Composite
from peekproof.learn.desk import Desk, Guessed
from peekproof.learn.groups import Value, columns_of, is_value, listed
from peekproof.learn.metric import Metric
from peekproof.learn.metrics.named import measure_of, metric_of
from peekproof.learn.metrics.probability import Brier
from peekproof.learn.model import (
    Predicting,
    Trained,
    between,
    expected_score,
    is_model,
    predicted_by,
    seen_rows,
    trained_rows,
)
from peekproof.learn.opening import held_rows, open_desk, rows_index
from peekproof.learn.own_rows import OwnRows
from peekproof.learn.parts import InParts
from peekproof.learn.score import MeanScore
from peekproof.learn.scorer import VALIDATION, Guess, HoldoutScorer
from peekproof.learn.searching import Search
from peekproof.learn.words import holdout_html, in_short, last_score, remaining
from peekproof.noise.entropy import Entropy
from peekproof.session.history import History

V = TypeVar("V")
ScoreAnswer = Answer | Derived  # what follows from several answers is derived


@final
class Holdout:
    """Rows that were held out, and a promise about every score that they give.

        holdout = peekproof.Holdout(X, y, confidence=0.95)
        answer = holdout.score(model)
        print(answer.value, answer.low, answer.high)

    X           features of the rows, as the models take them; None if only predictions come
    y           labels, numbers or text, one a row
    confidence  that all intervals hold together, whoever chose the models and however; 0.95
    questions   how many scores can be asked for in all; 10,000 for a new ledger
    metric      what is scored if nothing else is said: "accuracy"
    training    other rows, as (X, y), on which models are scored for a guess; a row of the holdout
                among them is refused, if it can be told by its features
    classes     the labels that there can be, if they are to be known: then predictions that are
                none of them are refused. They are public, and never read off y
    groups      columns by which rows can be grouped: a dictionary by names, or a data frame
    ledger      a file or postgresql://…?ledger=NAME: the budget is there, for every process that
                opens it, and outlives them. By default in memory
    analyst     who asks: charges are recorded under the name, and kept within its share
    """

    def __init__(
        self,
        X: object,  # noqa: N803 (what everybody calls it)
        y: object,
        *,
        confidence: float | None = None,
        questions: int | None = None,
        metric: object = "accuracy",
        training: tuple[object, object] | None = None,
        groups: object = None,
        classes: object = None,
        ledger: str | Path | None = None,
        analyst: str = "",
        override: str | None = None,
        entropy: Entropy | None = None,
    ) -> None:
        scored, trained = measure_of(metric), trained_rows(training)  # before a ledger is made
        desk = open_desk(
            held_rows(X, y, columns_of(groups), classes=classes),
            confidence=confidence,
            questions=questions,
            ledger=ledger,
            analyst=analyst,
            override=override,
            entropy=entropy,
        )
        try:
            self._set(desk, X, scored, trained, index=rows_index(X, y))
        except BaseException:
            desk.close()  # a traceback that is kept would keep the budget of these rows elsewhere
            raise

    def _set(
        self,
        desk: Desk,
        features: object,
        metric: Metric | Composite,
        trained: Trained | None,
        own: OwnRows | None = None,
        *,
        index: Any = None,
    ) -> None:
        self._own = OwnRows.of(desk, features) if own is None else own
        self._own.refuse(trained)
        self.desk = desk
        self.metric = metric
        self._scores = Scores(desk=desk, features=features, trained=trained, index=index)

    @classmethod
    def at(
        cls,
        desk: Desk,
        *,
        features: object = None,
        metric: object = "accuracy",
        training: tuple[object, object] | None = None,
    ) -> "Holdout":
        """A holdout whose rows are held at a desk elsewhere."""
        made = cls.__new__(cls)
        index = index_of(features)
        made._set(desk, features, measure_of(metric), trained_rows(training), index=index)
        return made

    def score(
        self,
        what: object,
        *,
        guess: float | None = None,
        tolerance: float | None = None,
        trained_on: int | None = None,
        metric: object = None,
        where: str = "",
    ) -> ScoreAnswer:
        """The score of a model, or of its predictions for the rows, with its interval.

        A guess is what training or cross-validation says; without one it is what the model
        remembers of its validation, else its score on the training rows, else the last answer.
        A guess that the rows confirm costs nothing but its number; one that fails is counted, and
        makes all later intervals a little wider. The same predictions again are free.

        Guess and tolerance are in the units of the metric. With `where`, a condition about groups
        or labels, it is the score among those rows for which it holds. That, and what is no mean
        over rows, follows from several answers; the tolerance is then that of each.
        """
        scored = self.metric if metric is None else measure_of(metric)
        given = Expecting(guess=guess, tolerance=tolerance, trained_on=trained_on)
        return self._scores.score(what, scored, given, where=where)

    def score_by(
        self,
        what: object,
        column: str,
        *,
        values: Iterable[Value] = (True, False),
        guess: float | None = None,
        tolerance: float | None = None,
        trained_on: int | None = None,
        metric: object = None,
    ) -> dict[Value, Derived]:
        """The score within each group, by the value of a column; all of them hold together.

        The values of a text or a number have to be told, for they are never read off the rows.
        """
        scored = self.metric if metric is None else measure_of(metric)
        given = Expecting(guess=guess, tolerance=tolerance, trained_on=trained_on)
        conditions = {value: is_value(column, value) for value in listed(values)}
        return self._scores.score_by(what, scored, given, conditions)

    def calibration(
        self,
        probabilities: object,
        *,
        bins: int = 10,
        positive: float | str = 1,
        validation: tuple[object, object] | None = None,
        tolerance: float | None = None,
    ) -> Calibration:
        """How often the positive class comes, for each of some bins of its probability.

        `probabilities` are those of the rows, or a model that gives them; `validation` are labels
        and probabilities of other rows, for guesses. Two questions a bin.
        """
        return self._scores.calibration(
            probabilities, bins=bins, positive=positive, validation=validation, tolerance=tolerance
        )

    def compare(
        self,
        a: object,
        b: object,
        *,
        guess: object = None,
        metric: object = None,
        names: tuple[str, str] = ("a", "b"),
    ) -> Comparison:
        """Which of two models, or of their predictions, is better; two questions.

        Its interval is that of the rows in which the models differ, so it is narrower than those
        of their scores. A guess is the score of a less that of b, or both scores as a pair;
        without one, what the training rows say, else what the models remember, else a tie.
        """
        scored = metric_of(self.metric if metric is None else metric)
        return self._scores.compare((a, b), scored, guess=guess, names=names)

    def best(self, models: object, *, metric: object = None) -> Best:
        """The best of these models, or of their predictions, with an interval for its score.

        A list, or a dictionary by names. No guess is needed: it is told who scores best on the
        rows, and about how much, which counts as one failed guess, however many models there are.
        """
        scored = metric_of(self.metric if metric is None else metric)
        return self._scores.best(named(models), scored)

    def search(self, metric: object = None) -> Search:
        """A search for one good model, of which only the running best is looked at."""
        scored = metric_of(self.metric if metric is None else metric)

        def score(what: object, guess: float, rows: int | None) -> ScoreAnswer:
            return self.score(what, guess=guess, trained_on=rows, metric=scored)

        return Search(
            score=score,
            expect=lambda what: expected_score(what, scored, self._scores.trained),
            higher=scored.higher,
        )

    def scorer(
        self,
        metric: object = None,
        *,
        guess: Guess = VALIDATION,
        tolerance: float | None = None,
    ) -> HoldoutScorer:
        """For `scoring=` of scikit-learn's searches: scores each model they fit on the holdout.

        guess   "validation": what the model scores on the fold that the search validates with;
                None: as `score` guesses; or a function of the model and the fold's X and y
        """
        scored = self.metric if metric is None else measure_of(metric)
        return HoldoutScorer(self, metric=scored, guess=guess, tolerance=tolerance)

    @property
    def left(self) -> int:
        """How many new scores can be asked for."""
        return self.desk.standing().left

    @property
    def failures(self) -> int:
        """How many guesses have failed, whoever made them."""
        return self.desk.standing().failures

    @property
    def remaining(self) -> str:
        """What is left, in words, and about how far the next interval reaches.

        By the metric of the holdout, if a guess from the training rows is confirmed; without such
        rows, from as many as are held. Of metrics that follow from several answers it is not told.
        """
        return remaining(self.desk, self.metric, self._scores.trained)

    def last(self, metric: object = None) -> float | None:
        """What the last predictions scored on all rows, whoever asked; None before the first."""
        return last_score(self.desk, self.metric if metric is None else measure_of(metric))

    def digest(self, predictions: object, *, metric: object = None) -> str:
        """By what the ledger names the score of predictions on all rows: of its receipt, say."""
        scored = metric_of(self.metric if metric is None else metric)
        return self._scores.digest(predictions, scored)

    def answers(self) -> History:
        """All scores so far, whoever asked for them."""
        return self.desk.answers()

    def as_analyst(self, name: str) -> "Holdout":
        """The same holdout, with scores charged to this analyst and kept within their share."""
        made = Holdout.__new__(Holdout)
        scores, desk = self._scores, self.desk.as_analyst(name)
        made._set(desk, scores.features, self.metric, scores.trained, self._own, index=scores.index)
        return made

    def trained_on(
        self,
        X: object,  # noqa: N803
        y: object,
    ) -> "Holdout":
        """The same holdout, with these as the other rows on which models are scored for a guess.

        Rows of the holdout are refused, by their features: labels are not compared.
        """
        made, trained, scores = Holdout.__new__(Holdout), trained_rows((X, y)), self._scores
        made._set(self.desk, scores.features, self.metric, trained, self._own, index=scores.index)
        return made

    def close(self) -> None:
        """Let go of the ledger; it keeps the budget."""
        self.desk.close()

    def __enter__(self) -> "Holdout":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __reduce__(self) -> tuple[object, ...]:
        # The desk first: where it cannot be opened, nothing else is unpickled.
        scores = self._scores
        state = self.desk, scores.features, self.metric, scores.trained, scores.last
        return _unpickled, (*state, scores.index)

    def __copy__(self) -> "Holdout":
        return self  # there is one budget

    def __deepcopy__(self, _: object) -> "Holdout":
        return self

    def __repr__(self) -> str:
        return in_short(self.desk)

    def _repr_html_(self) -> str:
        """The holdout for a notebook."""
        return holdout_html(self.desk, self.metric, self._scores.trained)


def _unpickled(
    desk: Desk,
    features: object,
    metric: Metric | Composite,
    trained: Trained | None,
    last: dict[str, float],
    index: Any,
) -> Holdout:
    made = Holdout.__new__(Holdout)
    made._set(desk, features, metric, trained, index=index)
    made._scores.last.update(last)
    return made


# How it asks: what is predicted, what is expected of it, and for which parts.


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
    ) -> ScoreAnswer:
        """The score of a model or of predictions, by one answer or several."""
        predicted = self.predicted(what, metric)
        if where or isinstance(metric, Composite):
            with in_several():
                return self._parts(given, where=where).score(what, metric, predicted)
        score = MeanScore.of(metric, self.desk.labels, predicted)
        answer = self.desk.ask(score, self._guessed(what, metric, given))
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

    def digest(self, what: object, metric: Metric) -> str:
        """By what ledgers and receipts name the score of predictions on all rows."""
        return MeanScore.of(metric, self.desk.labels, self.predicted(what, metric)).digest

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
