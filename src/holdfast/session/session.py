"""The flow: question → replay → filter → reserve → read → release → settle → answer.

Read `_draw` first; everything else in the package serves it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import final

from holdfast.core.answer import Answer
from holdfast.core.certificate import Certificate
from holdfast.core.charge import Offer
from holdfast.core.choice import Choice
from holdfast.core.errors import BudgetExhausted, InvalidInput, Refusal, RoundsExhausted
from holdfast.core.gate import Refused
from holdfast.core.histogram_answer import HistogramAnswer
from holdfast.core.numerics import decimal_up, level_down
from holdfast.core.quantile_answer import QuantileAnswer
from holdfast.data.statistic import Statistic
from holdfast.data.table import Table
from holdfast.ledger.sqlite import Ledger, Reservation
from holdfast.mechanisms.open_ended import OpenEnded
from holdfast.mechanisms.rounds import Rounds
from holdfast.noise.entropy import Entropy
from holdfast.planner.own import Price
from holdfast.planner.plan import Plan
from holdfast.planner.price import planned_price, price
from holdfast.planner.recorded import own_certificate_of
from holdfast.planner.remaining import remaining_questions, remaining_rounds
from holdfast.query.candidates import parse_candidates
from holdfast.query.form import FINE, Histogram, Mean, Quantile
from holdfast.query.question import Question, parse_question
from holdfast.query.schema import Schema
from holdfast.session.derivation import FromLedger
from holdfast.session.drawing import released
from holdfast.session.reply import Replies
from holdfast.session.request import (
    Request,
    best_request,
    question_request,
    read,
    statistic_request,
)
from holdfast.theory.generalization.fixed_point import fixed_point_certificate

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
        """A share or a mean of the population, with its interval.

        The same question again, in any spelling, gets the same answer for free. With a `radius`
        the interval of a new question reaches no further, for a price that `price` tells before.
        """
        return self.ask_many([question], radius=radius)[0]

    def ask_many(self, questions: Iterable[str], *, radius: float | None = None) -> list[Answer]:
        """Answers to all `questions`, charged, evaluated and recorded together.

        All or nothing: if the new ones among them do not fit, none is charged. In a session of
        rounds, the new ones among them are one round.
        """
        asked = self._parsed(questions)
        for question in asked:
            if isinstance(question.form, Histogram | Quantile):
                kind = type(question.form).__name__.lower()
                raise InvalidInput(
                    argument="question",
                    accepted="a share or a mean",
                    given=f"a {kind}",
                    hint=f"call session.{kind}",
                )
        replies = self._replies([self._request(each, radius=radius) for each in asked])
        return [replies.scalar(question) for question in asked]

    def respond(
        self, questions: Iterable[str], *, radius: float | None = None
    ) -> list[Answer | HistogramAnswer | QuantileAnswer]:
        """Answers to questions of any form together, as `ask_many` does."""
        asked = self._parsed(questions)
        replies = self._replies([self._request(each, radius=radius) for each in asked])
        return [replies.any(question) for question in asked]

    def histogram(self, question: str, *, radius: float | None = None) -> HistogramAnswer:
        """All cells of a histogram in one draw, which costs about four questions however many.

        `session.histogram("histogram(delay, (0, 15, 60))")`. The radius is that of every cell.
        """
        asked = self._of_form(question, Histogram)
        return self._replies([self._request(asked, radius=radius)]).histogram(asked)

    def quantile(self, question: str, *, loss: float | None = None) -> QuantileAnswer:
        """A quantile, as in `session.quantile("quantile(delay, 0.5, -20, 120)")`.

        A smaller `loss` in its level costs more; by default it is half of the planned radius.
        """
        asked = self._of_form(question, Quantile)
        request = question_request(self.plan, asked, loss=loss)
        return self._replies([request]).quantile(asked)

    def best(self, candidates: Iterable[str], *, loss: float | None = None) -> Choice:
        """Which of the candidates, shares or means, is largest in the population, or nearly so.

        Costs the same for two candidates as for thousands, but for a logarithm: for a few, asking
        each is cheaper. A smaller `loss` against the best of the sample costs more; by default it
        is half of the planned radius.
        """
        asked = parse_candidates(candidates, self.schema)
        return self._replies([best_request(self.plan, asked, loss=loss)]).choice(asked)

    def measure(self, statistic: Statistic, *, radius: float | None = None) -> Answer:
        """The mean of a statistic over fresh samples of as many rows, with its interval."""
        request = statistic_request(self.plan, statistic, radius=radius)
        return self._replies([request]).scalar(statistic)

    def price(self, radius: float) -> Price:
        """What a new share with this radius would cost; nothing is spent."""
        return price(self.plan, radius=radius)

    def price_of(
        self,
        question: str,
        *,
        radius: float | None = None,
        loss: float | None = None,
        together: int = 1,
    ) -> Price:
        """What a new question of any form would cost; nothing is spent.

        Asked `together` with others, in an open-ended session, it may be of a later stage.
        """
        asked = parse_question(question, self.schema)
        request = question_request(self.plan, asked, radius=radius, loss=loss)
        found = request.price or planned_price(self.plan, draw=self.ledger.draws() + together)
        if request.price is None and isinstance(asked.form, Mean):
            certified = fixed_point_certificate(found.certificate, levels=FINE)
            return replace(found, certificate=certified)
        return found

    def price_of_best(self, candidates: Iterable[str], *, loss: float | None = None) -> Price:
        """What a choice would cost; nothing is spent."""
        asked = parse_candidates(candidates, self.schema)
        request = best_request(self.plan, asked, loss=loss)
        return request.price or planned_price(self.plan)

    def _parsed(self, questions: Iterable[str]) -> list[Question]:
        if isinstance(questions, str):
            raise InvalidInput(
                argument="questions",
                accepted="a list of questions",
                given=repr(questions),
                hint="use ask for a single one",
            )
        return [parse_question(text, self.schema) for text in questions]

    def _of_form(self, text: str, form: type[Histogram] | type[Quantile]) -> Question:
        asked = parse_question(text, self.schema)
        if not isinstance(asked.form, form):
            name = form.__name__.lower()
            raise InvalidInput(
                argument="question",
                accepted=f"a {name}, written {name}(…)",
                given=f"a {type(asked.form).__name__.lower()}",
            )
        return asked

    def _request(self, question: Question, *, radius: float | None) -> Request:
        return question_request(self.plan, question, radius=radius)

    def _replies(self, requests: list[Request]) -> Replies:
        known = self.ledger.seen.answers
        fresh = {each.digest: each for each in requests if each.digest not in known}
        reserved = self._draw(fresh) if fresh else NOTHING
        return Replies(
            settled=self.ledger.seen.answers,
            reserved=reserved,
            certificate=self.certificate,
            unit=self.plan.budget,
            # A reservation has just looked at the file; a free repeat looks now.
            remaining=self._left() if reserved.digests else self.remaining,
            place=self.ledger.place,
        )

    def _draw(self, fresh: Mapping[str, Request]) -> Reservation:
        """Pay for, read, release and record."""

        def offers(digests: tuple[str, ...], drawn: int) -> list[Offer]:
            size = len(digests)
            last = drawn + size
            return [fresh[each].offer(self.plan, draw=last, batch=size) for each in digests]

        texts = {digest: request.text for digest, request in fresh.items()}
        reserved = self.ledger.reserve(texts, offers=offers, gate=self._gate)
        if isinstance(reserved, Refused):
            raise self._refusal(sum(request.worth for request in fresh.values()))
        if reserved.digests:  # else another process answered them all in the meantime
            paid = [fresh[digest] for digest in reserved.digests]
            exact = read(self._table, self.plan, paid, reserved)
            values = released(self.plan, reserved.offers, exact, rng=self._rng)
            self.ledger.settle(reserved, dict(zip(reserved.digests, values, strict=True)))
        return reserved

    def _refusal(self, asked: int) -> Refusal:
        promised = self.plan.mechanism
        if isinstance(promised, Rounds) and self._rounds_left() == 0:
            return RoundsExhausted(asked=asked, rounds=promised.rounds)
        left, size = self._left(), self.plan.target.questions
        return BudgetExhausted(asked=asked, remaining=left, questions=size)

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

    @property
    def remaining_rounds(self) -> int | None:
        """How many more batches of new questions fit; None if the promise does not count them."""
        self.ledger.spent()
        return self._rounds_left()

    def _left(self) -> int:
        seen = self.ledger.seen
        return remaining_questions(self.plan, spent=seen.spent, draws=seen.draws)

    def _rounds_left(self) -> int | None:
        return remaining_rounds(self.plan, spent=self.ledger.seen.spent)

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
        rounds = self._rounds_left()
        in_rounds = "" if rounds is None else f" in {rounds:,} more rounds"
        return (
            f"<Session: {self.plan.rows:,} rows, ±{decimal_up(self.plan.radius)} at confidence "
            f"{level_down(target.confidence)} for all of {target.questions:,} questions, "
            f"{self._left():,} left{in_rounds}, ledger {self.ledger.place}>"
        )
