"""Scores as queries: means over rows, means over pairs of rows, and the best of several.

What identifies a score is public, and never comes from labels: the metric, the digests of the
predictions, the order of the rows that they are for, and the condition in its canonical form. So
the same predictions are the same query in every process, after every restart, and on both sides of
a gateway; they are charged once. Texts are for people, in ledgers and histories.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, cast, final

import numpy as np

from peekproof.core.answer import Answer, Choice
from peekproof.core.certificate import UNIT, Span
from peekproof.core.errors import EvaluationFailed, InvalidInput, NotAllowed
from peekproof.core.secret import Exact
from peekproof.data.source import Source
from peekproof.data.statistic import NAMED, pairs_total
from peekproof.data.totals import contributions
from peekproof.learn.column import Labels, Predictions
from peekproof.learn.composite import Composite
from peekproof.learn.held import HeldRows
from peekproof.learn.metric import Metric, Rows
from peekproof.learn.metrics.named import metric_of, pairs_of
from peekproof.learn.metrics.ranked import Ranked
from peekproof.mechanisms.base import Demand, Replies
from peekproof.query.candidates import (
    BETWEEN,
    candidates_named,
    check_candidates,
    counted_in_text,
)
from peekproof.query.form import FINE
from peekproof.query.question import Question
from peekproof.session.custody import LABELS
from peekproof.session.wording import Unproved, Wording, reads_wording
from peekproof.theory.generalization.pairs import pair_levels

_DIGITS = 16  # of the digest of predictions, in texts
_ONE, _HALF = Fraction(1), Fraction(1, 2)
_NAMES = ("predictions", "against")  # as messages call one and two of them


def score_text(metric: Metric | Composite | Ranked, *predictions: Predictions) -> str:
    """What a score is called: "accuracy of predictions 5f0c…", of two "… over …"."""
    if not predictions:
        return f"{metric.text} of the labels"
    return _of_predictions(metric) + " over ".join(each.digest[:_DIGITS] for each in predictions)


def is_score_by(metric: Metric | Composite, text: str) -> bool:
    """Whether a recorded text is that of a score by the metric, of one prediction on all rows."""
    digest = text.removeprefix(_of_predictions(metric))
    return digest != text and len(digest) == _DIGITS and digest.isalnum()


def _of_predictions(metric: Metric | Composite | Ranked) -> str:
    return f"{metric.text} of predictions "


def _shape(metric: Metric) -> str:
    return "share" if metric.flag else "mean"


def _span(metric: Metric) -> Span:
    most = Fraction(1 if metric.flag else metric.span)
    return UNIT if most == 1 else Span.between(Fraction(0), most)


def _levels(metric: Metric) -> int:
    return 1 if metric.flag else FINE


def _digest(*said: object) -> str:
    return hashlib.sha256(json.dumps(said).encode()).hexdigest()


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class MeanScore:
    """The mean over all rows of what each is worth by a metric, in the units of the metric.

    Rows for which the condition `where` does not hold count 0.
    """

    metric: Metric
    predictions: tuple[Predictions, ...]
    order: str = ""
    where: Question | None = None

    route: ClassVar[str] = "score"
    cells: ClassVar[int] = 1
    ball: ClassVar[Fraction] = _ONE
    level: ClassVar[Fraction] = _HALF
    moved_by: ClassVar[Fraction | None] = None
    questions: ClassVar[tuple[Question, ...]] = ()

    @classmethod
    def of(
        cls,
        metric: Metric,
        labels: Labels,
        *predictions: Predictions,
        where: Question | None = None,
    ) -> "MeanScore":
        """The score, if the metric can score such predictions, by what is public of labels."""
        metric.check(labels, *predictions)
        return cls(metric=metric, predictions=predictions, order=labels.order, where=where)

    @cached_property
    def digest(self) -> str:
        given = [each.digest for each in self.predictions]
        condition = None if self.where is None else self.where.digest
        return _digest("score", self.metric.text, self.order, given, condition)

    @property
    def text(self) -> str:
        named = score_text(self.metric, *self.predictions)
        return named if self.where is None else f"{named}, counting 0 unless {self.where.text}"

    @property
    def shape(self) -> str:
        return _shape(self.metric)

    @property
    def span(self) -> Span:
        return _span(self.metric)

    @property
    def levels(self) -> int:
        return _levels(self.metric)

    @property
    def charge_first(self) -> bool:
        """A function of the custodian's may end the process, or take for ever, for some labels."""
        return self.metric.charge_first

    def worth(self, labels: Labels) -> Rows:
        """What each row is worth, from 0 to 1; 0 if that is no number."""
        values = self.metric.values(labels, *self.predictions)
        return cast(Rows, np.fmin(np.fmax(values, 0.0), 1.0))

    def exact(
        self,
        totals: Sequence[Exact[Any]],  # noqa: ARG002 (no engine is asked)
        source: Source,
    ) -> Exact[int]:
        """A count of rows, or the sum of their contributions in fixed point (see `data.totals`)."""
        held = cast(HeldRows, source)
        try:
            worth = self.worth(held.labels)
            if worth.shape != (held.rows,):
                raise ValueError("not one number for each row")
            if self.where is not None:
                worth = np.where(held.holds(self.where), worth, 0.0)
            if self.metric.flag:
                return Exact(int(np.count_nonzero(worth > 0.5)))
            most = self.metric.span
            found = contributions(worth * most, low=0.0, high=most)
            return Exact(int(found.astype(np.int64).sum()))
        except Exception:  # what it says may be about labels
            raise EvaluationFailed() from None

    def answer(self, replies: Replies) -> Answer:
        return replies.number(self)

    def message(self) -> dict[str, object]:
        if len(self.predictions) > len(_NAMES):
            raise NotAllowed(problem="a gateway compares two predictions at a time")
        where = {} if self.where is None else {"where": self.where.text}
        named = zip(_NAMES, self.predictions, strict=False)
        packed = {name: each.packed() for name, each in named}
        return {"metric": self.metric.text, **packed, **where}


