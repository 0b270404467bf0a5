"""The flow: request → replay → filter → reserve → read → release → settle → reply.

Read `_draw` first; everything else in the package serves it.
"""

import threading
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from copy import copy
from dataclasses import replace
from fractions import Fraction
from typing import final

from peekproof.core.certificate import Certificate
from peekproof.core.charge import Offer, Refused
from peekproof.core.errors import (
    BudgetExhausted,
    FailuresExhausted,
    LedgerClosed,
    Refusal,
    RoundsExhausted,
    ShareExhausted,
)
from peekproof.data.source import Source
from peekproof.ledger.ledger import Ledger, Reservation
from peekproof.mechanisms.checking import Checking
from peekproof.mechanisms.fresh_rows import Rounds
from peekproof.mechanisms.limited_checking import LimitedChecking
from peekproof.mechanisms.thresholdout import Thresholdout
from peekproof.noise.entropy import Entropy
from peekproof.planner.own import Price
from peekproof.planner.plan import Plan
from peekproof.planner.recorded import own_certificate_of, recorded_price
from peekproof.planner.remaining import (
    halted,
    remaining_questions,
    remaining_rounds,
    remaining_share,
    rounds_within,
)
from peekproof.query.question import Question
from peekproof.session.agreed import no_statistic
from peekproof.session.custody import overridden
from peekproof.session.derivation import FromLedger
from peekproof.session.drawing import released
from peekproof.session.holdout import Holdout
from peekproof.session.past import Past, with_outcome
from peekproof.session.reading import read
from peekproof.session.reply import Replies
from peekproof.session.request import Request

NOTHING = Reservation(0, ())


