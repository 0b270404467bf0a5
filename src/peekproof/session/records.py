"""Recorded answers: how they were drawn, what they say, and whether the record of them can be.

All of it follows from the ledger alone; `verify`, receipts and histories read answers here.
"""

import threading
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import lru_cache
from math import inf
from pathlib import Path
from typing import final

from peekproof.core.answer import Answer, Choice, HistogramAnswer, QuantileAnswer
from peekproof.core.certificate import UNIT, Certificate, Span
from peekproof.core.charge import Charge, Offer, charge_in
from peekproof.core.errors import InvalidInput, LedgerDamaged, MechanismMissing, QuestionError
from peekproof.core.finding import Finding
from peekproof.guess.guesser import Guesser
from peekproof.ledger.entry import Settled, paid_from_body
from peekproof.ledger.entry import Value as Written
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.snapshot import answers_after
from peekproof.ledger.sqlite import MEMORY
from peekproof.ledger.state import State
from peekproof.mechanisms.base import Draw, Paid, Past, Query, Told, Value, recorded_draw
from peekproof.mechanisms.plan import Plan, certificate_of, recorded_plan, replace_ledger
from peekproof.query.inference import Inference
from peekproof.query.question import Question, parse_question
from peekproof.query.schema import Schema
from peekproof.session.custody import in_custody
from peekproof.session.wording import Wording, asked_by

# What reading a record can raise that was not written by a session.
IMPOSSIBLE = (KeyError, ValueError, ZeroDivisionError, TypeError, InvalidInput)


@final
@dataclass(frozen=True, slots=True)
class Reading:
    """A recorded answer: how it was drawn, what was released, and in which units.

    Whoever makes sense of a record does it through here: answers, histories, receipts, clients
    and audits. What no session wrote raises one of `IMPOSSIBLE`, when it is read or looked at.
    """

    draw: Draw
    value: Value
    terms: Mapping[str, str]

    @classmethod
    def of(cls, settled: Settled, *, rows: int) -> "Reading":
        """The reading of an answer about so many rows."""
        draw = recorded_draw(settled.terms, rows=rows)
        return cls(draw, numbers(settled.value), settled.terms)

    @property
    def failed(self) -> bool:
        """Whether it corrects a guess."""
        return self.draw.failed(self.value)

    @property
    def outcome(self) -> tuple[Draw, bool]:
        """What its certificate depends on."""
        return self.draw, self.failed

    @property
    def shares(self) -> Value:
        """The shares of its scale that it tells."""
        return self.draw.shares(self.value)

    @property
    def chosen(self) -> int:
        """The place in a list that it tells."""
        return self.draw.chosen(self.value)

    @property
    def told(self) -> int:
        """Among how many things it chose, if later levels count that; else 0."""
        return self.draw.told(self.value)

    @property
    def sample(self) -> tuple[Fraction, Fraction]:
        """Between which shares that of the sample lies."""
        return self.draw.sample(self.value)

    @property
    def span(self) -> Span:
        """The units of it."""
        return span_of(self.terms)

    def finding(self, certificate: Certificate) -> Finding:
        """What it says of the population."""
        return self.draw.finding(self.value, certificate, self.span)


def span_of(terms: Mapping[str, str]) -> Span:
    """The units of an answer that was recorded with these terms."""
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
            key = Reading.of(settled, rows=self._plan.rows).outcome
            if key not in self._known:
                self._known[key] = certificate_of(self._plan, key[0], failed=key[1])
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
        return Reading.of(settled, rows=rows).finding(certify(settled))
    except IMPOSSIBLE as error:
        problem = f"records an answer that cannot be ({error})"
        raise LedgerDamaged(ledger=ledger, problem=problem) from error


def check_paid(plan: Plan, offers: Iterable[Offer], *, ledger: str) -> None:
    """Refuse a record of draws that paid otherwise than they cost, or that count as too few.

    This is quick, and enough for a session to go on: no promise of its own rests on the rest.
    """
    with _impossible(ledger):
        for offer in offers:
            _check_price(plan, recorded_draw(offer.terms, rows=plan.rows), offer)


def check_record(plan: Plan, book: Ledger) -> None:
    """Refuse a record that no session by its mechanism writes, from the first entry on.

    Of every draw: that it was paid for and comes after its past, and that it was made for what the
    text says (see `session.wording`), in the units of that.
    """
    with _impossible(book.place):
        plan.mechanism.audit(plan.target, _steps(plan, book))


@contextmanager
def _impossible(ledger: str) -> Iterator[None]:
    """What no session writes is damage."""
    try:
        yield
    except MechanismMissing as error:
        raise replace_ledger(error, ledger) from None
    except IMPOSSIBLE as error:
        problem = f"records a draw that cannot be ({error})"
        raise LedgerDamaged(ledger=ledger, problem=problem) from error


