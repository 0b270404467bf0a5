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
from peekproof.ledger.ledger import Reservation
from peekproof.ledger.record import Settled
from peekproof.planner.recorded import span_of
from peekproof.query.candidates import Candidates
from peekproof.query.form import Grouped, Histogram, Quantile
from peekproof.query.question import Question
from peekproof.session.past import guessed, plausible, with_outcome
from peekproof.session.selecting import selected, selected_share

Reply = Answer | HistogramAnswer | QuantileAnswer


@final
class Replies:
    """What a call has to say: each new answer is charged to the first one who asks for it."""

    def __init__(
        self,
        *,
        settled: Mapping[str, Settled],
        reserved: Reservation,
        certificate: Callable[[Mapping[str, str]], Certificate],
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
        costs = (offer.cost for offer in reserved.offers)
        self._unpaid = dict(zip(reserved.digests, costs, strict=True))

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
        span = self._span(known, asked)
        if guessed(known):
            known = self._checked(known)
        share, drawn = self._share(self._one(known)), asked.digest in self._unpaid
        found = self._answer(asked.text, known, share, span, cost=self._paid(asked.digest))
        return replace(found, drawn=drawn)

    def _checked(self, known: Settled) -> Settled:
        """A checked guess, with its outcome among the terms, for its certificate."""
        value = known.value
        if not isinstance(value, tuple) or not self._possible(known):
            raise self._damaged()
        return Settled(known.text, value[0], with_outcome(known))

    def _possible(self, known: Settled) -> bool:
        try:
            return plausible(known, rows=self._rows)
        except (KeyError, ValueError, ZeroDivisionError, TypeError):
            return False

    def histogram(self, asked: Question) -> HistogramAnswer:
        """All numbers of a histogram, or those from which shares or means by cells follow."""
        known, cost = self._settled[asked.digest], self._paid(asked.digest)
        form = asked.form
        if not isinstance(form, Histogram | Grouped):
            raise TypeError("not a histogram")
        if not isinstance(known.value, tuple) or len(known.value) != form.dimension:
            raise self._damaged()
        span, labels = self._span(known, asked), _labels(form)
        cells = tuple(
            self._answer(_cell(label, form, asked.text), known, self._share(share), span, cost=cost)
            for label, share in zip(labels, known.value, strict=True)
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
        index = self._index(known, form.steps)
        return QuantileAnswer(
            question=asked.text,
            value=form.value(index),
            after=form.value(index - 1) if index else -inf,
            level=form.level,
            certificate=self._certificate(known.terms),
            cost=self._paid(asked.digest),
            remaining=self._remaining,
        )

    def choice(self, asked: Candidates) -> Choice:
        known = self._settled[asked.digest]
        if selected(known.terms):
            return self._selected(asked, known)
        index = self._index(known, len(asked.questions))
        return Choice(
            chosen=asked.questions[index].text,
            index=index,
            candidates=len(asked.questions),
            certificate=self._certificate(known.terms),
            cost=self._paid(asked.digest),
            remaining=self._remaining,
            span=self._span(known, asked.questions[index]),
        )

    def _selected(self, asked: Candidates, known: Settled) -> Choice:
        """The best of the sample, with its interval."""
        try:
            index, share = selected_share(known.terms, known.value, rows=self._rows)
        except (KeyError, ValueError, ZeroDivisionError, TypeError):
            raise self._damaged() from None
        if known.terms["candidates"] != str(len(asked.questions)):
            raise self._damaged()
        text, span = asked.questions[index].text, self._span(known, asked.questions[index])
        cost = self._paid(asked.digest)
        winner = self._answer(text, known, share, span, cost=cost)
        return Choice(
            chosen=text,
            index=index,
            candidates=len(asked.questions),
            certificate=winner.certificate,
            cost=cost,
            remaining=self._remaining,
            span=span,
            winner=winner,
        )

    def _answer(
        self, text: str, known: Settled, share: Fraction, span: Span, *, cost: Charge
    ) -> Answer:
        return Answer(
            question=text,
            released=span.value(share),
            certificate=self._certificate(known.terms),
            cost=cost,
            remaining=self._remaining,
            span=span,
        )

    def _one(self, settled: Settled) -> Fraction:
        if isinstance(settled.value, tuple):
            raise self._damaged()
        return settled.value

    def _share(self, value: Fraction) -> Fraction:
        if not 0 <= value <= 1:
            raise self._damaged()
        return value

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

    def _index(self, settled: Settled, size: int) -> int:
        value = self._one(settled)
        if value.denominator != 1 or not 0 <= value < size:
            raise self._damaged()
        return int(value)

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