@final
@dataclass(frozen=True, kw_only=True, eq=False)
class PairScore:
    """The share of all pairs of rows that predictions rank in an order; see T-pairs."""

    metric: Ranked
    predictions: tuple[Predictions]
    order: str = ""

    charge_first: ClassVar[bool] = False
    shape: ClassVar[str] = "pairs"
    span: ClassVar[Span] = UNIT
    route: ClassVar[str] = "score"
    cells: ClassVar[int] = 1
    ball: ClassVar[Fraction] = _ONE
    level: ClassVar[Fraction] = _HALF
    moved_by: ClassVar[Fraction | None] = None
    questions: ClassVar[tuple[Question, ...]] = ()
    where: ClassVar[Question | None] = None

    @classmethod
    def of(cls, metric: Ranked, labels: Labels, *predictions: Predictions) -> "PairScore":
        """The score, if the metric can rank by such predictions."""
        metric.check(labels, *predictions)
        return cls(metric=metric, predictions=(predictions[0],), order=labels.order)

    @cached_property
    def digest(self) -> str:
        given = [each.digest for each in self.predictions]
        return _digest("score of pairs", self.metric.text, self.order, given)

    @property
    def text(self) -> str:
        return NAMED + score_text(self.metric, *self.predictions)

    @property
    def levels(self) -> int:
        return pair_levels(self.predictions[0].rows)

    def exact(
        self,
        totals: Sequence[Exact[Any]],  # noqa: ARG002
        source: Source,
    ) -> Exact[int]:
        """The pairs that count, in units of 1/(⌊n/2⌋·levels), which is exact."""
        held = cast(HeldRows, source)
        try:
            halves = self.metric.halves(held.labels, *self.predictions)
            return Exact(pairs_total(halves, rows=held.rows, levels=self.levels))
        except Exception:
            raise EvaluationFailed() from None

    def answer(self, replies: Replies) -> Answer:
        return replies.number(self)

    def message(self) -> dict[str, object]:
        return {"metric": self.metric.text, _NAMES[0]: self.predictions[0].packed()}


# What has one number as its answer.
Score = MeanScore | PairScore