def _check_price(plan: Plan, draw: Draw, offer: Offer) -> None:
    if (offer.cost, offer.draws) != (draw.cost, draw.draws):
        raise ValueError("paid otherwise than it costs")
    if offer.draws < draw.least_draws(plan.mechanism, plan.target):
        raise ValueError("counted as fewer questions than it costs")


def _steps(plan: Plan, book: Ledger) -> Iterator[Paid | Told]:
    """What the entries say, in their order."""
    state, unit, questions = State(book.place), plan.budget.unit, Inference()
    about = book.opening.about
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
                text, offer = paid[digest].text, paid[digest].offer
                _check_price(plan, draw, offer)
                said = Wording(
                    text=text,
                    digest=digest,
                    span=span_of(offer.terms),
                    numbers=draw.numbers,
                    rows=plan.rows,
                    about=about,
                    questions=questions,
                )
                _check_wording(said, draw)
                yield Paid(number, draw)
        if entry.kind == "answer":
            for digest, draw in draws.items():
                yield Told(number, draw, numbers(state.answers[digest].value))


def _check_wording(said: Wording, draw: Draw) -> None:
    """Refuse a draw that was made for something else than its text asks for, or in other units."""
    asked = asked_by(said)
    if not asked:
        raise ValueError("a text that does not ask for what was drawn")
    if not any(each.span == said.span and draw.made_for(each) for each in asked):
        raise ValueError("drawn for something else than its text asks for")


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
        check_record(plan, book)
        for each in answers_after(book.answers(), 0):
            if Reading.of(each, rows=plan.rows).outcome == (self.draw, self.failed):
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
        self._mechanism, self._rows = plan.mechanism, plan.rows
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
        rows = self._rows
        staged = dict(state.staged)
        waiting = [
            paid
            for each in list(state.unanswered.values())
            for digest, paid in each.items()
            if digest not in staged  # paid for before, and answered on its way to the disk
        ]
        draws, spent = state.draws, state.spent.amount
        pending = tuple(recorded_draw(each.offer.terms, rows=rows) for each in waiting)
        past = self._told
        if self._mechanism.remembers:
            start = self._read
            answers = answers_after(state.answers, start)
            with self._turn:
                self._take_in(answers[self._read - start :])
                past = self._told
            for each in staged.values():
                past = past.told(Reading.of(each, rows=rows).told)
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
            read = Reading.of(settled, rows=self._rows)
            self._told = self._told.told(read.told)
            within = read.draw.within(self._mechanism, read.value)
            if within is not None and self._guesser is not None:
                self._teach(settled, read, within)

    def _teach(self, settled: Settled, read: Reading, within: Fraction) -> None:
        # A guesser need not know all columns, and an earlier version may have read questions
        # that this one refuses; what it cannot use it does not learn.
        with self._lesson, suppress(InvalidInput, QuestionError, ValueError):
            (answer,) = read.shares
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
        self._free = charge_in(unit.unit)
        self._remaining = remaining
        self._unpaid = dict(paid)

    def number(self, what: Query) -> Answer:
        """One number with its interval."""
        known, read = self._read(what, size=1)
        (share,) = read.shares
        new = what.digest in self._unpaid
        found = self._answer(what.text, known, share, what.span, cost=self._paid(what.digest))
        return replace(found, drawn=new)

    def cells(self, what: Query, labels: Sequence[str], asked: Sequence[str]) -> HistogramAnswer:
        """All numbers of a histogram, or those from which shares or means by cells follow."""
        (known, read), cost = self._read(what, size=len(labels)), self._paid(what.digest)
        cells = tuple(
            self._answer(text, known, share, what.span, cost=cost)
            for text, share in zip(asked, read.shares, strict=True)
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
        known, read = self._read(what)
        index = self._chosen(read, what.cells)
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
        (known, read), cost, size = self._read(what), self._paid(what.digest), len(texts)
        index, shares = self._chosen(read, size), read.shares
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

    def _read(self, what: Query, *, size: int | None = None) -> tuple[Settled, Reading]:
        """The record of its answer, if it is one of as many numbers in the units it is asked in."""
        known = self._settled[what.digest]
        try:
            read = Reading.of(known, rows=self._rows)
            fits = read.span == what.span and size in (None, len(read.shares))
            fits = fits and read.draw.made_for(what)
        except IMPOSSIBLE:
            raise self._damaged() from None
        if not fits:
            raise self._damaged()
        return known, read

    def _chosen(self, read: Reading, size: int) -> int:
        """The place of what was chosen among so many."""
        try:
            place = read.chosen
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
