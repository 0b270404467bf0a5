"""Sessions: what analysts call. Each call becomes asks, which the backend answers."""

from collections.abc import Iterable, Sequence
from typing import Any, cast, final

from peekproof.core import check
from peekproof.core.answer import Answer, Choice, HistogramAnswer, QuantileAnswer
from peekproof.core.certificate import Certificate, Width
from peekproof.core.errors import (
    InvalidInput,
)
from peekproof.core.shown import visible
from peekproof.data.statistic import PairStatistic, Statistic
from peekproof.derive.conditional import ConditionalAnswer, GroupedAnswer
from peekproof.ledger.entry import Settled
from peekproof.ledger.ledger import Ledger
from peekproof.mechanisms.base import Ask, Past, Reply
from peekproof.mechanisms.plan import Plan, Price
from peekproof.query.candidates import parse_candidates
from peekproof.query.form import Given, Grouped, Histogram, Quantile
from peekproof.query.question import Question
from peekproof.query.schema import Schema
from peekproof.session.backend import Backend, Standing
from peekproof.session.history import History
from peekproof.session.html import session_html
from peekproof.session.queries import (
    ANY_SHARE,
    AnyAnswer,
    Asked,
    Best,
    InWords,
    Measured,
    OneNumber,
    check_scalar,
    drawn_for,
    drawn_within,
    guessable,
    of_form,
    parsed,
    told,
)
from peekproof.session.recalled import Recall

_SHOWN = 80