@final
@dataclass(frozen=True, eq=False)
class LargestScore:
    """Which of several scores by one metric is the largest, with its interval."""

    scores: tuple[MeanScore, ...]

    route: ClassVar[str] = "best-score"
    shape: ClassVar[str] = "choice"
    ball: ClassVar[Fraction] = _ONE
    level: ClassVar[Fraction] = _HALF
    moved_by: ClassVar[Fraction | None] = None
    questions: ClassVar[tuple[Question, ...]] = ()

    def __post_init__(self) -> None:
        check_candidates([each.digest for each in self.scores])
        metrics = {each.metric.text for each in self.scores}
        if len(metrics) > 1:
            raise InvalidInput(
                argument="candidates",
                accepted="scores by one metric",
                given=", ".join(sorted(metrics))[:80],
            )

    @cached_property
    def digest(self) -> str:
        return _digest("largest score", [each.digest for each in self.scores])

    @property
    def text(self) -> str:
        return candidates_named(self.cells) + BETWEEN.join(each.text for each in self.scores)

    @property
    def charge_first(self) -> bool:
        return self.scores[0].charge_first

    @property
    def span(self) -> Span:
        return self.scores[0].span

    @property
    def levels(self) -> int:
        return self.scores[0].levels

    @property
    def cells(self) -> int:
        return len(self.scores)

    def exact(self, totals: Sequence[Exact[Any]], source: Source) -> Exact[tuple[int, ...]]:
        return Exact.together(each.exact(totals, source) for each in self.scores)

    def answer(self, replies: Replies) -> Choice:
        return replies.choice(self, [each.text for each in self.scores])

    def message(self) -> dict[str, object]:
        if any(len(each.predictions) != 1 for each in self.scores):
            raise NotAllowed(problem="a gateway chooses among the predictions of single models")
        packed = [each.predictions[0].packed() for each in self.scores]
        return {"metric": self.scores[0].metric.text, "candidates": packed}


# What ledgers record of scores, read again: the metric, and the beginnings of digests. What their
# own digests are of is more than that, so another metric in a text with the same units, or other
# digits, are not found out.

_OF = rf"[0-9a-f]{{{_DIGITS}}}(?: over [0-9a-f]{{{_DIGITS}}})*(?:, counting 0 unless .*)?"
_FIRST = re.compile(r"(?P<metric>.+?) of predictions ", re.DOTALL)
_DIGESTS = re.compile(_OF, re.DOTALL)
_FACTS = r"the labels(?:, counting 0 unless .*)?"
_SCORED = re.compile(rf"(?P<metric>.+?) of (?:predictions {_OF}|{_FACTS})", re.DOTALL)


def _metric_in(said: Wording, text: str) -> str:
    """As what a metric is written in the text of a score; "" if it is none."""
    # Scores are of labels, and only ledgers about labels have any.
    found = _SCORED.fullmatch(text) if said.about.startswith(LABELS) else None
    return found["metric"] if found else ""


def _told(said: Wording, written: str, *, shape: str = "", cells: int = 1) -> Sequence[Demand]:
    """What a score by this metric is, or all that it can be if it is somebody's own."""
    try:
        metric = metric_of(written)
    except InvalidInput:
        whole = Unproved(shape=shape or "share", span=UNIT, levels=1, cells=cells)
        most = said.span if said.span.low == 0 and said.span.most == said.span.high else UNIT
        return whole, Unproved(shape=shape or "mean", span=most, levels=FINE, cells=cells)
    span, levels = _span(metric), _levels(metric)
    return (Unproved(shape=shape or _shape(metric), span=span, levels=levels, cells=cells),)


@reads_wording
def _mean_score(said: Wording) -> Sequence[Demand]:
    if said.text.startswith(NAMED) or counted_in_text(said.text)[0]:  # also with such a metric
        return ()
    written = _metric_in(said, said.text)
    return _told(said, written) if written else ()


@reads_wording
def _pair_score(said: Wording) -> Sequence[Demand]:
    written = _metric_in(said, said.text.removeprefix(NAMED))
    if not said.text.startswith(NAMED) or not written or pairs_of(written) is None:
        return ()
    return (Unproved(shape="pairs", span=UNIT, levels=pair_levels(said.rows)),)


@reads_wording
def _largest_score(said: Wording) -> Sequence[Demand]:
    count, listed = counted_in_text(said.text)
    first = _FIRST.match(listed)
    if first is None or not said.about.startswith(LABELS):
        return ()
    scores = f"{BETWEEN}{listed}".split(f"{BETWEEN}{first[0]}")[1:]
    if len(scores) != count or not all(_DIGESTS.fullmatch(each) for each in scores):
        return ()
    return _told(said, first["metric"], shape="choice", cells=count)
