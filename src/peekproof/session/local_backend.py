"""Answers from rows and a ledger that are at hand (see `LocalBackend._draw`).

ask → offer (how it will be drawn, or refused) → read → ledger.write (draw, charge, record) → answer
"""

import threading
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from copy import copy
from dataclasses import replace
from fractions import Fraction
from math import ceil
from typing import Any, cast, final

from peekproof.core.answer import Answer
from peekproof.core.certificate import Certificate
from peekproof.core.charge import Charge, Offer, charge_in, used_part
from peekproof.core.errors import (
    DataChanged,
    EvaluationFailed,
    InvalidInput,
    LedgerClosed,
    LedgerDamaged,
    PeekproofError,
    Refusal,
    ShareExhausted,
)
from peekproof.core.secret import Exact
from peekproof.data.source import Source
from peekproof.guess.guesser import Guesser
from peekproof.ledger.entry import Settled
from peekproof.ledger.entry import Value as Recorded
from peekproof.ledger.ledger import Ledger, Written
from peekproof.ledger.state import OverLimit
from peekproof.mechanisms.base import Ask, Draw, Past, Query, Reply, recorded_draw
from peekproof.mechanisms.plan import Plan, Price, certificate_of
from peekproof.noise.entropy import Entropy
from peekproof.query.form import Given
from peekproof.query.question import Question
from peekproof.query.schema import Schema
from peekproof.session.agreed import no_statistic
from peekproof.session.backend import Standing
from peekproof.session.custody import overridden
from peekproof.session.history import History
from peekproof.session.pricing import priced, quotient_price, told_as, within_known
from peekproof.session.queries import (
    InWords,
    analyst_name,
    drawn_for,
    guessable,
)
from peekproof.session.recalled import Recall
from peekproof.session.records import (
    IMPOSSIBLE,
    FromLedger,
    Pasts,
    Reading,
    RecordedReplies,
    offer_of,
    written,
)

# What guessers guess.
_GUESSED = ("share", "mean")


