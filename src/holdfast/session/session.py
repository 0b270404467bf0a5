"""The flow: question → replay → filter → reserve → read → release → settle → answer.

Read `ask_many` first; everything else in the package serves it.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import final

from holdfast.core.answer import Answer
from holdfast.core.certificate import Certificate
from holdfast.core.charge import Offer, nothing, unit_of
from holdfast.core.errors import BudgetExhausted, InvalidInput
from holdfast.core.gate import Refused
from holdfast.core.numerics import decimal_up, level_down
from holdfast.core.secret import Exact
from holdfast.data.table import Table
from holdfast.ledger.sqlite import Ledger, Reservation
from holdfast.mechanisms.open_ended import OpenEnded
from holdfast.mechanisms.splitting import Splitting
from holdfast.noise.entropy import Entropy
from holdfast.planner.plan import Plan
from holdfast.planner.price import Price, planned_offer, planned_price, price
from holdfast.planner.recorded import mechanism_under, own_certificate_of
from holdfast.planner.remaining import remaining_questions
from holdfast.query.question import Question, parse_question
from holdfast.query.schema import Schema
from holdfast.session.derivation import FromLedger

NOTHING = Reservation(0, ())


@final
class Session:
    """Data, a promise about it, and the ledger that keeps the promise. See `holdfast.open`."""

    def __init__(self, *, table: Table, plan: Plan, ledger: Ledger, rng: Entropy) -> None:
        self.plan = plan
        self.ledger = ledger
        self._table = table
        self._rng = rng
        self._gate = plan.gate()
        self._certificates: dict[tuple[tuple[str, str], ...], Certificate] = {}

    def ask(self, question: str, *, radius: float | None = None) -> Answer:
        """The share of the population for which `question` holds, with its interval.

        The same question again, in any spelling, gets the same answer for free. With a `radius`
        the interval of a new question reaches no further, for a price that `price` tells before.
        """
        return self.ask_many([question], radius=radius)[0]

    def ask_many(self, questions: Iterable[str], *, radius: float | None = None) -> list[Answer]:
        """Answers to all `questions`, charged, evaluated and recorded together.

        All or nothing: if the new ones among them do not fit, none is charged.
        """
        if isinstance(questions, str):
            raise InvalidInput(
                argument="questions",
                accepted="a list of questions",
                given=repr(questions),
                hint="use ask for a single one",
            )
        own = None if radius is None else self.price(radius)
        asked = [parse_question(text, self.schema) for text in questions]
        known = self.ledger.seen.answers
        fresh = {each.digest: each for each in asked if each.digest not in known}
        reserved = self._answer_fresh(fresh, own) if fresh else NOTHING
        return self._answers(asked, reserved)

    def price(self, radius: float) -> Price:
        """What a new question with this radius would cost; nothing is spent."""
        return price(self.plan, radius=radius)

    def _answer_fresh(self, fresh: dict[str, Question], own: Price | None) -> Reservation:
        """Pay for, read, release and record."""
        texts = {digest: question.text for digest, question in fresh.items()}

        def offer(draw: int) -> Offer:
            return own.offer if own else planned_offer(self.plan, draw=draw)

        reserved = self.ledger.reserve(texts, offer=offer, gate=self._gate)
        if isinstance(reserved, Refused):
            left, size = self._left(), self.plan.target.questions
            raise BudgetExhausted(asked=len(fresh), remaining=left, questions=size)
        if reserved.offer is not None:  # else another process answered them all in the meantime
            mechanism = mechanism_under(self.plan, reserved.offer.terms)
            counts = self._counts([fresh[digest] for digest in reserved.digests], reserved)
            released = [mechanism.release(count, rng=self._rng) for count in counts]
            self.ledger.settle(reserved, dict(zip(reserved.digests, released, strict=True)))
        return reserved

    def _counts(self, questions: Sequence[Question], reserved: Reservation) -> list[Exact[int]]:
        mechanism = self.plan.mechanism
        if isinstance(mechanism, Splitting):
            return self._table.count_part(
                questions, first=reserved.first, parts=mechanism.parts, key=mechanism.key
            )
        return self._table.count(questions)

    def _answers(self, asked: list[Question], reserved: Reservation) -> list[Answer]:
        settled = self.ledger.seen.answers
        # A reservation has just looked at the file; a free repeat looks now.
        remaining = self._left() if reserved.digests else self.remaining
        answers: list[Answer] = []
        unpaid = set(reserved.digests)
        free = nothing(unit_of(self.plan.budget))
        price = reserved.offer.cost if reserved.offer else free
        for question in asked:
            known = settled[question.digest]
            # A question repeated within a batch is paid for once.
            paid = price if question.digest in unpaid else free
            unpaid.discard(question.digest)
            answers.append(
                Answer(
                    question=question.text,
                    released=known.value,
                    certificate=self.certificate(known.terms),
                    cost=paid,
                    remaining=remaining,
                )
            )
        return answers

    def certificate(self, terms: Mapping[str, str]) -> Certificate:
        """The certificate of an answer drawn under these terms, as the ledger records them."""
        key = tuple(sorted(terms.items()))
        if key not in self._certificates:
            found = self.plan.certificate
            if terms:
                found = own_certificate_of(self.plan, terms, ledger=self.ledger.place)
            self._certificates[key] = replace(found, derivation=FromLedger(self.ledger, terms))
        return self._certificates[key]

    @property
    def schema(self) -> Schema:
        return self._table.schema

    @property
    def remaining(self) -> int:
        """How many new questions the data can still take as planned, whoever asks them."""
        self.ledger.spent()
        return self._left()

    def _left(self) -> int:
        seen = self.ledger.seen
        return remaining_questions(self.plan, spent=seen.spent, draws=seen.draws)

    def close(self) -> None:
        """Release the ledger file. Nothing is lost: every answer is already on disk."""
        self.ledger.close()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        target = self.plan.target
        if isinstance(self.plan.mechanism, OpenEnded):
            now = planned_price(self.plan, draw=self.ledger.seen.draws + 1).certificate
            return (
                f"<Session: {self.plan.rows:,} rows, open-ended, now ±{decimal_up(now.radius)} at "
                f"confidence {level_down(target.confidence)}, {self.ledger.seen.draws:,} asked, "
                f"ledger {self.ledger.place}>"
            )
        return (
            f"<Session: {self.plan.rows:,} rows, ±{decimal_up(self.plan.radius)} at confidence "
            f"{level_down(target.confidence)} for all of {target.questions:,} questions, "
            f"{self._left():,} left, ledger {self.ledger.place}>"
        )
