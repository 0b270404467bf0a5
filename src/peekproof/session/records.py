"""Recorded answers: how they were drawn, what they say, and whether the record of them can be.

All of it follows from the ledger alone; `verify`, receipts and histories read answers here.
"""

import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from math import inf
from pathlib import Path
from typing import final

from peekproof.core.answer import Answer, Choice, HistogramAnswer, QuantileAnswer
from peekproof.core.certificate import UNIT, Certificate, Span
from peekproof.core.charge import Charge, Offer, amount_of, nothing, unit_of
from peekproof.core.errors import InvalidInput, LedgerDamaged, MechanismMissing, QuestionError
from peekproof.core.finding import Finding
from peekproof.data.statistic import NAMED
from peekproof.guess.guesser import Guesser
from peekproof.ledger.answers import answers_after
from peekproof.ledger.entry import Settled, answers_from_body, paid_from_body
from peekproof.ledger.entry import Value as Written
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.sqlite import MEMORY
from peekproof.ledger.state import State
from peekproof.mechanisms.base import Draw, Paid, Past, Query, Told, Value, recorded_draw
from peekproof.mechanisms.plan import Plan, certificate_of, recorded_plan, replace_ledger
from peekproof.query.candidates import candidates_named
from peekproof.query.question import Question, parse_question
from peekproof.query.schema import Schema
from peekproof.session.custody import in_custody

# What reading a record can raise that was not written by a session.
IMPOSSIBLE = (KeyError, ValueError, ZeroDivisionError, TypeError)


def span_of(terms: Mapping[str, str]) -> Span:
    """The units of an answer drawn under these terms."""
    if "low" not in terms:
        return UNIT
    low, high = Fraction(terms["low"]), Fraction(terms["high"])
    return Span(low=low, high=high, most=Fraction(terms.get("most", terms["high"])))


@lru_cache(maxsize=1024)
def terms_of(draw: Draw, span: Span) -> Mapping[str, str]:
    """What the ledger records of a draw: its fields, and the units of its answer."""
    if span == UNIT:
        return draw.record()
    units = {"low": str(span.low), "high": str(span.high)}
    if span.most != span.high:
        units["most"] = str(span.most)
    return {**draw.record(), **units}


def offer_of(draw: Draw, span: Span) -> Offer:
    """What the ledger charges for a draw."""
    return Offer(cost=draw.cost, terms=terms_of(draw, span), draws=draw.draws)


def numbers(value: Written) -> Value:
    """A recorded value as its numbers."""
    return value if isinstance(value, tuple) else (value,)


def written(value: Value) -> Written:
    """The numbers of an answer as a ledger writes them."""
    return value[0] if len(value) == 1 else value


def drawn(settled: Settled, *, rows: int) -> Draw:
    """How an answer was drawn."""
    return recorded_draw(settled.terms, rows=rows)


def failed(settled: Settled, *, rows: int) -> bool:
    """Whether an answer corrects a guess."""
    return drawn(settled, rows=rows).failed(numbers(settled.value))


@final
class Certifier:
    """Certifies the answers of one ledger anew; equal draws are worked out once."""

    def __init__(self, plan: Plan, *, ledger: str) -> None:
        self._plan = plan
        self._ledger = ledger
        self._known: dict[tuple[Draw, bool], Certificate] = {}

    def certificate(self, settled: Settled) -> Certificate:
        """What the theorems say of answers drawn as this one was."""
        try:
            draw = drawn(settled, rows=self._plan.rows)
            key = draw, draw.failed(numbers(settled.value))
            if key not in self._known:
                self._known[key] = certificate_of(self._plan, draw, failed=key[1])
        except MechanismMissing as error:
            raise replace_ledger(error, self._ledger) from None
        except IMPOSSIBLE as error:
            problem = f"records a draw that its promise does not make ({error})"
            raise LedgerDamaged(ledger=self._ledger, problem=problem) from error
        return self._known[key]

    def finding(self, settled: Settled) -> Finding:
        """What the answer says of the population; one that cannot be is damage."""
        return finding_of(settled, self.certificate, rows=self._plan.rows, ledger=self._ledger)


def finding_of(
    settled: Settled, certify: Callable[[Settled], Certificate], *, rows: int, ledger: str
) -> Finding:
    """What an answer with such a certificate says; one that cannot be is damage."""
    try:
        draw, certificate = drawn(settled, rows=rows), certify(settled)
        return draw.finding(numbers(settled.value), certificate, span_of(settled.terms))
    except IMPOSSIBLE as error:
        problem = f"records an answer that cannot be ({error})"
        raise LedgerDamaged(ledger=ledger, problem=problem) from error


def check_paid(plan: Plan, offers: Iterable[Offer], *, ledger: str) -> None:
    """Refuse a record of draws that paid less than they cost, or that count as too few."""
    for offer in offers:
        try:
            draw = recorded_draw(offer.terms, rows=plan.rows)
            cost, draws = draw.due(plan.mechanism, plan.target)
        except MechanismMissing as error:
            raise replace_ledger(error, ledger) from None
        except IMPOSSIBLE as error:
            problem = f"records a draw that its promise does not make ({error})"
            raise LedgerDamaged(ledger=ledger, problem=problem) from error
        enough = unit_of(cost) == unit_of(offer.cost) and amount_of(cost) <= amount_of(offer.cost)
        if not enough or offer.draws < draws:
            raise LedgerDamaged(ledger=ledger, problem="records noise that was not paid for")


