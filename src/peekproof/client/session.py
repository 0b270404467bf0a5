"""A session whose rows are elsewhere: questions are read here, and answers certified here."""

from collections.abc import Iterable, Mapping
from typing import NoReturn, cast, final

from peekproof.client.conversation import Conversation
from peekproof.client.dataset import RemoteData
from peekproof.client.history import history
from peekproof.client.pricing import (
    checked_price,
    checked_quotient,
    known_price,
    within_told,
)
from peekproof.core import check
from peekproof.core.answer import Answer, Choice, HistogramAnswer, QuantileAnswer
from peekproof.core.certificate import Certificate
from peekproof.core.errors import InvalidInput, NotAllowed
from peekproof.core.shown import visible
from peekproof.core.width import Width
from peekproof.data.statistic import PairStatistic
from peekproof.derive.conditional import ConditionalAnswer, GroupedAnswer
from peekproof.ledger.entry import Settled
from peekproof.mechanisms.base import Ask
from peekproof.mechanisms.plan import Plan, Price
from peekproof.query.candidates import parse_candidates
from peekproof.query.form import Given, Grouped, Histogram, Quantile
from peekproof.query.question import Question
from peekproof.query.schema import Schema
from peekproof.session.history import History
from peekproof.session.html import session_html
from peekproof.session.pricing import priced, told_as
from peekproof.session.queries import (
    ANY_SHARE,
    AnyAnswer,
    Asked,
    Best,
    InWords,
    OneNumber,
    check_scalar,
    drawn_for,
    guessable,
    of_form,
    parsed,
)
from peekproof.session.session import left_text


