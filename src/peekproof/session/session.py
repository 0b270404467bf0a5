"""What analysts call. Each call becomes a request, which goes through the flow."""

from collections.abc import Iterable, Mapping
from copy import copy
from typing import cast, final

from peekproof.core.answer import Answer, Choice, HistogramAnswer, QuantileAnswer
from peekproof.core.certificate import Certificate
from peekproof.core.charge import used_part
from peekproof.core.shown import visible
from peekproof.core.width import Width
from peekproof.data.source import Source
from peekproof.data.statistic import PairStatistic, Statistic
from peekproof.derive.conditional import ConditionalAnswer, GroupedAnswer
from peekproof.guess.guesser import Guesser
from peekproof.ledger.ledger import Ledger
from peekproof.noise.entropy import Entropy
from peekproof.planner.own import Price
from peekproof.planner.plan import Guessed, Plan
from peekproof.planner.price import price
from peekproof.query.candidates import Candidates, parse_candidates
from peekproof.query.form import Given, Grouped, Histogram, Quantile
from peekproof.query.question import Question
from peekproof.query.schema import Schema
from peekproof.session.flow import Flow
from peekproof.session.guessing import Guessing, past_of
from peekproof.session.history import History
from peekproof.session.html import session_html
from peekproof.session.parsing import Asked, analyst_name, check_scalar, of_form, parsed
from peekproof.session.pricing import checked, choice_price, priced, quotient_price, within_known
from peekproof.session.promised import left_text, next_width, promised
from peekproof.session.quotients import (
    AnyAnswer,
    OneNumber,
    drawn_for,
    drawn_within,
    found_in,
    one_number_of,
)
from peekproof.session.recalled import Recall
from peekproof.session.reply import Replies
from peekproof.session.request import Request, best_request, question_request, statistic_request