@final
class Session:
    """Data and a promise about it, here or behind a gateway. See `peekproof.open` and `connect`.

    Whatever can be refused before rows are read is refused before anything is charged or sent.
    """

    def __init__(self, backend: Backend) -> None:
        self.backend = backend

    @property
    def plan(self) -> Plan:
        """What is promised, and how it is kept."""
        return self.backend.plan

    @property
    def schema(self) -> Schema:
        """The public columns and their kinds."""
        return self.backend.schema

    @property
    def analyst(self) -> str:
        """Who asks; "" if nobody says so."""
        return self.backend.analyst

    @property
    def ledger(self) -> Ledger:
        """The ledger, where it is at hand: that of a gateway is there."""
        return self.backend.ledger

    def as_analyst(self, name: str) -> "Session":
        """The same session, with questions charged to this analyst and kept within their share."""
        return Session(self.backend.as_analyst(name))

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
            self.backend.check_function()
            asked = question
        elif guess is None and tolerance is None and trained_on is None:
            return self.ask_many([question], radius=radius)[0]
        else:
            (asked,) = parsed([question], self.schema)
        said = Ask(
            what=guessable(asked, self.plan.mechanism, guess=guess),
            radius=radius,
            guess=guess,
            tolerance=tolerance,
            trained_on=trained_on,
        )
        return cast(Answer, self._one(said))

    @property
    def failures(self) -> int:
        """How many guesses have failed, whoever made them; what was never answered counts too."""
        return self.past.failures

    @property
    def past(self) -> Past:
        """What costs and levels depend on, with all that any process wrote."""
        return self.backend.look().past

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
        self.backend.check_quotients(asked, radius=radius)
        return cast(list[OneNumber], self._drawn(asked, radius=radius))

    def respond(
        self,
        questions: Iterable[Asked],
        *,
        radius: float | None = None,
        loss: float | None = None,
        guess: float | None = None,
        tolerance: float | None = None,
        trained_on: int | None = None,
    ) -> list[AnyAnswer]:
        """Answers to questions of any form together, as `ask_many` does; see `ask` for the rest."""
        asked = parsed(questions, self.schema)
        said = {"loss": loss, "guess": guess, "tolerance": tolerance, "trained_on": trained_on}
        if any(said[name] is not None for name in ("guess", "tolerance", "trained_on")):
            for question in asked:
                guessable(question, self.plan.mechanism, guess=guess)
        if self.plan.mechanism.guesses:
            for question in asked:
                check_scalar(question)
        self.backend.check_quotients(asked, radius=radius)
        return self._drawn(asked, radius=radius, **said)

    def _drawn(
        self, asked: Sequence[Question], *, radius: float | None, **said: Any
    ) -> list[AnyAnswer]:
        """The answers to questions of any form, from what is drawn for them."""
        drawn = drawn_within(self.plan, asked, radius)
        asks = [Ask(what=InWords(each), radius=own, **said) for each, own in drawn]
        return told(asked, self.backend.answer(asks))

    def _one(self, ask: Ask) -> Reply:
        (reply,) = self.backend.answer([ask])
        return reply

    def histogram(self, question: Asked, *, radius: float | None = None) -> HistogramAnswer:
        """All cells of a histogram in one draw, which costs about four questions however many.

        `session.histogram("histogram(delay, (0, 15, 60))")`. The radius is that of every cell.
        """
        asked = of_form(question, Histogram, self.schema)
        return cast(HistogramAnswer, self._one(Ask(what=InWords(asked), radius=radius)))

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
        return self._drawn([asked], radius=radius)[0]

    def quantile(self, question: Asked, *, loss: float | None = None) -> QuantileAnswer:
        """A quantile, as in `session.quantile("quantile(delay, 0.5, -20, 120)")`.

        A smaller `loss` in its level costs more; by default it is half of the planned radius.
        """
        asked = of_form(question, Quantile, self.schema)
        return cast(QuantileAnswer, self._one(Ask(what=InWords(asked), loss=loss)))

    def best(self, candidates: Iterable[Asked], *, loss: float | None = None) -> Choice:
        """Which of the candidates, shares or means, is largest in the population, or nearly so.

        Costs the same for two as for thousands, but for a logarithm: for a few, asking each is
        cheaper. A smaller `loss` against the best of the sample costs more; the default is half of
        the planned radius. Where guesses are checked, the best of the sample with its interval.
        """
        asked = parse_candidates(candidates, self.schema)
        return cast(Choice, self._one(Ask(what=Best(asked), loss=loss)))

    def measure(self, statistic: Statistic, *, radius: float | None = None) -> Answer:
        """The mean of a statistic over fresh samples of as many rows, with its interval."""
        self.backend.check_function()
        if not isinstance(statistic, Statistic):
            given = repr(statistic)[:_SHOWN]
            raise InvalidInput(argument="statistic", accepted="a peekproof.Statistic", given=given)
        asked = Ask(what=Measured(statistic, self.plan.rows), radius=radius)
        return cast(Answer, self._one(asked))

    def answers(self, *, analyst: str | None = None) -> History:
        """All answers so far, whoever asked, or those that this analyst was the first to get.

        In the order of the ledger and with their certificates. Free: no data are read.
        """
        return self.backend.history(analyst)

    @property
    def recall(self) -> Recall:
        """Tells recorded answers as they were told to those who asked."""
        place, rows = self.ledger.public_place, self.plan.rows
        return Recall(place=place, schema=self.schema, certificate=self.certificate, rows=rows)

    def price(self, radius: float) -> Price:
        """What a new share with this radius would cost; nothing is spent."""
        asked = Ask(what=ANY_SHARE, radius=radius)
        return Price.of(self.plan.mechanism.offer(asked, self.past), self.plan)

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
        if together != 0:  # as if everything were known
            check.positive_integer(together=together)
        return self.backend.price_of(
            asked,
            radius=radius,
            loss=loss,
            guess=guess,
            tolerance=tolerance,
            together=together,
        )

    def new_draws(self, questions: Iterable[Asked]) -> int:
        """How many draws would be made if these were asked now together."""
        return self.backend.new_draws(drawn_for(parsed(questions, self.schema)))

    def price_of_best(self, candidates: Iterable[Asked], *, loss: float | None = None) -> Price:
        """What a choice would cost, and how much better the best can be; nothing is spent."""
        asked = parse_candidates(candidates, self.schema)
        return self.backend.price_of_choice(Ask(what=Best(asked), loss=loss))

    def certificate(self, settled: Settled) -> Certificate:
        """The certificate of an answer, as the ledger records it."""
        return self.backend.certificate(settled)

    @property
    def remaining(self) -> int:
        """How many new questions the data can still take as planned, within the analyst's share."""
        return self.backend.look().remaining

    @property
    def remaining_for_all(self) -> int:
        """How many would fit if nothing were set aside for anybody."""
        return self.backend.look().remaining_for_all

    @property
    def remaining_rounds(self) -> int | None:
        """How many more batches, or runs up to a correction, fit; None if they are not counted."""
        return self.backend.look().remaining_rounds

    @property
    def next_width(self) -> Width:
        """How far the interval of the next share reaches, if it is asked as planned.

        For other questions `price_of` tells it.
        """
        return self.plan.mechanism.next_width(self.past, radius=self.plan.radius)

    @property
    def promised(self) -> str:
        """What is promised, in a few words."""
        return self._words(self.backend.last_look())

    def _words(self, now: Standing) -> str:
        return self.plan.mechanism.words(now.past, radius=self.plan.radius)

    def close(self) -> None:
        """Let go of the ledger or the gateway. Nothing is lost: every answer is on disk."""
        self.backend.close()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        now = self.backend.last_look()
        left = left_text(now.remaining, now.remaining_rounds)
        head = f"Session of {self.analyst}" if self.analyst else "Session"
        return visible(f"<{head}: {self._words(now)}, {left}, {self.backend.place}>")

    def _repr_html_(self) -> str:
        """The session for a notebook, as of its last look at the ledger."""
        now = self.backend.last_look()
        return session_html(
            promise=self._words(now),
            analyst=self.analyst,
            place=self.backend.place,
            used=now.used,
            asked=now.past.draws,
            left=now.remaining,
            rounds_left=now.remaining_rounds,
            certificate=self.plan.certificate,
        )


def left_text(questions: int, rounds: int | None) -> str:
    """How many questions are left, and in how many rounds if these are counted."""
    return f"{questions:,} left" + ("" if rounds is None else f" in {rounds:,} more rounds")
