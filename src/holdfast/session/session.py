"""What analysts call. Each call becomes a request, which goes through the flow."""

from collections.abc import Iterable, Mapping
from copy import copy
from fractions import Fraction
from typing import final

from holdfast.core.answer import Answer
from holdfast.core.certificate import Certificate
from holdfast.core.choice import Choice
from holdfast.core.errors import InvalidInput
from holdfast.core.histogram_answer import HistogramAnswer
from holdfast.core.quantile_answer import QuantileAnswer
from holdfast.data.statistic import Statistic
from holdfast.data.table import Table
from holdfast.guess.guesser import Guesser
from holdfast.ledger.ledger import Ledger
from holdfast.mechanisms.thresholdout import Thresholdout
from holdfast.noise.entropy import Entropy
from holdfast.planner.own import Price
from holdfast.planner.plan import Guessed, Plan
from holdfast.planner.price import planned_price, price
from holdfast.planner.thresholdout import told_within
from holdfast.query.candidates import parse_candidates
from holdfast.query.form import Histogram, Mean, Quantile, Share
from holdfast.query.question import Question, parse_question
from holdfast.query.schema import Schema
from holdfast.session.flow import Flow
from holdfast.session.parsing import analyst_name, of_form, parsed
from holdfast.session.past import Past
from holdfast.session.promised import promised
from holdfast.session.reply import Replies
from holdfast.session.request import (
    Request,
    best_request,
    guess_request,
    in_fixed_point,
    question_request,
    statistic_request,
)
from holdfast.theory.generalization.checking import Transcript