@final
class Session:
    """Data, a promise about it, and the ledger that keeps the promise. See `peekproof.open`."""

    def __init__(
        self,
        *,
        table: Source,
        plan: Plan,
        ledger: Ledger,
        rng: Entropy,
        schema: Schema | None = None,
        guesser: Guesser | None = None,
        analyst: str = "",
    ) -> None:
        self.plan = plan
        self.analyst = analyst_name(analyst)
        self.ledger, self._table = ledger, table
        self.schema = table.schema if schema is None else schema
        past, name = past_of(plan, schema=self.schema, guesser=guesser), self.analyst
        flow = Flow(table=table, plan=plan, ledger=ledger, rng=rng, past=past, analyst=name)
        self._flow = flow
        self._guessing = Guessing(plan=plan, ledger=ledger, flow=flow, past=past, guesser=guesser)

    def as_analyst(self, name: str) -> "Session":
        """The same session, with questions charged to this analyst and kept within their share."""
        other = copy(self)
        other.analyst = analyst_name(name)
        other._flow = self._flow.as_analyst(other.analyst)
        other._guessing = self._guessing.through(other._flow)
        return other

    def ask(
        self,
        question: Asked | PairStatistic,
        *,
        radius: float | None = None,
        guess: float | None = None,
        tolerance: float | None = None,
        trained_on: int | None = None,
    ) -> OneNumber:
        """A share or a mean of the population, with its interval.

        A mean of a number that may be missing is that among the rows with a value, and tells in
        `missing` how many have none: two questions, of which the second is asked once. The same
        question again, in any spelling, gets the same answer for free. With a `radius`
        the interval of a new question reaches no further, for a price that `price_of` tells before.
        For a mean with missing values and for `given` it is that of the two parts, as in
        `conditional`: the quotient reaches further, and `price_of` tells how far it can.
        A session that checks guesses takes a `guess`, in the units of the answer, or its guesser's,
        and answers it if the rows confirm that the population is within `tolerance` of it; if not,
        it says about where the sample is, and all later intervals are a little wider. In place of a
        tolerance, `trained_on` may say of how many other rows a guess is the mean. A session that
        was opened with a number of failures has one tolerance for all, and ends with the last.
        A guess at a mean over pairs of rows is checked likewise, as if there were half as many.
        """
        asked: Question | PairStatistic
        if isinstance(question, PairStatistic):
            self._flow.check_ordered()
            asked = question
        elif guess is None and tolerance is None and trained_on is None:
            return self.ask_many([question], radius=radius)[0]
        else:
            asked = parsed([question], self.schema)[0]
        return self._guessing.check(
            asked, radius=radius, guess=guess, tolerance=tolerance, trained_on=trained_on
        )

    @property
    def failures(self) -> int:
        """How many guesses have failed, whoever made them; what was never settled counts too."""
        self.ledger.spent()
        return self._guessing.transcript().failures

    def ask_many(
        self, questions: Iterable[Asked], *, radius: float | None = None
    ) -> list[OneNumber]:
        """Answers to all `questions`, charged, evaluated and recorded together.

        All or nothing: if the new ones among them do not fit, none is charged. In a session of
        rounds, the new ones among them are one round. A session that checks guesses makes and
        charges them one by one, if all fit, because a failed guess teaches the next; if failures
        or corrections run out on the way, what was answered before can be asked again for free.
        """
        asked = parsed(questions, self.schema)
        for question in asked:
            check_scalar(question)
        self._check_quotients(asked, radius)
        drawn = drawn_for(asked)
        if isinstance(self.plan.mechanism, Guessed):  # one by one: a failure teaches
            parts = iter(self._guessing.check_all(drawn, radius=radius))
        else:
            replies = self._replies(self._requests(asked, radius))
            parts = iter([replies.scalar(each) for each in drawn])
        return [one_number_of(question, parts) for question in asked]

    def respond(
        self, questions: Iterable[Asked], *, radius: float | None = None
    ) -> list[AnyAnswer]:
        """Answers to questions of any form together, as `ask_many` does."""
        asked = parsed(questions, self.schema)
        if isinstance(self.plan.mechanism, Guessed):
            return list(self.ask_many(asked, radius=radius))
        self._check_quotients(asked, radius)
        replies = self._replies(self._requests(asked, radius))
        return [found_in(replies, question) for question in asked]

    def histogram(self, question: Asked, *, radius: float | None = None) -> HistogramAnswer:
        """All cells of a histogram in one draw, which costs about four questions however many.

        `session.histogram("histogram(delay, (0, 15, 60))")`. The radius is that of every cell.
        """
        asked = of_form(question, Histogram, self.schema)
        return self._replies([question_request(self.plan, asked, radius=radius)]).histogram(asked)

    def grouped(self, question: Asked, *, radius: float | None = None) -> GroupedAnswer:
        """A share or a mean within each cell in one draw: `session.grouped("late by carrier")`.

        Costs about four questions however many cells. The radius is that of the shares of all rows
        from which the numbers within the cells follow: those of small cells reach further.
        """
        return cast(GroupedAnswer, self._about(question, Grouped, radius))

    def conditional(self, question: Asked, *, radius: float | None = None) -> ConditionalAnswer:
        """A share or a mean among some: `session.conditional("late given carrier = 'AA'")`.

        Two questions, of which each is free if it was answered before, and their quotient. The
        radius is that of the two, for a mean in its units, but the condition's is never wider than
        planned; the rarer the condition, the further the quotient's reaches.
        """
        return cast(ConditionalAnswer, self._about(question, Given, radius))

    def _about(
        self, question: Asked, form: type[Grouped] | type[Given], radius: float | None
    ) -> AnyAnswer:
        asked = of_form(question, form, self.schema)
        if isinstance(asked.form, Given):
            return self.ask_many([asked], radius=radius)[0]
        return found_in(self._replies(self._requests([asked], radius)), asked)

    def quantile(self, question: Asked, *, loss: float | None = None) -> QuantileAnswer:
        """A quantile, as in `session.quantile("quantile(delay, 0.5, -20, 120)")`.

        A smaller `loss` in its level costs more; by default it is half of the planned radius.
        """
        asked = of_form(question, Quantile, self.schema)
        request = question_request(self.plan, asked, loss=loss)
        return self._replies([request]).quantile(asked)

    def best(self, candidates: Iterable[Asked], *, loss: float | None = None) -> Choice:
        """Which of the candidates, shares or means, is largest in the population, or nearly so.

        Costs the same for two as for thousands, but for a logarithm: for a few, asking each is
        cheaper. A smaller `loss` against the best of the sample costs more; the default is half of
        the planned radius. Where guesses are checked, the best of the sample with its interval.
        """
        asked = parse_candidates(candidates, self.schema)
        return self._replies([self._best_request(asked, loss)]).choice(asked)

    def measure(self, statistic: Statistic, *, radius: float | None = None) -> Answer:
        """The mean of a statistic over fresh samples of as many rows, with its interval."""
        self._flow.check_ordered()
        request = statistic_request(self.plan, statistic, radius=radius)
        return self._replies([request]).scalar(statistic)

    def answers(self, *, analyst: str | None = None) -> History:
        """All answers so far, whoever asked, or those that this analyst was the first to get.

        In the order of the ledger and with their certificates. Free: no data are read.
        """
        return self.recall.history(self.ledger.answers(), analyst=analyst)

    @property
    def recall(self) -> Recall:
        """Tells recorded answers as they were told to those who asked."""
        place, rows = self.ledger.public_place, self.plan.rows
        return Recall(place=place, schema=self.schema, certificate=self.certificate, rows=rows)

    def price(self, radius: float) -> Price:
        """What a new share with this radius would cost; nothing is spent."""
        return price(self.plan, radius=radius)

    def price_of(
        self,
        question: Asked,
        *,
        radius: float | None = None,
        loss: float | None = None,
        guess: float | None = None,
        tolerance: float | None = None,
        together: int = 1,
    ) -> Price:
        """What a question of any form would cost: nothing, if it was answered before.

        Its `width` is how far the interval would reach, in the units of the answer, and on what
        that depends where it is not known before. `together` is how many new draws are made at
        once, of which a quotient is two: in an open-ended session they may be of a later stage.
        Where guesses are checked, the certificate is that of a guess that passes.
        """
        (asked,) = parsed([question], self.schema)
        if isinstance(self.plan.mechanism, Guessed) or guess is not None or tolerance is not None:
            found = self._price_of_guess(asked, radius=radius, guess=guess, tolerance=tolerance)
        else:
            drawn, known = self.ledger.draws(), self._flow.known_price
            parts = [each for each in drawn_for([asked]) if known(each) is None]
            last = drawn + max(together, len(parts))
            found = priced(
                self.plan,
                asked,
                radius=radius,
                loss=loss,
                draw=last,
                before=known,
                group_of=self._known_group,
            )
        return within_known(found, asked, self._flow.known_answers)

    def new_draws(self, questions: Iterable[Asked]) -> int:
        """How many draws would be made if these were asked now together."""
        self.ledger.spent()
        drawn = {each.digest for each in drawn_for(parsed(questions, self.schema))}
        return len(drawn - self.ledger.seen.answers.keys())

    def _price_of_guess(
        self,
        asked: Question,
        *,
        radius: float | None,
        guess: float | None,
        tolerance: float | None,
        after: Price | None = None,
    ) -> Price:
        if isinstance(asked.form, Given) and guess is None and tolerance is None:
            first, second = drawn_for([asked])
            over = self._price_of_guess(first, radius=radius, guess=None, tolerance=None)
            under = self._price_of_guess(
                second, radius=radius, guess=None, tolerance=None, after=over
            )
            return quotient_price(asked.form, over, under, group=self._known_group(second))
        found = self._guessing.price(
            asked, radius=radius, guess=guess, tolerance=tolerance, after=after
        )
        return checked(self.plan, found)

    def _known_group(self, asked: Question) -> Answer | None:
        """What was answered before to a question about a share."""
        replies = self._flow.known_answers([asked])
        return None if replies is None else replies.scalar(asked)

    def _check_quotients(self, asked: list[Question], radius: float | None) -> None:
        """Refuse those that what is known of their groups leaves nothing of, before they are paid.

        Not those whose other part is asked for by itself, or was answered before.
        """
        within = [each for each in asked if isinstance(each.form, Given)]
        if not within:
            return
        together = self.new_draws(asked)
        known = self.ledger.seen.answers
        drawn_anyway = known.keys() | {each.digest for each in asked}
        for each in within:
            over, under = drawn_for([each])
            if under.digest in known and over.digest not in drawn_anyway:
                self.price_of(each, radius=radius, together=together)

    def price_of_best(self, candidates: Iterable[Asked], *, loss: float | None = None) -> Price:
        """What a choice would cost, and how much better the best can be; nothing is spent."""
        asked = parse_candidates(candidates, self.schema)
        low, high = asked.span
        found = self._flow.price_of(self._best_request(asked, loss))
        return choice_price(self.plan, found, width=high - low)

    def _best_request(self, asked: Candidates, loss: float | None) -> Request:
        return best_request(self.plan, asked, loss=loss, past=self._guessing.transcript)

    def _requests(self, asked: Iterable[Question], radius: float | None) -> list[Request]:
        return [
            question_request(self.plan, each, radius=own)
            for each, own in drawn_within(self.plan, asked, radius)
        ]

    def _replies(self, requests: list[Request]) -> Replies:
        return self._flow.replies(requests)

    def certificate(self, terms: Mapping[str, str]) -> Certificate:
        """The certificate of an answer drawn under these terms, as the ledger records them."""
        return self._flow.certificate(terms)

    @property
    def remaining(self) -> int:
        """How many new questions the data can still take as planned, within the analyst's share."""
        self.ledger.spent()
        return self._flow.left()

    @property
    def remaining_for_all(self) -> int:
        """How many would fit if nothing were set aside for anybody."""
        self.ledger.spent()
        return self._flow.left_for_all()

    @property
    def remaining_rounds(self) -> int | None:
        """How many more batches, or runs up to a correction, fit; None if they are not counted."""
        self.ledger.spent()
        return self._flow.rounds_left()

    @property
    def next_width(self) -> Width:
        """How far the interval of the next share reaches, if it is asked as planned.

        For other questions `price_of` tells it.
        """
        self.ledger.spent()
        return next_width(self.plan, self._guessing.transcript())

    @property
    def promised(self) -> str:
        """What is promised, in a few words."""
        return promised(self.plan, self._guessing.transcript())

    def close(self) -> None:
        """Release the ledger file. Nothing is lost: every answer is already on disk."""
        self.ledger.close()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        left = left_text(self._flow.left(), self._flow.rounds_left())
        head = f"Session of {self.analyst}" if self.analyst else "Session"
        return visible(f"<{head}: {self.promised}, {left}, ledger {self.ledger.public_place}>")

    def _repr_html_(self) -> str:
        """The session for a notebook, as of its last look at the ledger."""
        seen = self.ledger.seen
        return session_html(
            promise=self.promised,
            analyst=self.analyst,
            place=self.ledger.public_place,
            used=used_part(seen.spent, self.plan.budget),
            asked=seen.draws,
            left=self._flow.left(),
            rounds_left=self._flow.rounds_left(),
            certificate=self.plan.certificate,
        )
