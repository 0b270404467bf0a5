"""Sessions: each call of an analyst becomes asks, which all go one way (see `Session._draw`).

ask → offer (how it will be drawn, or refused) → read → ledger.write (draw, charge, record) → answer
"""

import threading
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from copy import copy
from dataclasses import replace
from fractions import Fraction
from math import ceil
from typing import Any, cast, final

from peekproof.core import check
from peekproof.core.answer import Answer, Choice, HistogramAnswer, QuantileAnswer
from peekproof.core.certificate import Certificate
from peekproof.core.charge import Charge, Offer, Refused, amount_of, nothing, unit_of, used_part
from peekproof.core.errors import (
    EvaluationFailed,
    InvalidInput,
    LedgerClosed,
    LedgerDamaged,
    PeekproofError,
    Refusal,
    ShareExhausted,
)
from peekproof.core.secret import Exact
from peekproof.core.shown import visible
from peekproof.core.width import Width
from peekproof.data.source import Source
from peekproof.data.statistic import PairStatistic, Statistic
from peekproof.derive.conditional import ConditionalAnswer, GroupedAnswer
from peekproof.guess.guesser import Guesser
from peekproof.ledger.entry import Settled
from peekproof.ledger.entry import Value as Recorded
from peekproof.ledger.ledger import Ledger, Written
from peekproof.mechanisms.base import Ask, Draw, Past, Reply
from peekproof.mechanisms.plan import Plan, Price, certificate_of
from peekproof.noise.entropy import Entropy
from peekproof.query.candidates import parse_candidates
from peekproof.query.form import Given, Grouped, Histogram, Quantile
from peekproof.query.question import Question
from peekproof.query.schema import Schema
from peekproof.session.agreed import no_statistic
from peekproof.session.custody import overridden
from peekproof.session.history import History
from peekproof.session.html import session_html
from peekproof.session.pricing import priced, quotient_price, told_as, within_known
from peekproof.session.queries import (
    ANY_SHARE,
    AnyAnswer,
    Asked,
    Best,
    InWords,
    Measured,
    OneNumber,
    analyst_name,
    check_scalar,
    drawn_for,
    drawn_within,
    guessable,
    of_form,
    parsed,
    told,
)
from peekproof.session.recalled import Recall
from peekproof.session.records import (
    IMPOSSIBLE,
    FromLedger,
    Pasts,
    RecordedReplies,
    drawn,
    numbers,
    offer_of,
    written,
)

