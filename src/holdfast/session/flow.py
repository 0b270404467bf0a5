"""The flow: request → replay → filter → reserve → read → release → settle → reply.

Read `_draw` first; everything else in the package serves it.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import final

from holdfast.core.certificate import Certificate
from holdfast.core.charge import Offer
from holdfast.core.errors import BudgetExhausted, Refusal, RoundsExhausted
from holdfast.core.gate import Refused
from holdfast.data.table import Table
from holdfast.ledger.sqlite import Ledger, Reservation
from holdfast.mechanisms.rounds import Rounds
from holdfast.noise.entropy import Entropy
from holdfast.planner.plan import Plan
from holdfast.planner.recorded import own_certificate_of
from holdfast.planner.remaining import remaining_questions, remaining_rounds
from holdfast.session.derivation import FromLedger
from holdfast.session.drawing import released
from holdfast.session.reply import Replies
from holdfast.session.request import Request, read

NOTHING = Reservation(0, ())


@final
class Flow:
    """Data, a promise about it, and the ledger that keeps the promise, at work."""

    def __init__(self, *, table: Table, plan: Plan, ledger: Ledger, rng: Entropy) -> None:
        self._table = table
        self._plan = plan
        self._ledger = ledger
        self._rng = rng
        self._gate = plan.gate()
        self._certificates: dict[tuple[tuple[str, str], ...], Certificate] = {}

    def replies(self, requests: list[Request]) -> Replies:
        """What the requests get: those that were answered before for free, the others drawn."""
        known = self._ledger.seen.answers
        fresh = {each.digest: each for each in requests if each.digest not in known}
        reserved = self._draw(fresh) if fresh else NOTHING
        if not reserved.digests:
            self._ledger.spent()  # a reservation has just looked at the file; a repeat looks now
        return Replies(
            settled=self._ledger.seen.answers,
            reserved=reserved,
            certificate=self.certificate,
            unit=self._plan.budget,
            remaining=self.left(),
            place=self._ledger.place,
            rows=self._plan.rows,
        )

    def _draw(self, fresh: Mapping[str, Request]) -> Reservation:
        """Pay for, read, release and record."""

        def offers(digests: tuple[str, ...], drawn: int) -> list[Offer]:
            size = len(digests)
            last = drawn + size
            return [fresh[each].offer(self._plan, draw=last, batch=size) for each in digests]

        texts = {digest: request.text for digest, request in fresh.items()}
        reserved = self._ledger.reserve(texts, offers=offers, gate=self._gate)
        if isinstance(reserved, Refused):
            raise self._refusal(sum(request.worth for request in fresh.values()))
        if reserved.digests:  # else another process answered them all in the meantime
            paid = [fresh[digest] for digest in reserved.digests]
            exact = read(self._table, self._plan, paid, reserved)
            values = released(self._plan, reserved.offers, exact, rng=self._rng)
            self._ledger.settle(reserved, dict(zip(reserved.digests, values, strict=True)))
        return reserved

    def _refusal(self, asked: int) -> Refusal:
        promised = self._plan.mechanism
        if isinstance(promised, Rounds) and self.rounds_left() == 0:
            return RoundsExhausted(asked=asked, rounds=promised.rounds)
        left, size = self.left(), self._plan.target.questions
        return BudgetExhausted(asked=asked, remaining=left, questions=size)

    def certificate(self, terms: Mapping[str, str]) -> Certificate:
        """The certificate of an answer drawn under these terms, as the ledger records them."""
        key = tuple(sorted(terms.items()))
        if key not in self._certificates:
            found = self._plan.certificate
            if terms:
                found = own_certificate_of(self._plan, terms, ledger=self._ledger.place)
            self._certificates[key] = replace(found, derivation=FromLedger(self._ledger, terms))
        return self._certificates[key]

    def left(self) -> int:
        """How many new questions fit as planned, as of the last look at the ledger."""
        seen = self._ledger.seen
        return remaining_questions(self._plan, spent=seen.spent, draws=seen.draws)

    def rounds_left(self) -> int | None:
        """How many more batches fit; None if the promise does not count them."""
        return remaining_rounds(self._plan, spent=self._ledger.seen.spent)
