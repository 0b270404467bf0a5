"""One score on its way: its parts are asked for one by one, each with a guess of its own."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import final

from peekproof.core.answer import Answer
from peekproof.derive.derived import Derived
from peekproof.derive.linear import affine
from peekproof.derive.ratio import portion
from peekproof.learn.column import Predictions
from peekproof.learn.composite import Composite
from peekproof.learn.desk import Desk, Guessed
from peekproof.learn.groups import both, is_class
from peekproof.learn.guesses import Expected
from peekproof.learn.metric import Metric
from peekproof.learn.metrics.ranked import Ranked
from peekproof.learn.metrics.rest import Rest
from peekproof.learn.ranking import Ranking
from peekproof.learn.scoring import Scoring, column_name

_EVEN = 0.5  # what is guessed where nothing is known


@final
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PartAsking:
    """Asks a desk; `expected` are rows that may be looked at, `last` what was answered before.

    Guesses never come from the predictions for the holdout's own rows: an answer that says how
    many of them are of a class would tell about features, and models chosen by it would be
    chosen by looking at these.
    """

    desk: Desk
    predicted: Predictions
    given: float | None = None  # a guess at the whole that somebody made
    tolerance: float | None = None  # of each part, as a share of its span
    trained_on: int | None = None
    where: str = ""
    group: float = _EVEN  # a guess at the share of rows for which the condition holds
    expected: Expected | None = None
    last: dict[str, float] = field(default_factory=dict)

    @property
    def whole(self) -> float:
        return _EVEN if self.given is None else self.given

    def mean(self, metric: Metric) -> Derived:
        """A mean over those rows for which the condition holds.

        By what the rows among them are worth and what they leave to the most, both as means over
        all rows: narrower than their quotient with the share of the condition.
        """
        among = self._group_share().value
        scoring = Scoring.of(metric, self.desk.labels, self.predicted)
        guess = self._known(metric) if self.given is None else self.given * among
        span = metric.span
        over = self._asked(scoring, span * _EVEN * among if guess is None else guess)
        left = Scoring.of(Rest(metric), self.desk.labels, self.predicted)
        rest = self._asked(left, span * among - over.value)
        rate = affine(portion(over, rest=rest), scale=Fraction(span), shift=0)
        return replace(rate, label=f"{scoring.column} given {self.where}")

    def composite(self, metric: Composite) -> Derived:
        """A function of several means, as it follows from the answers for them."""
        if self.where:
            self._group_share()  # first, so that a condition that is wrong is refused by itself
        found = metric.found(self)
        name = column_name(metric, self.predicted)
        return replace(found, label=f"{name} given {self.where}" if self.where else name)

    def part(self, metric: Metric, otherwise: Callable[[], float]) -> Answer:
        """The answer for a mean of the predictions, guessed `otherwise` if nothing is known."""
        scoring = Scoring.of(metric, self.desk.labels, self.predicted)
        told = self.expected is None and self.given is not None
        guess = None if told else self._known(metric)
        return self._asked(scoring, otherwise() if guess is None else guess)

    def label_part(self, metric: Metric, otherwise: float) -> Answer:
        """The answer for a mean of labels alone, the same for all predictions."""
        guess = otherwise if self.expected is None else self.expected.label_mean(metric)
        return self._asked(Scoring.of(metric, self.desk.labels), guess)

    def pairs(
        self, metric: Ranked, otherwise: Callable[[], float], *, again: bool = False
    ) -> Answer:
        """The answer for a mean over pairs, guessed `otherwise` if other rows say nothing of it."""
        ranking, guess = Ranking.of(metric, self.desk.labels, self.predicted), None
        if self.expected is not None:
            guess = metric.share(self.expected.labels, self.expected.predicted)
        elif again and self.given is None:
            guess = self.last.get(metric.text)
        answer = self.desk.pairs(ranking, self._guessed(otherwise() if guess is None else guess))
        self.last[metric.text] = answer.value
        return answer

    def class_share(self, positive: float | str, *, classes: int = 2) -> float:
        """About how much of all rows is of a class, from an answer of its own."""
        condition = both(self.where, is_class(positive))
        among = self._group_share().value if self.where else 1.0
        return self.desk.share(condition, self._guessed(among / classes)).value

    def _group_share(self) -> Answer:
        holds = self.expected and self.expected.holds(self.where)
        guess = self.group if holds is None else float(holds.mean())
        return self.desk.share(self.where, self._guessed(guess))

    def _known(self, metric: Metric) -> float | None:
        """What other rows, or earlier answers, say of a part."""
        if self.expected is None:
            found, whole = (self.last.get(each) for each in (self._place(metric), metric.text))
            if found is not None or whole is None:
                return found
            return whole * self._group_share().value
        if not self.where:
            return self.expected.mean(metric)
        holds = self.expected.holds(self.where)
        if holds is None:  # as if the condition said nothing about how good predictions are
            return self.expected.mean(metric) * self._group_share().value
        return self.expected.mean(metric, holds)

    def _asked(self, scoring: Scoring, guess: float) -> Answer:
        given = self._guessed(guess, scoring.metric.span)
        answer = self.desk.ask(scoring, given, where=self.where)
        self.last[self._place(scoring.metric)] = answer.value
        return answer

    def _place(self, metric: Metric) -> str:
        return f"{metric.text} {self.where}".rstrip()

    def _guessed(self, guess: float, span: float = 1.0) -> Guessed:
        return Guessed(
            share=min(max(guess, 0.0), span),
            tolerance=None if self.tolerance is None else self.tolerance * span,
            trained_on=self.trained_on,
        )
