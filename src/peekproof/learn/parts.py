"""Scores in parts: composites, groups and bins follow from several answers, each with a guess."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from math import ceil
from typing import final

from peekproof.core.answer import Answer
from peekproof.core.errors import BudgetExhausted, InvalidInput
from peekproof.derive.derived import Derived
from peekproof.derive.linear import affine, portion
from peekproof.learn.column import Predictions
from peekproof.learn.composite import Composite
from peekproof.learn.desk import Desk, Guessed
from peekproof.learn.groups import both, is_class
from peekproof.learn.metric import Metric
from peekproof.learn.metrics.probability import Brier
from peekproof.learn.metrics.quotients import Rest
from peekproof.learn.metrics.ranked import Ranked
from peekproof.learn.model import Expected, Trained, between, is_model, remembered
from peekproof.learn.own_rows import refuse_own_answers
from peekproof.learn.score import MeanScore, PairScore, Score, score_text

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
    alone: bool = True  # whether nothing else is asked for with it, so that it is refused if empty
    expected: Expected | None = None
    last: dict[str, float] = field(default_factory=dict)
    sizes: set[str] = field(default_factory=set)  # conditions whose shares were paid for

    @property
    def whole(self) -> float:
        return _EVEN if self.given is None else self.given

    def mean(self, metric: Metric) -> Derived:
        """A mean over those rows for which the condition holds.

        By what the rows among them are worth and what they leave to the most, both as means over
        all rows: narrower than their quotient with the share of the condition.
        """
        among = self._group_share().value
        score = self._score(metric, self.predicted)
        guess = self._known(metric) if self.given is None else self.given * among
        span = metric.span
        if guess is None:
            guess = span * _EVEN * among
        if self.alone:
            problem = self.nothing(metric, Rest(metric), [guess / span, among - guess / span])
            if problem is not None:
                raise problem
        over = self._asked(score, guess)
        left = self._score(Rest(metric), self.predicted)
        rest = self._asked(left, span * among - over.value)
        rate = affine(portion(over, rest=rest), scale=Fraction(span), shift=0)
        return replace(rate, label=self._label(metric))

    def nothing_among(self, metric: Metric) -> InvalidInput | None:
        """Why a mean says nothing if the condition holds as often as is guessed, if so.

        Before even that is asked for: by the number of groups, or what other rows say.
        """
        among, whole = self._group_guess(), self.given
        if whole is None and self.expected is not None:
            holds = self.expected.holds(self.where)
            mean = self.expected.mean(metric, holds)
            share = (mean if holds is not None else mean * among) / metric.span
        else:
            known = self.last.get(metric.text, metric.span * _EVEN)
            share = among * (known if whole is None else whole) / metric.span
        return self.nothing(metric, Rest(metric), [share, among - share])

    def composite(self, metric: Composite) -> Derived:
        """A function of several means, as it follows from the answers for them."""
        if self.where:
            self._group_share()  # first, so that a condition that is wrong is refused by itself
        return replace(metric.found(self), label=self._label(metric))

    def _label(self, metric: Metric | Composite) -> str:
        named = score_text(metric, self.predicted)
        return f"{named} among rows with {self.where}" if self.where else named

    def part(self, metric: Metric, otherwise: Callable[[], float]) -> Answer:
        """The answer for a mean of the predictions, guessed `otherwise` if nothing is known."""
        score, guess = self._score(metric, self.predicted), self._part_known(metric)
        return self._asked(score, otherwise() if guess is None else guess)

    def label_part(self, metric: Metric, otherwise: float) -> Answer:
        """The answer for a mean of labels alone, the same for all predictions."""
        guess = otherwise if self.expected is None else self.expected.label_mean(metric)
        return self._asked(self._score(metric), guess)

    def pairs(
        self, metric: Ranked, otherwise: Callable[[], float], *, again: bool = False
    ) -> Answer:
        """The answer for a mean over pairs, guessed `otherwise` if other rows say nothing of it."""
        score, guess = PairScore.of(metric, self.desk.labels, self.predicted), None
        if self.expected is not None:
            guess = metric.share(self.expected.labels, self.expected.predicted)
        elif again and self.given is None:
            guess = self.last.get(metric.text)
        answer = self.desk.ask(score, self._guessed(otherwise() if guess is None else guess))
        self.last[metric.text] = answer.value
        return answer

    def unknown(self, metric: Metric) -> bool:
        """Whether nothing is known of a part, so that it is guessed by what the composite says."""
        return self._part_known(metric) is None

    def empty(
        self, over: Metric | Ranked, rest: Metric | Ranked, *, share: float, weight: float = 1.0
    ) -> InvalidInput | None:
        """Why a quotient over/(over + rest) says nothing if its parts are as guessed, if so.

        By what is public: the guesses, the past, the number of rows, and what was answered of a
        part before. If neither part would be known to be more than 0, the quotient could be
        anything from 0 to 1. Not if both were answered, for then it is free.
        """
        parts = over, rest
        guesses = [self.whole * share, weight * (1 - self.whole) * share]
        if self.expected is not None and not self.where:
            guesses = [_seen(self.expected, each) for each in parts]
        elif self.given is None:
            known = [self.last.get(each.text) for each in parts]
            guesses = [
                each if found is None else found for each, found in zip(guesses, known, strict=True)
            ]
        return self.nothing(over, rest, guesses)

    def nothing(
        self, over: Metric | Ranked, rest: Metric | Ranked, guesses: Sequence[float]
    ) -> InvalidInput | None:
        """The same for guesses at both parts, as shares of what they can be at most."""
        desk, parts = self.desk, (over, rest)
        pairs = isinstance(over, Ranked)
        try:
            reaches = desk.reaches([self._guessed(each) for each in guesses], pairs=pairs)
        except BudgetExhausted:
            return None  # which is said when the parts are asked for
        known = [self._answered(each) for each in parts]
        asked = [each for each in zip(guesses, reaches, known, strict=True) if each[2] is None]
        if not asked or any(each is not None and each.low > 0 for each in known):
            return None
        if any(guess > reach for guess, reach, _ in asked):
            return None
        # What the larger of them is known to; intervals of smaller shares are shorter.
        rows, least = desk.labels.rows, max((guess, reach) for guess, reach, _ in asked)[1]
        what = "pairs of rows" if pairs else "rows"
        return InvalidInput(
            argument="metric",
            accepted="one that says something for this guess: the interval would be from 0 to "
            f"{1.0 if isinstance(over, Ranked) else over.span:g}",
            given=_as_guessed(parts, guesses, known, what=what, least=least),
            hint=f"one has to be more than about {least:.2g} of all {what}"
            + ("" if pairs else f", {ceil(least * rows):,} of {rows:,},")
            + f" to be told from 0, so nothing was charged for {'them' if len(asked) > 1 else 'it'}"
            f"{self._paid()}: it takes more rows, a class that is less rare, fewer groups or bins, "
            "or a guess further from the middle",
        )

    def _paid(self) -> str:
        """What was charged on the way, in words."""
        count = len(self.sizes)
        if not count:
            return ""
        if count == 1:
            of = "group" if self.where else "class"
            return f" (1 question was asked for the size of the {of}; it is free from now on)"
        of = "groups" if self.where else "classes"
        return f" ({count} questions were asked for the sizes of {of}; they are free from now on)"

    def part_guess(self, metric: Metric, otherwise: float) -> float:
        """What a part is guessed to be: what is known of it, else this."""
        known = self._part_known(metric)
        return otherwise if known is None else known

    def hidden(self, metric: Metric, otherwise: float) -> bool:
        """Whether a part would not be known to be more than 0 if it is as guessed."""
        share = self.part_guess(metric, otherwise) / metric.span
        reach = self.reach(share)
        return reach is not None and share <= reach and self._answered(metric) is None

    def reach(self, share: float) -> float | None:
        """How far the interval of a confirmed guess at a share reaches, if that can be told."""
        try:
            return self.desk.reaches([self._guessed(share)])[0]
        except BudgetExhausted:
            return None  # which is said when something is asked for

    def _answered(self, part: Metric | Ranked) -> Answer | None:
        score: Score
        if isinstance(part, Ranked):
            score = PairScore.of(part, self.desk.labels, self.predicted)
        else:
            score = self._score(part, self.predicted)
        return self.desk.known(score)

    def class_share(self, positive: float | str, *, classes: int = 2) -> float:
        """About how much of all rows is of a class, from an answer of its own."""
        condition = both(self.where, is_class(positive))
        among = self._group_share().value if self.where else 1.0
        return self._size(condition, among / classes).value

    def _group_share(self) -> Answer:
        return self._size(self.where, self._group_guess())

    def _size(self, condition: str, guess: float) -> Answer:
        answer = self.desk.share(condition, self._guessed(guess))
        if not answer.replayed:
            self.sizes.add(condition)
        return answer

    def _group_guess(self) -> float:
        holds = self.expected and self.expected.holds(self.where)
        return self.group if holds is None else float(holds.mean())

    def _part_known(self, metric: Metric) -> float | None:
        """What is known of a part; nothing, where a guess at the whole was given instead."""
        told = self.expected is None and self.given is not None
        return None if told else self._known(metric)

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

    def _score(self, metric: Metric, *predictions: Predictions) -> MeanScore:
        where = self.desk.condition(self.where) if self.where else None
        return MeanScore.of(metric, self.desk.labels, *predictions, where=where)

    def _asked(self, score: MeanScore, guess: float) -> Answer:
        answer = self.desk.ask(score, self._guessed(guess, score.metric.span))
        self.last[self._place(score.metric)] = answer.value
        return answer

    def _place(self, metric: Metric) -> str:
        return f"{metric.text} {self.where}".rstrip()

    def _guessed(self, guess: float, span: float = 1.0) -> Guessed:
        return Guessed(
            share=min(max(guess, 0.0), span),
            tolerance=None if self.tolerance is None else self.tolerance * span,
            trained_on=self.trained_on,
        )


def _as_guessed(
    parts: tuple[Metric | Ranked, Metric | Ranked],
    guesses: Sequence[float],
    known: Sequence[Answer | None],
    *,
    what: str,
    least: float,
) -> str:
    """Two parts as they are guessed, or as they were answered, in words."""
    if all(each is None for each in known):
        names, shares = (each.NAME for each in parts), (f"{each:.2g}" for each in guesses)
        return (
            f"{' and '.join(names)}, guessed {' and '.join(shares)} of all {what}, the larger "
            f"known to ±{least:.2g}"
        )
    said = [
        f"{part.NAME}, guessed {guess:.2g} of all {what} and known to ±{least:.2g}"
        if answer is None
        else f"{part.NAME}, answered before and not told from 0"
        for part, guess, answer in zip(parts, guesses, known, strict=True)
    ]
    return ", and ".join(said)


def _seen(expected: Expected, part: Metric | Ranked) -> float:
    """What other rows say of a part."""
    if isinstance(part, Ranked):
        return part.share(expected.labels, expected.predicted)
    return expected.mean(part)


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