_SHOWN = 80


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
        self._guesser = guesser
        self._pasts = Pasts(plan, schema=self.schema, guesser=guesser)
        self._run = plan.mechanism.start(rng=rng)
        self._turn = threading.RLock()
        self._named = len(ledger.overrides)  # by the plan; others may come while it is at work
        self._certificates: dict[tuple[int, Draw, bool], Certificate] = {}

    def as_analyst(self, name: str) -> "Session":
        """The same session, with questions charged to this analyst and kept within their share."""
        other = copy(self)
        other.analyst = analyst_name(name)
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
            self._check_ordered()
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
        return self._pasts.look(self.ledger.look())

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
        return cast(list[OneNumber], self._drawn(asked, radius=radius))

    def respond(
        self, questions: Iterable[Asked], *, radius: float | None = None
    ) -> list[AnyAnswer]:
        """Answers to questions of any form together, as `ask_many` does."""
        asked = parsed(questions, self.schema)
        if self.plan.mechanism.guesses:
            for question in asked:
                check_scalar(question)
        self._check_quotients(asked, radius)
        return self._drawn(asked, radius=radius)

    def answer(self, asks: Sequence[Ask]) -> list[Reply]:
        """What the asks get, as their queries read it; those that were answered before for free."""
        if self.plan.mechanism.guesses:  # one by one: a failure teaches
            if len(asks) > 1:
                self._check_room(asks)
            return [self._checked(each) for each in asks]
        replies = self._replies(asks)
        return [each.what.answer(replies) for each in asks]

    def _drawn(self, asked: Sequence[Question], *, radius: float | None) -> list[AnyAnswer]:
        """The answers to questions of any form, from what is drawn for them."""
        return told(asked, self.answer(self._asks(asked, radius)))

    def _one(self, ask: Ask) -> Reply:
        (reply,) = self.answer([ask])
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
        self._check_ordered()
        if not isinstance(statistic, Statistic):
            given = repr(statistic)[:_SHOWN]
            raise InvalidInput(argument="statistic", accepted="a peekproof.Statistic", given=given)
        asked = Ask(what=Measured(statistic, self.plan.rows), radius=radius)
        return cast(Answer, self._one(asked))

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
        past, known = self.past, self._known_price
        if self.plan.mechanism.guesses or guess is not None or tolerance is not None:
            found = self._price_of_guess(
                asked, past, radius=radius, guess=guess, tolerance=tolerance
            )
        else:
            parts = [each for each in drawn_for([asked]) if known(each) is None]
            found = priced(
                self.plan,
                asked,
                past=past,
                batch=max(1, together, len(parts)),
                radius=radius,
                loss=loss,
                before=known,
                group_of=self._known_group,
            )
        return within_known(found, asked, self._known_answers)

    def new_draws(self, questions: Iterable[Asked]) -> int:
        """How many draws would be made if these were asked now together."""
        known = self.ledger.look().answers
        return len(
            {each.digest for each in drawn_for(parsed(questions, self.schema))} - known.keys()
        )

    def price_of_best(self, candidates: Iterable[Asked], *, loss: float | None = None) -> Price:
        """What a choice would cost, and how much better the best can be; nothing is spent."""
        asked = parse_candidates(candidates, self.schema)
        past, ask = self.past, Ask(what=Best(asked), loss=loss)
        found = self._known_price(asked) or self._new_price(ask, past)
        return told_as(found, self.plan, scale=ask.what.span.width)

    def certificate(self, settled: Settled) -> Certificate:
        """The certificate of an answer, as the ledger records it."""
        overrides = self.ledger.overrides
        try:
            draw = drawn(settled, rows=self.plan.rows)
            key = len(overrides), draw, draw.failed(numbers(settled.value))
            if key not in self._certificates:
                plan = overridden(self.plan, overrides[self._named :])
                found = certificate_of(plan, draw, failed=key[2])
                origin = FromLedger(self.ledger, draw, key[2], len(overrides))
                self._certificates[key] = replace(found, derivation=origin)
        except IMPOSSIBLE as error:
            problem = f"records a draw that its promise does not make ({error})"
            raise LedgerDamaged(ledger=self.ledger.place, problem=problem) from error
        return self._certificates[key]

    @property
    def remaining(self) -> int:
        """How many new questions the data can still take as planned, within the analyst's share."""
        return self._left(self.past)

    @property
    def remaining_for_all(self) -> int:
        """How many would fit if nothing were set aside for anybody."""
        return self._left_for_all(self.past)

    @property
    def remaining_rounds(self) -> int | None:
        """How many more batches, or runs up to a correction, fit; None if they are not counted."""
        return self._rounds_left(self.past)

    @property
    def next_width(self) -> Width:
        """How far the interval of the next share reaches, if it is asked as planned.

        For other questions `price_of` tells it.
        """
        return self.plan.mechanism.next_width(self.past, radius=self.plan.radius)

    @property
    def promised(self) -> str:
        """What is promised, in a few words."""
        return self.plan.mechanism.words(self._seen_past(), radius=self.plan.radius)

    def close(self) -> None:
        """Release the ledger file. Nothing is lost: every answer is already on disk."""
        self.ledger.close()

    def __enter__(self) -> "Session":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        past = self._seen_past()
        left = left_text(self._left(past), self._rounds_left(past))
        head = f"Session of {self.analyst}" if self.analyst else "Session"
        return visible(f"<{head}: {self.promised}, {left}, ledger {self.ledger.public_place}>")

    def _repr_html_(self) -> str:
        """The session for a notebook, as of its last look at the ledger."""
        seen, past = self.ledger.seen, self._seen_past()
        return session_html(
            promise=self.promised,
            analyst=self.analyst,
            place=self.ledger.public_place,
            used=used_part(seen.spent, self.plan.budget),
            asked=seen.draws,
            left=self._left(past),
            rounds_left=self._rounds_left(past),
            certificate=self.plan.certificate,
        )

    # The one way.

    def _replies(self, asks: Sequence[Ask]) -> RecordedReplies:
        """What the asks get: those that were answered before for free, the others drawn."""
        self.ledger.check_process()  # first: in a forked one nobody releases any lock
        self._refuse_wrong(asks)
        known = self.ledger.seen.answers
        fresh = {each.what.digest: each for each in asks if each.what.digest not in known}
        paid: dict[str, Charge] = {}
        if fresh:
            paid = self._draw(fresh)
        if not paid:
            self.ledger.vouch()  # a write has just looked at the file; a repeat looks now
        return self._told(paid)

    def _refuse_wrong(self, asks: Sequence[Ask]) -> None:
        """Refuse what nobody can be answered, also where the answer is known."""
        for each in asks:
            if each.radius is not None or each.loss is not None:
                self.plan.mechanism.offer(each, self.plan.nothing_asked)

    def _draw(self, fresh: Mapping[str, Ask]) -> dict[str, Charge]:
        """Read what is new, then draw, charge and record it in one write; what each cost.

        Rows are read outside of the lock. Under it the newest past decides once more what each
        draw costs and whether it fits, and nothing is told before its entry is on disk.
        """
        asks, past = list(fresh.values()), self._seen_past()
        if past.draws >= past.target.questions and self.plan.mechanism.guesses:
            raise self._refusal(len(fresh))  # there is no level for another
        draws = self._offered(asks, past)  # refused here: nothing is read
        offers = [offer_of(draw, ask.what.span) for draw, ask in zip(draws, asks, strict=True)]
        if self.ledger.seen.closed or not self.ledger.fits(offers, analyst=self.analyst):
            raise self._refusal(self._worth(draws))
        drawing = _Drawing(self, fresh)
        if getattr(self._table, "charge_first", True) or any(a.what.charge_first for a in asks):
            with self._turn if self.plan.mechanism.remembers else nullcontext():
                return self.ledger.alone(tuple(fresh), drawing.charged_first)
        return drawing.read_first(draws)

    def _worth(self, draws: Sequence[Draw]) -> int:
        """How many planned questions these take."""
        mechanism, target = self.plan.mechanism, self.plan.target
        return sum(max(1, ceil(mechanism.worth(each, target))) for each in draws)

    def _offered(self, asks: Sequence[Ask], past: Past) -> list[Draw]:
        """How each of a batch is drawn after this past; or an error that says why not."""
        return [
            self._run.offer(each, past, place=place, batch=len(asks))
            for place, each in enumerate(asks)
        ]

    def _read(self, asks: Sequence[Ask], made: Sequence[Draw]) -> list[Exact[Any]]:
        """The exact values of what is drawn like this; what else a source raises is withheld."""
        try:
            return self.plan.mechanism.read(self._table, [each.what for each in asks], made)
        except PeekproofError:
            raise
        except Exception:
            raise EvaluationFailed() from None

    def _told(self, paid: Mapping[str, Charge]) -> RecordedReplies:
        return RecordedReplies(
            settled=self.ledger.seen.answers,
            paid=paid,
            certificate=self.certificate,
            unit=self.plan.budget,
            remaining=self._left(self._seen_past()),
            place=self.ledger.public_place,
            rows=self.plan.rows,
        )

    def _refusal(self, asked: int) -> Refusal:
        """Why so many new questions do not fit."""
        seen = self.ledger.seen
        if seen.closed:
            raise LedgerClosed(ledger=self.ledger.public_place, reason=seen.why_closed)
        past = self._seen_past()
        mine = self._left_of_share(past)
        if mine is not None and mine < self._left_for_all(past):
            return ShareExhausted(analyst=self.analyst, asked=asked, remaining=mine)
        return self.plan.mechanism.refusal(asked, past, remaining=self._left(past))

    def _seen_past(self) -> Past:
        """The past as of the last look at the ledger."""
        return self._pasts.look(self.ledger.seen)

    def _left(self, past: Past) -> int:
        every, mine = self._left_for_all(past), self._left_of_share(past)
        return every if mine is None else min(every, mine)

    def _left_for_all(self, past: Past) -> int:
        if self.ledger.seen.closed:
            return 0
        if self._run.under_way(past):  # all that is left may come in what is paid for
            return past.target.questions - past.draws
        return self.plan.mechanism.left(past)

    def _left_of_share(self, past: Past) -> int | None:
        """How many fit into the analyst's share; None if nothing is set aside for anybody."""
        accounts = self.ledger.seen.accounts
        if not accounts.shares:
            return None
        room, draws = accounts.left(self.analyst)
        if self._run.under_way(past):
            # Not even what costs nothing is for those who have used more than they have now.
            return draws if accounts.within_share(self.analyst, Fraction(0), 0) else 0
        return self.plan.mechanism.fits(past, room=room, draws=draws)

    def _rounds_left(self, past: Past) -> int | None:
        room, accounts = amount_of(self.plan.budget) - past.spent, self.ledger.seen.accounts
        if accounts.shares:
            room = min(room, accounts.left(self.analyst)[0])
        return self.plan.mechanism.rounds_left(past, room=room)

    def _asks(self, asked: Iterable[Question], radius: float | None) -> list[Ask]:
        return [
            Ask(what=InWords(each), radius=own)
            for each, own in drawn_within(self.plan, asked, radius)
        ]

    def _check_ordered(self) -> None:
        """Refuse statistics of engines that do not number their rows."""
        if not self._table.ordered:
            raise no_statistic(self._table)

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

    # What was answered before.

    def _known_price(self, asked: object) -> Price | None:
        """That of what was answered before, as of the last look at the ledger."""
        settled = self.ledger.seen.answers.get(asked.digest)  # type: ignore[attr-defined]
        if settled is None:
            return None
        draw = drawn(settled, rows=self.plan.rows)
        failed = draw.failed(numbers(settled.value))
        return Price.recorded(draw, self.certificate(settled), failed=failed)

    def _known_answers(self, asked: Sequence[Question]) -> list[Reply] | None:
        """What was answered before, all of it or nothing, as of the last look at the ledger."""
        known = self.ledger.seen.answers
        if any(each.digest not in known for each in asked):
            return None
        replies = self._told({})
        return [InWords(each).answer(replies) for each in asked]

    def _known_group(self, asked: Question) -> Answer | None:
        """What was answered before to a question about a share."""
        known = self._known_answers([asked])
        return None if known is None else cast(Answer, known[0])

    # Guesses.

    def _checked(self, ask: Ask) -> Reply:
        """The answer to a checked guess, or what was answered before."""
        self.ledger.spent()  # others may have answered, and taught
        if ask.what.digest in self.ledger.seen.answers:
            return ask.what.answer(self._replies([]))
        return ask.what.answer(self._replies([self._with_guess(ask)]))

    def _with_guess(self, ask: Ask) -> Ask:
        """The same with what the guesser says, if nobody else gives a guess."""
        what = ask.what
        if ask.guess is not None or self._guesser is None or what.shape not in ("share", "mean"):
            return ask
        self._seen_past()  # so that the guesser knows all that was released
        guessed = [self._pasts.guess(each) for each in what.questions]
        return replace(ask, guessed=guessed[0]) if guessed else ask

    def _check_room(self, asks: Sequence[Ask]) -> None:
        """Refuse more new guesses than fit, before the first is checked."""
        past = self.past
        new = {each.what.digest for each in asks} - self.ledger.seen.answers.keys()
        if len(new) > self._left(past):
            raise self._refusal(len(new))

    def _new_price(self, ask: Ask, past: Past) -> Price:
        """What something new would cost now: nothing in a round that is paid for."""
        if self.plan.mechanism.guesses and past.draws >= past.target.questions:
            raise self._refusal(1)  # there is no level for it
        return Price.of(self._run.offer(ask, past), self.plan)

    def _price_of_guess(
        self,
        asked: Question,
        past: Past,
        *,
        radius: float | None,
        guess: float | None,
        tolerance: float | None,
        after: Price | None = None,
    ) -> Price:
        """What a check would cost: nothing, if it was answered before.

        `after` is the price of another that comes first, and that may fail: what is checked after
        a failure reaches further, so the price is that.
        """
        if isinstance(asked.form, Given) and guess is None and tolerance is None:
            first, second = drawn_for([asked])
            over = self._price_of_guess(first, past, radius=radius, guess=None, tolerance=None)
            under = self._price_of_guess(
                second, past, radius=radius, guess=None, tolerance=None, after=over
            )
            return quotient_price(asked.form, over, under, group=self._known_group(second))
        known = self._known_price(asked)
        what = guessable(asked, self.plan.mechanism, guess=guess)
        if known is None:
            said = Ask(what=what, radius=radius, guess=guess, tolerance=tolerance)
            grows = self.plan.mechanism.grows and past.draws + 1 < past.target.questions
            if after is not None and not after.known and grows:
                # Beyond the horizon nothing is answered.
                past = replace(past.told(after.draw.told(None)), draws=past.draws + 1)
            known = self._new_price(self._with_guess(said), past)
        return told_as(known, self.plan, scale=what.span.width)