@final
class Session:
    """Data, a promise about it, and the ledger that keeps the promise. See `holdfast.open`."""

    def __init__(
        self,
        *,
        table: Table,
        plan: Plan,
        ledger: Ledger,
        rng: Entropy,
        guesser: Guesser | None = None,
        analyst: str = "",
    ) -> None:
        self.plan = plan
        self.analyst = analyst_name(analyst)
        self.ledger = ledger
        self._table = table
        self._guesser = guesser
        noise = Fraction(0)
        if isinstance(plan.mechanism, Thresholdout):
            noise = told_within(plan.mechanism)
        self._seen_past = Past(schema=table.schema, guesser=guesser, noise=noise)
        self._flow = Flow(
            table=table,
            plan=plan,
            ledger=ledger,
            rng=rng,
            past=self._seen_past,
            analyst=self.analyst,
        )

    def as_analyst(self, name: str) -> "Session":
        """The same session, with questions charged to this analyst and kept within their share."""
        other = copy(self)
        other.analyst = analyst_name(name)
        other._flow = self._flow.as_analyst(other.analyst)
        return other

    def ask(
        self,
        question: str,
        *,
        radius: float | None = None,
        guess: float | None = None,
        tolerance: float | None = None,
    ) -> Answer:
        """A share or a mean of the population, with its interval.

        The same question again, in any spelling, gets the same answer for free. With a `radius`
        the interval of a new question reaches no further, for a price that `price` tells before.
        A session that checks guesses takes a `guess`, in the units of the answer, or its guesser's,
        and answers it if the rows confirm that the population is within `tolerance` of it; if not,
        it says about where the sample is, and all later intervals are a little wider. One that was
        opened with a number of failures has one tolerance for all, and ends with the last of them.
        """
        if guess is None and tolerance is None:
            return self.ask_many([question], radius=radius)[0]
        asked = parsed([question], self.schema)[0]
        return self._check(asked, radius=radius, guess=guess, tolerance=tolerance)

    def _check(
        self,
        asked: Question,
        *,
        radius: float | None = None,
        guess: float | None = None,
        tolerance: float | None = None,
    ) -> Answer:
        self.ledger.spent()  # others may have answered, and taught
        plain = isinstance(asked.form, Share | Mean)
        if plain and asked.digest in self.ledger.seen.answers:
            return self._replies([]).scalar(asked)
        with self._flow.turn:
            request = self._guessed(asked, radius, guess=guess, tolerance=tolerance)
            return self._replies([request]).scalar(asked)

    def _guessed(
        self,
        asked: Question,
        radius: float | None,
        *,
        guess: float | None,
        tolerance: float | None,
    ) -> Request:
        if radius is not None:
            accepted = "left out where guesses are checked"
            raise InvalidInput(argument="radius", accepted=accepted, given=repr(radius))
        self._past()  # so that the guesser knows all that was released
        share = None
        if guess is None and self._guesser is not None:
            share = self._seen_past.guess(asked)
        return guess_request(
            self.plan, asked, guess=guess, share=share, tolerance=tolerance, past=self._past
        )

    @property
    def failures(self) -> int:
        """How many guesses have failed, whoever made them; what was never settled counts too."""
        self.ledger.spent()
        return self._past().failures

    def _past(self) -> Transcript:
        if not isinstance(self.plan.mechanism, Guessed):
            return Transcript(questions=self.ledger.seen.draws)
        return self._seen_past.look(self.ledger.seen)

    def ask_many(self, questions: Iterable[str], *, radius: float | None = None) -> list[Answer]:
        """Answers to all `questions`, charged, evaluated and recorded together.

        All or nothing: if the new ones among them do not fit, none is charged. In a session of
        rounds, the new ones among them are one round. A session that checks guesses makes and
        charges them one by one, if all fit, because a failed guess teaches the next; if failures
        or corrections run out on the way, what was answered before can be asked again for free.
        """
        asked = parsed(questions, self.schema)
        for question in asked:
            if isinstance(question.form, Histogram | Quantile):
                kind = type(question.form).__name__.lower()
                raise InvalidInput(
                    argument="question",
                    accepted="a share or a mean",
                    given=f"a {kind}",
                    hint=f"call session.{kind}",
                )
        if isinstance(self.plan.mechanism, Guessed):  # one by one: a failure teaches
            self.ledger.spent()
            new = {each.digest for each in asked} - self.ledger.seen.answers.keys()
            if len(new) > self._flow.left():
                raise self._flow.refusal(len(new))
            return [self._check(each, radius=radius) for each in asked]
        replies = self._replies(self._requests(asked, radius))
        return [replies.scalar(question) for question in asked]

    def respond(
        self, questions: Iterable[str], *, radius: float | None = None
    ) -> list[Answer | HistogramAnswer | QuantileAnswer]:
        """Answers to questions of any form together, as `ask_many` does."""
        if isinstance(self.plan.mechanism, Guessed):
            return list(self.ask_many(questions, radius=radius))
        asked = parsed(questions, self.schema)
        replies = self._replies(self._requests(asked, radius))
        return [replies.any(question) for question in asked]

    def histogram(self, question: str, *, radius: float | None = None) -> HistogramAnswer:
        """All cells of a histogram in one draw, which costs about four questions however many.

        `session.histogram("histogram(delay, (0, 15, 60))")`. The radius is that of every cell.
        """
        asked = of_form(question, Histogram, self.schema)
        return self._replies([question_request(self.plan, asked, radius=radius)]).histogram(asked)

    def quantile(self, question: str, *, loss: float | None = None) -> QuantileAnswer:
        """A quantile, as in `session.quantile("quantile(delay, 0.5, -20, 120)")`.

        A smaller `loss` in its level costs more; by default it is half of the planned radius.
        """
        asked = of_form(question, Quantile, self.schema)
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
        guess: float | None = None,
        tolerance: float | None = None,
        together: int = 1,
    ) -> Price:
        """What a new question of any form would cost; nothing is spent.

        Asked `together` with others, in an open-ended session, it may be of a later stage. Where
        guesses are checked, the certificate is that of a guess that passes.
        """
        asked = parse_question(question, self.schema)
        if isinstance(self.plan.mechanism, Guessed) or guess is not None or tolerance is not None:
            self.ledger.spent()
            made = self._guessed(asked, radius, guess=guess, tolerance=tolerance)
            return self._flow.checked_price(made)
        request = question_request(self.plan, asked, radius=radius, loss=loss)
        found = request.price or planned_price(self.plan, draw=self.ledger.draws() + together)
        if request.price is None and isinstance(asked.form, Mean):
            return in_fixed_point(found)
        return found

    def price_of_best(self, candidates: Iterable[str], *, loss: float | None = None) -> Price:
        """What a choice would cost; nothing is spent."""
        asked = parse_candidates(candidates, self.schema)
        request = best_request(self.plan, asked, loss=loss)
        return request.price or planned_price(self.plan)

    def _requests(self, asked: Iterable[Question], radius: float | None) -> list[Request]:
        return [question_request(self.plan, each, radius=radius) for each in asked]

    def _replies(self, requests: list[Request]) -> Replies:
        return self._flow.replies(requests)

    def certificate(self, terms: Mapping[str, str]) -> Certificate:
        """The certificate of an answer drawn under these terms, as the ledger records them."""
        return self._flow.certificate(terms)

    @property
    def schema(self) -> Schema:
        return self._table.schema

    @property
    def remaining(self) -> int:
        """How many new questions the data can still take as planned, within the analyst's share."""
        self.ledger.spent()
        return self._flow.left()

    @property
    def remaining_rounds(self) -> int | None:
        """How many more rounds can be opened; None if the promise does not count them.

        A round is a batch of new questions, or with Thresholdout all up to a correction.
        """
        self.ledger.spent()
        return self._flow.rounds_left()

    def close(self) -> None:
        """Release the ledger file. Nothing is lost: every answer is already on disk."""
        self.ledger.close()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        rounds = self._flow.rounds_left()
        in_rounds = "" if rounds is None else f" in {rounds:,} more rounds"
        left = f"{self._flow.left():,} left{in_rounds}"
        head = f"Session of {self.analyst}" if self.analyst else "Session"
        return f"<{head}: {promised(self.plan, self._past())}, {left}, ledger {self.ledger.place}>"