def check_record(plan: Plan, book: Ledger) -> None:
    """Refuse a record that no session by its mechanism writes, from the first entry on."""
    try:
        plan.mechanism.audit(plan.target, _steps(plan, book))
    except MechanismMissing as error:
        raise replace_ledger(error, book.place) from None
    except IMPOSSIBLE as error:
        problem = f"records a draw that cannot be ({error})"
        raise LedgerDamaged(ledger=book.place, problem=problem) from error


def _steps(plan: Plan, book: Ledger) -> Iterator[Paid | Told]:
    """What the entries say, in their order."""
    state, unit = State(book.place), unit_of(plan.budget)
    for entry in book.entries():
        state.apply(entry)
        if entry.kind not in ("answer", "lost"):
            continue
        body = entry.body
        number, paid = int(body.get("lost", entry.sequence)), paid_from_body(body, unit=unit)
        draws = {
            digest: recorded_draw(each.offer.terms, rows=plan.rows) for digest, each in paid.items()
        }
        if "lost" not in body:
            for digest, draw in draws.items():
                _check_text(paid[digest].text, draw)
                offer = paid[digest].offer
                if (offer.cost, offer.draws) != (draw.cost, draw.draws):
                    raise ValueError("paid otherwise than it costs")
                yield Paid(number, draw)
        if entry.kind == "answer":
            for digest, settled in answers_from_body(body, unit=unit).items():
                yield Told(number, draws[digest], numbers(settled.value))


def _check_text(text: str, draw: Draw) -> None:
    """Refuse pairs that were counted as rows, and a choice among others than those named.

    By how texts begin, which is all that a ledger says of what was asked (see `Query.text`).
    """
    said = draw.record()
    if text.startswith(NAMED) != ("pairs" in said):
        raise ValueError("pairs counted as rows, or the reverse")
    chosen = int(said.get("candidates", "0"))
    if chosen and not text.startswith(candidates_named(chosen)):
        raise ValueError("a choice among others")


@final
@dataclass(frozen=True, slots=True, eq=False)
class FromLedger:
    """The certificate of an answer, to be worked out again from the record in `ledger` alone.

    `session` is the ledger itself if it is in memory; otherwise its place, its random name and what
    it promises, so that all who opened it agree, and another ledger in its place differs.
    """

    ledger: Ledger
    draw: Draw
    failed: bool
    overrides: int  # so many are named; later ones are not about this answer
    session: Hashable = field(init=False)

    def __post_init__(self) -> None:
        # Now, not when asked: a relative path means another file in another folder.
        object.__setattr__(self, "session", _session(self.ledger))

    def again(self) -> Certificate:
        """Recheck the whole ledger, rebuild its plan, and certify by the theorems of today.

        A file is opened anew, also when the session is over.
        """
        if self.ledger.place == MEMORY:
            return self._from(self.ledger)
        with closing(self.ledger.opened_again()) as book:
            return self._from(book)

    def _from(self, book: Ledger) -> Certificate:
        book.verify()
        plan = recorded_plan(book.opening, ledger=book.place)
        plan = in_custody(plan, book.opening.public, book.overrides[: self.overrides])
        check_paid(plan, book.seen.offers.values(), ledger=book.place)
        check_record(plan, book)
        for each in answers_after(book.answers(), 0):
            draw = drawn(each, rows=plan.rows)
            if draw == self.draw and draw.failed(numbers(each.value)) == self.failed:
                return Certifier(plan, ledger=book.place).certificate(each)
        raise LedgerDamaged(ledger=book.place, problem="has no answer that was drawn like this")


def _session(ledger: Ledger) -> Hashable:
    if ledger.place == MEMORY:
        return ledger
    opening = ledger.opening
    promise = (opening.public_name, opening.confidence, opening.questions, opening.name)
    place = ledger.public_place if "://" in ledger.place else str(Path(ledger.place).resolve())
    return (place, *promise)


# The public past of a conversation, as its ledger records it, and what guessers learn from it.


