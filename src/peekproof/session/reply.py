"""Recorded values as the answers that analysts read."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from math import inf
from typing import final

from peekproof.core.answer import Answer, Choice, HistogramAnswer, QuantileAnswer
from peekproof.core.certificate import Certificate, Span
from peekproof.core.charge import Charge, nothing, unit_of
from peekproof.core.errors import LedgerDamaged
from peekproof.data.statistic import PairStatistic, Statistic
from peekproof.ledger.record import Settled
from peekproof.mechanisms.base import Value
from peekproof.query.candidates import Candidates
from peekproof.query.form import Grouped, Histogram, Quantile
from peekproof.query.question import Question
from peekproof.session.records import IMPOSSIBLE, drawn, numbers, span_of

Reply = Answer | HistogramAnswer | QuantileAnswer


@final
class Replies:
    """What a call has to say: each new answer is charged to the first one who asks for it."""

    def __init__(
        self,
        *,
        settled: Mapping[str, Settled],
        paid: Mapping[str, Charge],
        certificate: Callable[[Settled], Certificate],
        unit: Charge,
        remaining: int,
        place: str,
        rows: int,
    ) -> None:
        self._place, self._rows = place, rows
        self._settled = settled
        self._certificate = certificate
        self._free = nothing(unit_of(unit))
        self._remaining = remaining
        self._unpaid = dict(paid)

    def any(self, question: Question) -> Reply:
        """The answer to a question of any form."""
        match question.form:
            case Histogram():
                return self.histogram(question)
            case Quantile():
                return self.quantile(question)
            case _:
                return self.scalar(question)

    def scalar(self, asked: Question | Statistic | PairStatistic) -> Answer:
        known = self._settled[asked.digest]
        span, shares = self._span(known, asked), self._shares(known)
        if len(shares) != 1:
            raise self._damaged()
        new = asked.digest in self._unpaid
        found = self._answer(asked.text, known, shares[0], span, cost=self._paid(asked.digest))
        return replace(found, drawn=new)

    def _shares(self, known: Settled) -> Value:
        """What the answer tells, if it can be one."""
        try:
            return drawn(known, rows=self._rows).shares(numbers(known.value))
        except IMPOSSIBLE:
            raise self._damaged() from None

    def _chosen(self, known: Settled, size: int) -> int:
        """The place of what was chosen among so many."""
        try:
            place = drawn(known, rows=self._rows).chosen(numbers(known.value))
        except IMPOSSIBLE:
            raise self._damaged() from None
        if place >= size:
            raise self._damaged()
        return place

    def histogram(self, asked: Question) -> HistogramAnswer:
        """All numbers of a histogram, or those from which shares or means by cells follow."""
        known, cost = self._settled[asked.digest], self._paid(asked.digest)
        form = asked.form
        if not isinstance(form, Histogram | Grouped):
            raise TypeError("not a histogram")
        shares = self._shares(known)
        if len(shares) != form.dimension:
            raise self._damaged()
        span, labels = self._span(known, asked), _labels(form)
        cells = tuple(
            self._answer(_cell(label, form, asked.text), known, share, span, cost=cost)
            for label, share in zip(labels, shares, strict=True)
        )
        return HistogramAnswer(
            question=asked.text,
            labels=labels,
            cells=cells,
            cost=cost,
            remaining=self._remaining,
        )

    def quantile(self, asked: Question) -> QuantileAnswer:
        known, form = self._settled[asked.digest], asked.form
        if not isinstance(form, Quantile):
            raise TypeError("not a quantile")
        index = self._chosen(known, form.steps)
        return QuantileAnswer(
            question=asked.text,
            value=form.value(index),
            after=form.value(index - 1) if index else -inf,
            level=form.level,
            certificate=self._certificate(known),
            cost=self._paid(asked.digest),
            remaining=self._remaining,
        )

    def choice(self, asked: Candidates) -> Choice:
        """What was chosen, with its interval if its share was told."""
        known, cost = self._settled[asked.digest], self._paid(asked.digest)
        size, shares = len(asked.questions), self._shares(known)
        index = self._chosen(known, size)
        text, span = asked.questions[index].text, self._span(known, asked.questions[index])
        return Choice(
            chosen=text,
            index=index,
            candidates=size,
            certificate=self._certificate(known),
            cost=cost,
            remaining=self._remaining,
            span=span,
            winner=self._answer(text, known, shares[0], span, cost=cost) if shares else None,
        )

    def _answer(
        self, text: str, known: Settled, share: Fraction, span: Span, *, cost: Charge
    ) -> Answer:
        return Answer(
            question=text,
            released=span.value(share),
            certificate=self._certificate(known),
            cost=cost,
            remaining=self._remaining,
            span=span,
        )

    def _span(self, settled: Settled, asked: Question | Statistic | PairStatistic) -> Span:
        """The units that were recorded, if they are those of the question."""
        try:
            recorded = span_of(settled.terms)
        except (KeyError, ValueError, ZeroDivisionError):
            raise self._damaged() from None
        if isinstance(asked, Question):
            low, high = asked.form.span
            if recorded != Span.between(Fraction(low), Fraction(high)):
                raise self._damaged()
        return recorded

    def _damaged(self) -> LedgerDamaged:
        return LedgerDamaged(ledger=self._place, problem="records an answer of another shape")

    def _paid(self, digest: str) -> Charge:
        # A question repeated within a batch is paid for once.
        return self._unpaid.pop(digest, self._free)


def _labels(form: Histogram | Grouped) -> tuple[str, ...]:
    """A name for each number: of groups first what counts in each, then what does not."""
    if isinstance(form, Histogram):
        return form.labels
    return *form.labels, *(f"{label}, the rest" for label in form.labels)


def _cell(label: str, form: Histogram | Grouped, text: str) -> str:
    """What a cell asks by itself; a weight is only in the text of the whole."""
    return label if form.weight is None else f"{label} in {text}"