@final
class _Drawing:
    """New asks on their way through the ledger."""

    def __init__(self, session: Session, fresh: Mapping[str, Ask]) -> None:
        self._session, self._fresh = session, fresh
        self._texts = {digest: each.what.text for digest, each in fresh.items()}
        self._draws: dict[str, Draw] = {}  # as they were offered last

    def read_first(self, draws: Sequence[Draw]) -> dict[str, Charge]:
        """Read, then draw, charge and record in one write."""
        session, asks = self._session, list(self._fresh.values())
        parts = {digest: each.part for digest, each in zip(self._fresh, draws, strict=True)}
        exact = dict(zip(self._fresh, self._exact(asks, draws), strict=True))

        def release(digests: tuple[str, ...]) -> list[Recorded]:
            made = [self._draws[each] for each in digests]
            if any(self._draws[each].part != parts[each] for each in digests):
                # Others have read these rows meanwhile: the next ones are nobody's yet.
                again = session._read([self._fresh[each] for each in digests], made)
                exact.update(zip(digests, again, strict=True))
            values = session._run.release(made, [exact[each] for each in digests])
            return [written(each) for each in values]

        try:
            found = session.ledger.write(
                self._texts, offers=self._offers, release=release, analyst=session.analyst
            )
        except BaseException:
            session._run.forget()  # what it drew may be on no record
            raise
        return self._paid(found)

    def charged_first(self) -> dict[str, Charge]:
        """Charge, then read, draw and record: for what tells something even if it fails."""
        session = self._session
        lost = session.ledger.lose(self._texts, offers=self._offers, analyst=session.analyst)
        paid = self._paid(lost)
        if not paid or isinstance(lost, Refused):
            return paid
        made = [self._draws[each] for each in lost.digests]
        try:
            exact = session._read([self._fresh[each] for each in lost.digests], made)
            values = [written(each) for each in session._run.release(made, exact)]
            session.ledger.recover(lost, dict(zip(lost.digests, values, strict=True)))
        except BaseException:
            session._run.forget()
            raise
        return paid

    def _offers(self, digests: tuple[str, ...]) -> list[Offer]:
        """What they cost after the newest past; asked under the ledger's lock."""
        session, asks = self._session, [self._fresh[each] for each in digests]
        past = session._seen_past()
        if past.draws >= past.target.questions:  # no level is left; the ledger refuses it
            return [Offer(cost=nothing(unit_of(session.plan.budget))) for _ in asks]
        made = session._offered(asks, past)
        self._draws = dict(zip(digests, made, strict=True))
        return [offer_of(draw, ask.what.span) for draw, ask in zip(made, asks, strict=True)]

    def _exact(self, asks: Sequence[Ask], draws: Sequence[Draw]) -> list[Exact[Any]]:
        """The exact values; if they cannot be had, that is paid for before it is told."""
        session = self._session
        try:
            return session._read(asks, draws)
        except PeekproofError:
            session.ledger.lose(self._texts, offers=self._offers, analyst=session.analyst)
            raise

    def _paid(self, found: Written | Refused[Charge]) -> dict[str, Charge]:
        if isinstance(found, Refused):
            raise self._session._refusal(
                self._session._worth(list(self._draws.values())) or len(self._fresh)
            )
        costs = (each.cost for each in found.offers)
        return dict(zip(found.digests, costs, strict=True))


def left_text(questions: int, rounds: int | None) -> str:
    """How many questions are left, and in how many rounds if these are counted."""
    return f"{questions:,} left" + ("" if rounds is None else f" in {rounds:,} more rounds")