@final
class Pasts:
    """Folds answers into a `Past`, and teaches corrections to the guesser, in the ledger's order.

    Only what is new since the last look is read, whoever wrote it. What was paid for and never
    answered counts as told: nobody may have seen it, and nobody can be sure. So does what is on
    its way to the disk. Threads take turns.
    """

    def __init__(
        self, plan: Plan, *, schema: Schema | None = None, guesser: Guesser | None = None
    ) -> None:
        self._plan = plan
        self._schema = schema or Schema({})
        self._guesser = guesser
        self._turn, self._lesson = threading.RLock(), threading.RLock()
        self._read = 0
        self._told = Past(target=plan.target)

    def look(self, state: State) -> Past:
        """All of it, up to the last entry of the ledger."""
        # Copies, for another thread may add to the ledger meanwhile; what is on its way comes
        # first, so that what is written in between counts twice and not never. Old answers lie
        # in the store: its lock comes before ours, for whoever is being charged looks with it.
        rows = self._plan.rows
        staged = tuple(state.staged.values())
        waiting = [paid for each in tuple(state.unanswered.values()) for paid in each.values()]
        draws, spent = state.draws, amount_of(state.spent)
        pending = tuple(recorded_draw(each.offer.terms, rows=rows) for each in waiting)
        past = self._told
        if self._plan.mechanism.remembers:
            start = self._read
            answers = answers_after(state.answers, start)
            with self._turn:
                self._take_in(answers[self._read - start :])
                past = self._told
            for each in staged:
                past = past.told(drawn(each, rows=rows).told(numbers(each.value)))
        for draw in pending:
            past = past.told(draw.told(None))
        return replace(past, spent=spent, draws=draws, pending=pending)

    def guess(self, asked: Question) -> Fraction | None:
        """What the guesser says, if there is one; it is never asked and taught at once."""
        with self._lesson:
            return None if self._guesser is None else self._guesser.guess(asked)

    def _take_in(self, answers: tuple[Settled, ...]) -> None:
        for settled in answers:
            self._read += 1
            draw = self._count(settled)
            within = draw.within(self._plan.mechanism, numbers(settled.value))
            if within is not None and self._guesser is not None:
                self._teach(settled, draw, within)

    def _count(self, settled: Settled) -> Draw:
        draw = drawn(settled, rows=self._plan.rows)
        self._told = self._told.told(draw.told(numbers(settled.value)))
        return draw

    def _teach(self, settled: Settled, draw: Draw, within: Fraction) -> None:
        # A guesser need not know all columns, and an earlier version may have read questions
        # that this one refuses; what it cannot use it does not learn.
        with self._lesson, suppress(InvalidInput, QuestionError, ValueError):
            (answer,) = draw.shares(numbers(settled.value))
            question = parse_question(settled.text, self._schema)
            if self._guesser is not None:
                self._guesser.learn(question, answer, within=within)


# Recorded values as the answers that analysts read.


@final
class RecordedReplies:
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

    def number(self, what: Query) -> Answer:
        """One number with its interval."""
        known = self._known(what)
        (share,) = self._shares(known, size=1)
        new = what.digest in self._unpaid
        found = self._answer(what.text, known, share, what.span, cost=self._paid(what.digest))
        return replace(found, drawn=new)

    def cells(self, what: Query, labels: Sequence[str], asked: Sequence[str]) -> HistogramAnswer:
        """All numbers of a histogram, or those from which shares or means by cells follow."""
        known, cost = self._known(what), self._paid(what.digest)
        cells = tuple(
            self._answer(text, known, share, what.span, cost=cost)
            for text, share in zip(asked, self._shares(known, size=len(labels)), strict=True)
        )
        return HistogramAnswer(
            question=what.text,
            labels=tuple(labels),
            cells=cells,
            cost=cost,
            remaining=self._remaining,
        )

    def quantile(self, what: Query, value: Callable[[int], float]) -> QuantileAnswer:
        """One of the points of a grid."""
        known = self._known(what)
        index = self._chosen(known, what.cells)
        return QuantileAnswer(
            question=what.text,
            value=value(index),
            after=value(index - 1) if index else -inf,
            level=what.level,
            certificate=self._certificate(known),
            cost=self._paid(what.digest),
            remaining=self._remaining,
        )

    def choice(self, what: Query, texts: Sequence[str]) -> Choice:
        """What was chosen, with its interval if its share was told."""
        known, cost, size = self._known(what), self._paid(what.digest), len(texts)
        index = self._chosen(known, size)
        shares = self._shares(known)
        text, span = texts[index], what.span
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

    def _known(self, what: Query) -> Settled:
        """The record of its answer, in the units that it is asked in."""
        known = self._settled[what.digest]
        try:
            recorded = span_of(known.terms)
        except (KeyError, ValueError, ZeroDivisionError):
            raise self._damaged() from None
        if recorded != what.span:
            raise self._damaged()
        return known

    def _shares(self, known: Settled, *, size: int | None = None) -> Value:
        """What the answer tells, if it can be one."""
        try:
            shares = drawn(known, rows=self._rows).shares(numbers(known.value))
        except IMPOSSIBLE:
            raise self._damaged() from None
        if size is not None and len(shares) != size:
            raise self._damaged()
        return shares

    def _chosen(self, known: Settled, size: int) -> int:
        """The place of what was chosen among so many."""
        try:
            place = drawn(known, rows=self._rows).chosen(numbers(known.value))
        except IMPOSSIBLE:
            raise self._damaged() from None
        if place >= size:
            raise self._damaged()
        return place

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

    def _damaged(self) -> LedgerDamaged:
        return LedgerDamaged(ledger=self._place, problem="records an answer of another shape")

    def _paid(self, digest: str) -> Charge:
        # A question repeated within a batch is paid for once.
        return self._unpaid.pop(digest, self._free)