@final
class RemoteSession:
    """A data set behind a gateway, asked as a `Session` is. See `peekproof.connect`.

    Whatever a session refuses before it reads rows is refused here, before anything is sent.
    Threads may share it.
    """

    def __init__(self, data: RemoteData) -> None:
        self._asking = Conversation(data)

    @property
    def plan(self) -> Plan:
        """The plan that the gateway's ledger recorded, certified here."""
        return self._asking.promise.plan

    @property
    def schema(self) -> Schema:
        """The public columns and their kinds."""
        return self._asking.promise.schema

    @property
    def analyst(self) -> str:
        """Who asks, as the token says."""
        return self._asking.promise.analyst

    def ask(
        self,
        question: Asked | PairStatistic,
        *,
        radius: float | None = None,
        guess: float | None = None,
        tolerance: float | None = None,
        trained_on: int | None = None,
    ) -> OneNumber:
        """A share or a mean of the population, with its interval; see `Session.ask`.

        For a mean with missing values and for `given` the radius is that of the two parts.
        """
        if isinstance(question, PairStatistic):
            self.measure(question)
        if guess is None and tolerance is None and trained_on is None:
            return self.ask_many([question], radius=radius)[0]
        asked = parsed([question], self.schema)[0]
        said = {"guess": guess, "tolerance": tolerance, "radius": radius}
        if trained_on is not None:
            check.positive_integer(trained_on=trained_on)
        reply = self._asking.data.ask(asked.text, trained_on=trained_on, **_numbers(said))
        (found,) = self._asking.answers([asked], [reply])
        return cast(Answer, found)

    def ask_many(
        self, questions: Iterable[Asked], *, radius: float | None = None
    ) -> list[OneNumber]:
        """Answers to all `questions`, charged together or not at all; see `Session.ask_many`."""
        asked = parsed(questions, self.schema)
        for question in asked:
            check_scalar(question)
        return cast(list[OneNumber], self._asking.drawn(asked, radius=radius))

    def respond(
        self, questions: Iterable[Asked], *, radius: float | None = None
    ) -> list[AnyAnswer]:
        """Answers to questions of any form together, as `ask_many` does."""
        asked = parsed(questions, self.schema)
        if self._asking.checks:
            for question in asked:
                check_scalar(question)
        return self._asking.drawn(asked, radius=radius)

    def histogram(self, question: Asked, *, radius: float | None = None) -> HistogramAnswer:
        """All cells of a histogram in one draw."""
        return cast(HistogramAnswer, self._one(question, Histogram, radius))

    def grouped(self, question: Asked, *, radius: float | None = None) -> GroupedAnswer:
        """A share or a mean within each cell in one draw."""
        return cast(GroupedAnswer, self._one(question, Grouped, radius))

    def conditional(self, question: Asked, *, radius: float | None = None) -> ConditionalAnswer:
        """A share or a mean among some: two questions, and their quotient."""
        return cast(ConditionalAnswer, self._one(question, Given, radius))

    def quantile(self, question: Asked, *, loss: float | None = None) -> QuantileAnswer:
        """A quantile; a smaller `loss` in its level costs more."""
        asked = of_form(question, Quantile, self.schema)
        self._asking.offer(Ask(what=InWords(asked), loss=loss))
        (found,) = self._asking.answers([asked], [self._asking.data.ask(asked.text, loss=loss)])
        return cast(QuantileAnswer, found)

    def best(self, candidates: Iterable[Asked], *, loss: float | None = None) -> Choice:
        """Which of the candidates is largest in the population, or nearly so."""
        asked = parse_candidates(candidates, self.schema)
        self._asking.offer(Ask(what=Best(asked), loss=loss))
        said = self._asking.data.best([each.text for each in asked.questions], loss=loss)
        return cast(Choice, self._asking.rebuilding([said]).answer(Best(asked), said))

    def measure(self, *_: object, **__: object) -> NoReturn:
        """Refused: functions run where the rows are, and a gateway runs nobody's."""
        raise InvalidInput(
            argument="statistic",
            accepted="for rows on this machine: a gateway runs no functions",
            given="one for a gateway",
            hint="ask for means, histograms and quantiles",
        )

    def as_analyst(self, *_: object) -> NoReturn:
        """Refused: the token says who asks."""
        raise NotAllowed(problem="a gateway knows by the token who asks, so others need their own")

    def price(self, radius: float) -> Price:
        """What a new share with this radius would cost; nothing is spent or sent."""
        return Price.of(self._asking.offer(Ask(what=ANY_SHARE, radius=radius)), self.plan)

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
        """What a question of any form would cost, nothing if it was answered before.

        Its `width` is how far the interval would reach; see `Session.price_of`.
        """
        (asked,) = parsed([question], self.schema)
        if self._asking.checks or guess is not None or tolerance is not None:
            terms = _numbers({"guess": guess, "tolerance": tolerance, "radius": radius})
            said = self._asking.data.price(asked.text, **terms)
            if isinstance(asked.form, Given):
                return checked_quotient(self._asking.promise, said)
            scale = guessable(asked, self.plan.mechanism, guess=guess).span.width
            return checked_price(self._asking.promise, said, scale=scale)
        # Only where questions grow dearer does it matter how many came before.
        grows, past = self.plan.mechanism.open_ended, self.plan.nothing_asked
        if grows:
            past = self._asking.past(self._asking.look())
        parts = len(drawn_for([asked]))
        found = priced(
            self.plan,
            asked,
            past=past,
            batch=max(together, parts),
            radius=radius,
            loss=loss,
            before=self._known_price,
        )
        # The gateway prices it alone; with more draws an open-ended session may be a stage further.
        alone = found.known or together <= parts or not grows
        if not isinstance(asked.form, Given | Grouped) or not alone:
            return found
        terms = _numbers({"radius": radius, "loss": loss})
        said = self._asking.data.price(asked.text, **terms)
        return within_told(self._asking.promise, found, said)

    def new_draws(self, questions: Iterable[Asked]) -> int:
        """How many draws would be made if these were asked now together."""
        drawn = {each.digest: each for each in drawn_for(parsed(questions, self.schema))}
        return sum(self._known_price(each) is None for each in drawn.values())

    def _known_price(self, asked: Question) -> Price | None:
        """That of a question that somebody has asked: only the gateway knows."""
        return known_price(self._asking.promise, self._asking.data.price(asked.text))

    def price_of_best(self, candidates: Iterable[Asked], *, loss: float | None = None) -> Price:
        """What a choice would cost, and how much better the best can be; nothing is spent."""
        asked = parse_candidates(candidates, self.schema)
        ask = Ask(what=Best(asked), loss=loss)
        draw, scale = self._asking.offer(ask), ask.what.span.width
        said = self._asking.data.price_of_best([each.text for each in asked.questions])
        if self._asking.checks:  # only the gateway knows the past
            return checked_price(self._asking.promise, said, scale=scale)
        found = known_price(self._asking.promise, said) or Price.of(draw, self.plan)
        return told_as(found, self.plan, scale=scale)

    def certificate(self, settled: Settled) -> Certificate:
        """The certificate of an answer, as ledgers record it."""
        return self._asking.rebuilding().certificate(settled)

    @property
    def remaining(self) -> int:
        """How many new questions the data can still take as planned, within your share."""
        return self._asking.look().remaining

    @property
    def remaining_for_all(self) -> int:
        """How many would fit if nothing were set aside for anybody."""
        return self._asking.look().remaining_for_all

    @property
    def remaining_rounds(self) -> int | None:
        """How many more rounds can be opened; None if the promise does not count them."""
        return self._asking.look().remaining_rounds

    @property
    def failures(self) -> int:
        """How many guesses have failed, whoever made them."""
        return self._asking.look().failures

    @property
    def next_width(self) -> Width:
        """How far the interval of the next share reaches, if it is asked as planned."""
        budget = self._asking.look()
        mechanism = self.plan.mechanism
        if mechanism.guesses and mechanism.grows:  # only the gateway knows all of the past
            return Width(least=0.0, most=1.0, words=budget.next_width)
        return mechanism.next_width(self._asking.past(budget), radius=self.plan.radius)

    @property
    def promised(self) -> str:
        """What is promised, in a few words."""
        return self._asking.promised(self._asking.look())

    def answers(self, *, analyst: str | None = None) -> History:
        """All answers so far, whoever asked, or those that this analyst was the first to get.

        Free. Only custodians are told who the others are.
        """
        return history(self._asking.data, self._asking.refreshed(), analyst=analyst)

    def close(self) -> None:
        """Let go of the connections. Certificates can still be verified."""
        self._asking.close()

    def __enter__(self) -> "RemoteSession":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        budget = self._asking.last_look()
        left = left_text(budget.remaining, budget.remaining_rounds)
        return visible(
            f"<RemoteSession of {self.analyst}: {self._asking.promised(budget)}, {left}, "
            f"gateway {self._asking.place}>"
        )

    def _repr_html_(self) -> str:
        """The session for a notebook."""
        budget = self._asking.last_look()
        return session_html(
            promise=self._asking.promised(budget),
            analyst=self.analyst,
            place=self._asking.place,
            used=budget.spent,
            asked=budget.asked,
            left=budget.remaining,
            rounds_left=budget.remaining_rounds,
            certificate=self.plan.certificate,
        )

    def _one(
        self,
        question: Asked,
        form: type[Histogram] | type[Grouped] | type[Given],
        radius: float | None,
    ) -> AnyAnswer:
        asked = of_form(question, form, self.schema)
        return self._asking.drawn([asked], radius=radius)[0]


def _numbers(said: Mapping[str, object]) -> dict[str, float | None]:
    """Numbers as they travel; what is none is refused."""
    return {
        name: None if value is None else float(check.exact_number(**{name: value}))
        for name, value in said.items()
    }
