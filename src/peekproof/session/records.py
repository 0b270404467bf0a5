"""Recorded answers: how they were drawn, what they say, and whether the record of them can be.

All of it follows from the ledger alone; `verify`, receipts and histories read answers here.
"""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import final

from peekproof.core.certificate import UNIT, Certificate, Span
from peekproof.core.charge import Offer, amount_of, unit_of
from peekproof.core.errors import LedgerDamaged, MechanismMissing
from peekproof.core.finding import Finding
from peekproof.data.statistic import NAMED
from peekproof.ledger.answers import answers_after
from peekproof.ledger.file import MEMORY
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.record import Settled, answers_from_body, paid_from_body
from peekproof.ledger.record import Value as Written
from peekproof.ledger.state import State
from peekproof.mechanisms.base import Draw, Paid, Told, Value, recorded_draw
from peekproof.mechanisms.plan import Plan, certificate_of, recorded_plan, replace_ledger
from peekproof.query.candidates import candidates_named
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
    """Refuse pairs that were counted as rows, and a choice among others than those named."""
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