@final
class Flow:
    """Data, a promise about it, and the ledger that keeps the promise, at work."""

    def __init__(
        self,
        *,
        table: Source,
        plan: Plan,
        ledger: Ledger,
        rng: Entropy,
        past: Past,
        analyst: str = "",
    ) -> None:
        self._table = table
        self._plan = plan
        self._ledger = ledger
        self._rng = rng
        self._past = past
        self._analyst = analyst
        self._gate = plan.gate()
        self._holdout: Holdout | None = None
        # Threads take turns where what one of them has not settled yet ends it for the others.
        self.turn: AbstractContextManager[object] = nullcontext()
        if isinstance(plan.mechanism, LimitedChecking):
            self.turn = threading.RLock()
        if isinstance(plan.mechanism, Thresholdout):
            self._holdout = Holdout(plan.mechanism, rng=rng)
            self.turn = self._holdout.turn
        self._named = len(ledger.overrides)  # by the plan; others may come while it is at work
        self._certificates: dict[tuple[int, tuple[tuple[str, str], ...]], Certificate] = {}

    def as_analyst(self, analyst: str) -> "Flow":
        """The same flow, for someone else."""
        other = copy(self)
        other._analyst = analyst
        return other

    def replies(self, requests: list[Request]) -> Replies:
        """What the requests get: those that were answered before for free, the others drawn."""
        self._ledger.check_process()  # first: in a forked one nobody releases any lock
        known = self._ledger.seen.answers
        fresh = {each.digest: each for each in requests if each.digest not in known}
        with self.turn:
            reserved = NOTHING
            if fresh:
                reserved = self._ledger.alone(tuple(fresh), lambda: self._draw(fresh))
        if not reserved.digests:
            self._ledger.spent()  # a reservation has just looked at the file; a repeat looks now
        return self._replies(reserved)

    def _replies(self, reserved: Reservation) -> Replies:
        return Replies(
            settled=self._ledger.seen.answers,
            reserved=reserved,
            certificate=self.certificate,
            unit=self._plan.budget,
            remaining=self.left(),
            place=self._ledger.public_place,
            rows=self._plan.rows,
        )

    def _draw(self, fresh: Mapping[str, Request]) -> Reservation:
        """Pay for, read, release and record."""

        def offers(digests: tuple[str, ...], drawn: int) -> list[Offer]:
            size = len(digests)
            last = drawn + size
            made = [fresh[each].offer(self._plan, draw=last, batch=size) for each in digests]
            return self._holdout.offers(made, self._ledger.seen) if self._holdout else made

        texts = {digest: request.text for digest, request in fresh.items()}
        reserved = self._ledger.reserve(
            texts, offers=offers, gate=self._gate, analyst=self._analyst
        )
        if isinstance(reserved, Refused):
            raise self.refusal(sum(request.worth for request in fresh.values()))
        if reserved.digests:  # else others answered them all in the meantime
            paid = [fresh[digest] for digest in reserved.digests]
            exact = read(self._table, self._plan, paid, reserved)
            if self._holdout:
                values = self._holdout.release(reserved.offers, exact)
            else:
                values = released(self._plan, reserved.offers, exact, rng=self._rng)
            self._ledger.settle(reserved, dict(zip(reserved.digests, values, strict=True)))
        return reserved

    def check_ordered(self) -> None:
        """Refuse statistics of engines that do not number their rows."""
        if not self._table.ordered:
            raise no_statistic(self._table)

    def refusal(self, asked: int) -> Refusal:
        """Why so many new questions do not fit."""
        if self._ledger.seen.closed:
            reason = self._ledger.seen.why_closed
            raise LedgerClosed(ledger=self._ledger.public_place, reason=reason)
        promised = self._plan.mechanism
        left, size = self.left(), self._plan.target.questions
        mine = self._left_of_share()
        if mine is not None and mine < self.left_for_all():
            return ShareExhausted(analyst=self._analyst, asked=asked, remaining=mine)
        if isinstance(promised, Rounds) and self.rounds_left() == 0:
            return RoundsExhausted(asked=asked, rounds=promised.rounds)
        if isinstance(promised, LimitedChecking) and halted(self._plan, failures=self._failures()):
            return FailuresExhausted(asked=asked, failures=promised.failures)
        if isinstance(promised, Thresholdout) and not left and self._ledger.seen.draws < size:
            return RoundsExhausted(asked=asked, rounds=promised.budget)
        return BudgetExhausted(asked=asked, remaining=left, questions=size)

    def checked_price(self, request: Request) -> Price:
        """What a guess, or a choice, would cost now: nothing in a round that is paid for."""
        draws, most = self._ledger.draws(), self._plan.target.questions
        if isinstance(self._plan.mechanism, Checking) and draws >= most:
            raise self.refusal(1)  # there is no level for it
        found = request.checked_price(self._plan)
        if self._holdout is None:
            return found
        (offer,) = self._holdout.offers([found.offer], self._ledger.seen)
        return replace(found, offer=offer)

    def price_of(self, request: Request) -> Price:
        """What it would cost now: nothing, if it was answered before."""
        self._ledger.spent()  # others may have asked for it
        return self.known_price(request) or request.price or self.checked_price(request)

    def known_price(self, asked: Request | Question) -> Price | None:
        """That of what was answered before, as of the last look at the ledger."""
        settled = self._ledger.seen.answers.get(asked.digest)
        if settled is None:
            return None
        terms = with_outcome(settled)
        return recorded_price(self._plan, terms, self.certificate(terms))

    def known_answers(self, asked: Sequence[Question]) -> Replies | None:
        """What was answered before, all of it or nothing, as of the last look at the ledger."""
        known = self._ledger.seen.answers
        if any(each.digest not in known for each in asked):
            return None
        return self._replies(NOTHING)

    def certificate(self, terms: Mapping[str, str]) -> Certificate:
        """The certificate of an answer drawn under these terms, as the ledger records them."""
        overrides = self._ledger.overrides
        key = len(overrides), tuple(sorted(terms.items()))
        if key not in self._certificates:
            plan = overridden(self._plan, overrides[self._named :])
            found = plan.certificate
            if terms:
                found = own_certificate_of(plan, terms, ledger=self._ledger.place)
            origin = FromLedger(self._ledger, terms, len(overrides))
            self._certificates[key] = replace(found, derivation=origin)
        return self._certificates[key]

    def left(self) -> int:
        """How many new questions fit as planned, as of the last look at the ledger."""
        every, mine = self.left_for_all(), self._left_of_share()
        return every if mine is None else min(every, mine)

    def _left_of_share(self) -> int | None:
        """How many fit into the analyst's share; None if nothing is set aside for anybody."""
        accounts = self._ledger.seen.accounts
        if not accounts.shares:
            return None
        room, draws = accounts.left(self._analyst)
        if self._holdout and self._holdout.open(self._ledger.seen):
            # Not even what costs nothing is for those who have used more than they have now.
            return draws if accounts.within_share(self._analyst, Fraction(0), 0) else 0
        return remaining_share(self._plan, room=room, draws=draws, drawn=self._ledger.seen.draws)

    def left_for_all(self) -> int:
        """How many fit if nothing is set aside for anybody, as of the last look."""
        seen = self._ledger.seen
        if seen.closed:
            return 0
        if self._holdout and self._holdout.open(seen):
            return self._plan.target.questions - seen.draws
        return remaining_questions(
            self._plan, spent=seen.spent, draws=seen.draws, failures=self._failures()
        )

    def _failures(self) -> int:
        """How many guesses have failed, where that ends the conversation."""
        if not isinstance(self._plan.mechanism, LimitedChecking):
            return 0
        return self._past.look(self._ledger.seen).failures

    def rounds_left(self) -> int | None:
        """How many more batches fit; None if the promise does not count them."""
        seen = self._ledger.seen
        every = remaining_rounds(self._plan, spent=seen.spent)
        if every is None or not seen.accounts.shares:
            return every
        room, _ = seen.accounts.left(self._analyst)
        return min(every, rounds_within(self._plan, room))