@final
class LocalBackend:
    """Rows, a promise about them, and the ledger that keeps the promise."""

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
        self.ledger, self.table = ledger, table
        self.schema = table.schema if schema is None else schema
        self._rows, self._budget = plan.rows, plan.budget
        self._guesser = guesser
        self._pasts = Pasts(plan, schema=self.schema, guesser=guesser)
        self._run = plan.mechanism.start(rng=rng)
        self._turn = threading.RLock()
        self._named = len(ledger.overrides)  # by the plan; others may come while it is at work
        self._certificates: dict[tuple[int, Draw, bool], Certificate] = {}

    @property
    def place(self) -> str:
        return f"ledger {self.ledger.public_place}"

    def as_analyst(self, name: str) -> "LocalBackend":
        """The same, with questions charged to this analyst and kept within their share."""
        other = copy(self)
        other.analyst = analyst_name(name)
        return other

    def close(self) -> None:
        """Release the ledger file. Nothing is lost: every answer is already on disk."""
        self.ledger.close()

    def known(self, what: Query) -> bool:
        return what.digest in self.ledger.answers()

    def look(self) -> Standing:
        return self._standing(self._pasts.look(self.ledger.look()))

    def last_look(self) -> Standing:
        return self._standing(self._seen_past())

    def _standing(self, past: Past) -> Standing:
        return Standing(
            past=past,
            remaining=self._left(past),
            remaining_for_all=self._left_for_all(past),
            remaining_rounds=self._rounds_left(past),
            used=used_part(self.ledger.seen.spent, self._budget),
        )

    def certificate(self, settled: Settled) -> Certificate:
        """The certificate of an answer, as the ledger records it."""
        overrides = self.ledger.overrides
        try:
            draw, failed = Reading.of(settled, rows=self._rows).outcome
            key = len(overrides), draw, failed
            if key not in self._certificates:
                plan = overridden(self.plan, overrides[self._named :])
                found = certificate_of(plan, draw, failed=failed)
                origin = FromLedger(self.ledger, draw, failed, len(overrides))
                self._certificates[key] = replace(found, derivation=origin)
        except IMPOSSIBLE as error:
            problem = f"records a draw that its promise does not make ({error})"
            raise LedgerDamaged(ledger=self.ledger.place, problem=problem) from error
        return self._certificates[key]

    def history(self, analyst: str | None) -> History:
        place, rows = self.ledger.public_place, self._rows
        recall = Recall(place=place, schema=self.schema, certificate=self.certificate, rows=rows)
        return recall.history(self.ledger.answers(), analyst=analyst)

    # The one way.

    def answer(self, asks: Sequence[Ask]) -> list[Reply]:
        """What the asks get, as their queries read it; those that were answered before for free."""
        if self.plan.mechanism.guesses:  # one by one: a failure teaches
            if all(each.what.shape in _GUESSED and not each.guessing for each in asks):
                self._check_room(asks)
            return [self._checked(each) for each in asks]
        replies = self._replies(asks)
        return [each.what.answer(replies) for each in asks]

    def _replies(self, asks: Sequence[Ask]) -> RecordedReplies:
        """What the asks get: those that were answered before for free, the others drawn.

        A refusal is said after a look at the ledger: others may have answered, or made room.
        """
        self.ledger.check_process()  # first: in a forked one nobody releases any lock
        seen = self.ledger.seen.last
        try:
            return self._replied(asks)
        except (Refusal, InvalidInput):
            if self.ledger.look().last == seen:
                raise
            return self._replied(asks)

    def _replied(self, asks: Sequence[Ask]) -> RecordedReplies:
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
        first = getattr(self.table, "charge_first", True)
        first = first or any(each.what.charge_first for each in fresh.values())
        asks, past = self._unpaid(fresh) if first else list(fresh.values()), self._seen_past()
        drawing = _Drawing(self, fresh)
        if first and not asks:
            return drawing.charged_first()
        if past.draws >= past.target.questions and self.plan.mechanism.guesses:
            raise self._refusal(len(fresh))  # there is no level for another
        draws = self._offered(asks, past)  # refused here: nothing is read
        offers = [offer_of(draw, ask.what.span) for draw, ask in zip(draws, asks, strict=True)]
        if self.ledger.seen.closed or not self.ledger.fits(offers, analyst=self.analyst):
            raise self._refusal(self._worth(draws))
        return drawing.charged_first() if first else drawing.read_first(draws)

    def _unpaid(self, fresh: Mapping[str, Ask]) -> list[Ask]:
        """Those that were not paid for by whoever asked before and never got an answer."""
        if self.plan.mechanism.volatile:
            return list(fresh.values())
        paid = {digest for each in self.ledger.waiting(fresh) for digest in each.digests}
        return [each for digest, each in fresh.items() if digest not in paid]

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
        """The exact values of what is drawn like this; what else is raised is withheld."""
        try:
            found = self.plan.mechanism.read(self.table, [each.what for each in asks], made)
            if len(found) != len(asks):
                raise EvaluationFailed()
            return found
        except DataChanged:  # says nothing of rows but that they are others
            raise
        except Exception:
            raise EvaluationFailed() from None

    def _released(self, made: Sequence[Draw], exact: Sequence[Exact[Any]]) -> list[Recorded]:
        """The answers, as the ledger records them; what is none, or raises, is withheld."""
        try:
            values = self._run.release(made, exact)
            for draw, value in zip(made, values, strict=True):
                if not all(isinstance(each, Fraction) for each in value):
                    raise EvaluationFailed()
                draw.shares(value)
            return [written(each) for each in values]
        except Exception:
            raise EvaluationFailed() from None

    def _told(self, paid: Mapping[str, Charge]) -> RecordedReplies:
        return RecordedReplies(
            settled=self.ledger.seen.answers,
            paid=paid,
            certificate=self.certificate,
            unit=self._budget,
            remaining=self._left(self._seen_past()),
            place=self.ledger.public_place,
            rows=self._rows,
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
        room, accounts = self._budget.amount - past.spent, self.ledger.seen.accounts
        if accounts.shares:
            room = min(room, accounts.left(self.analyst)[0])
        return self.plan.mechanism.rounds_left(past, room=room)

    # What must be refused before it is asked.

    def check_function(self) -> None:
        """Refuse statistics of engines that do not number their rows."""
        if not self.table.ordered:
            raise no_statistic(self.table)

    def check_quotients(self, asked: Sequence[Question], *, radius: float | None) -> None:
        """Refuse those that what is known of their groups leaves nothing of, before they are paid.

        Not those whose other part is asked for by itself, or was answered before.
        """
        within = [each for each in asked if isinstance(each.form, Given)]
        if not within:
            return
        together = self.new_draws(drawn_for(asked))
        known = self.ledger.seen.answers
        drawn_anyway = known.keys() | {each.digest for each in asked}
        for each in within:
            over, under = drawn_for([each])
            if under.digest in known and over.digest not in drawn_anyway:
                self.price_of(
                    each, radius=radius, loss=None, guess=None, tolerance=None, together=together
                )

    # What it would cost.

    def new_draws(self, drawn: Sequence[Question]) -> int:
        known = self.ledger.look().answers
        return len({each.digest for each in drawn} - known.keys())

    def price_of(
        self,
        asked: Question,
        *,
        radius: float | None,
        loss: float | None,
        guess: float | None,
        tolerance: float | None,
        together: int,
    ) -> Price:
        past, known = self.look().past, self._known_price
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

    def price_of_choice(self, ask: Ask) -> Price:
        past = self.look().past
        found = self._known_price(ask.what) or self._new_price(ask, past)
        return told_as(found, self.plan, scale=ask.what.span.width)

    def _known_price(self, asked: Question | Query) -> Price | None:
        """That of what was answered before, as of the last look at the ledger."""
        settled = self.ledger.seen.answers.get(asked.digest)
        if settled is None:
            return None
        draw, failed = Reading.of(settled, rows=self._rows).outcome
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

    def _checked(self, ask: Ask) -> Reply:
        """The answer to a checked guess, or what was answered before."""
        self.ledger.spent()  # others may have answered, and taught
        if ask.what.digest in self.ledger.seen.answers:
            return ask.what.answer(self._replies([]))
        return ask.what.answer(self._replies([self._with_guess(ask)]))

    def _with_guess(self, ask: Ask) -> Ask:
        """The same with what the guesser says, if nobody else gives a guess."""
        what = ask.what
        if ask.guess is not None or self._guesser is None or what.shape not in _GUESSED:
            return ask
        self._seen_past()  # so that the guesser knows all that was released
        guessed = [self._pasts.guess(each) for each in what.questions]
        return replace(ask, guessed=guessed[0]) if guessed else ask

    def _check_room(self, asks: Sequence[Ask]) -> None:
        """Refuse more new guesses than fit, before the first is checked."""
        past = self.look().past
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

    def __init__(self, backend: "LocalBackend", fresh: Mapping[str, Ask]) -> None:
        self._backend, self._fresh = backend, fresh
        self._texts = {digest: each.what.text for digest, each in fresh.items()}
        self._draws: dict[str, Draw] = {}  # as they were offered last

    def read_first(self, draws: Sequence[Draw]) -> dict[str, Charge]:
        """Read, then draw, charge and record in one write."""
        backend, asks = self._backend, list(self._fresh.values())
        parts = {digest: each.part for digest, each in zip(self._fresh, draws, strict=True)}
        exact = dict(zip(self._fresh, self._exact(asks, draws), strict=True))

        def release(digests: tuple[str, ...]) -> list[Recorded]:
            made = [self._draws[each] for each in digests]
            if any(self._draws[each].part != parts[each] for each in digests):
                # Others have read these rows meanwhile: the next ones are nobody's yet.
                again = backend._read([self._fresh[each] for each in digests], made)
                exact.update(zip(digests, again, strict=True))
            return backend._released(made, [exact[each] for each in digests])

        try:
            found = backend.ledger.write(
                self._texts, offers=self._offers, release=release, analyst=backend.analyst
            )
            paid = self._paid(found)
            if isinstance(found, Written) and found.lost:
                raise EvaluationFailed()
        except BaseException:
            backend._run.forget()  # what it drew may be on no record
            raise
        return paid

    def charged_first(self) -> dict[str, Charge]:
        """Charge, then read, draw and record: for what tells something even if it fails.

        What was paid for before and never answered, here or by a process that died, is read again
        as it was drawn then, unless its mechanism was at work in that process alone.
        """
        backend = self._backend
        with backend._turn if backend.plan.mechanism.remembers else nullcontext():
            return backend.ledger.alone(tuple(self._fresh), self._charged_first)

    def _charged_first(self) -> dict[str, Charge]:
        backend = self._backend
        again = backend.plan.mechanism.volatile
        charged = backend.ledger.lose(
            self._texts, offers=self._offers, analyst=backend.analyst, again=again
        )
        paid = self._paid(charged)
        waiting = backend.ledger.waiting(self._fresh)
        if again and isinstance(charged, Written):
            waiting = [charged] if charged.digests else []
        for lost in waiting:
            self._recover(lost)
        return paid

    def _recover(self, lost: Written) -> None:
        """Read and answer what is paid for."""
        backend, rows = self._backend, self._backend._rows
        made = [recorded_draw(each.terms, rows=rows) for each in lost.offers]
        try:
            exact = backend._read([self._fresh[each] for each in lost.digests], made)
            values = backend._released(made, exact)
            backend.ledger.recover(lost, dict(zip(lost.digests, values, strict=True)))
        except BaseException:
            backend._run.forget()
            raise

    def _offers(self, digests: tuple[str, ...]) -> list[Offer]:
        """What they cost after the newest past; asked under the ledger's lock."""
        backend, asks = self._backend, [self._fresh[each] for each in digests]
        past = backend._seen_past()
        if past.draws >= past.target.questions:  # no level is left; the ledger refuses it
            return [Offer(cost=charge_in(backend._budget.unit)) for _ in asks]
        made = backend._offered(asks, past)
        self._draws = dict(zip(digests, made, strict=True))
        return [offer_of(draw, ask.what.span) for draw, ask in zip(made, asks, strict=True)]

    def _exact(self, asks: Sequence[Ask], draws: Sequence[Draw]) -> list[Exact[Any]]:
        """The exact values; if they cannot be had, that is paid for before it is told."""
        backend = self._backend
        try:
            return backend._read(asks, draws)
        except PeekproofError:
            self._paid(
                backend.ledger.lose(self._texts, offers=self._offers, analyst=backend.analyst)
            )
            raise

    def _paid(self, found: Written | OverLimit) -> dict[str, Charge]:
        if isinstance(found, OverLimit):
            raise self._backend._refusal(
                self._backend._worth(list(self._draws.values())) or len(self._fresh)
            )
        costs = (each.cost for each in found.offers)
        return dict(zip(found.digests, costs, strict=True))
