"""The ledger: answers, each charged and recorded in one durable entry, on top of any store.

A write takes the store's lock, catches up with what other processes wrote, looks whether it fits,
draws, and appends; it is on disk before it returns. Threads that come at once share a write.
"""

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import chain
from typing import TypeVar, final

from peekproof.core.charge import Charge, Offer, cost_of
from peekproof.core.errors import (
    IN_DOUBT,
    InDoubt,
    InvalidInput,
    LedgerClosed,
    LedgerDamaged,
    LedgerMoved,
)
from peekproof.core.shared_columns import Cut, Marked
from peekproof.ledger.entry import (
    Body,
    Entry,
    Opening,
    Paid,
    Settled,
    Value,
    charge_body,
    checked,
    follow,
    promise_of,
)
from peekproof.ledger.html import ledger_html
from peekproof.ledger.log import Draft, Log
from peekproof.ledger.places import create_store, has_store, open_store
from peekproof.ledger.snapshot import answers_after
from peekproof.ledger.state import OverLimit, State, check_shares, shares_to_body
from peekproof.ledger.store import Store
from peekproof.ledger.witness import Watch, Witness

T = TypeVar("T")


@final
@dataclass(frozen=True, slots=True)
class Written:
    """Questions that were charged in one entry, what was paid for each, and whether in vain."""

    sequence: int
    digests: tuple[str, ...]
    offers: tuple[Offer, ...] = ()
    lost: bool = False


# Nothing new was asked.
NOTHING = Written(0, ())

# What questions cost, by their digests, after all that is on record; asked under the write lock.
Offers = Callable[[tuple[str, ...]], Sequence[Offer]]


@final
class Ledger:
    """An open ledger. Safe to share between threads; processes share the place."""

    def __init__(self, store: Store, *, given: str | None = None) -> None:
        self._log = Log(store)
        self._given = given or store.place  # as `place`, but with all that connecting takes
        if self.seen.opening is None:
            raise LedgerDamaged(ledger=store.place, problem="has no entries")
        self.opening = self.seen.opening

    @classmethod
    def exists(cls, place: str) -> bool:
        return has_store(place)

    @classmethod
    def create(cls, place: str, opening: Opening) -> "Ledger":
        """A new ledger; if another process created one there first, that one."""
        return cls(create_store(place, follow(None, "open", opening.to_body())), given=place)

    @classmethod
    def open(cls, place: str) -> "Ledger":
        """The ledger at an existing place, its chain checked and replayed from its snapshot on."""
        return cls(open_store(place), given=place)

    def opened_again(self) -> "Ledger":
        """The same place, opened anew, also when this one was closed."""
        return Ledger.open(self._given)

    @property
    def place(self) -> str:
        return self._log.place

    @property
    def public_place(self) -> str:
        """The place as analysts may see it: no part of it is a hash of the rows."""
        return self.opening.published(self.place)

    @property
    def seen(self) -> State:
        """The state as of the last look; other processes may have moved on. Only to be read."""
        return self._log.state

    @property
    def overrides(self) -> tuple[Body, ...]:
        """What the custodian answers for, whoever wrote it, as of the last look."""
        return tuple(self.seen.overrides)

    def look(self) -> State:
        """The state with all that any process wrote. Only to be read."""
        return self._log.look()

    def vouch(self) -> State:
        """As `look`, for whoever tells a recorded answer: once the witness knows of it."""
        return self._log.vouch()

    def spent(self) -> Charge:
        """All that was ever charged, by any process."""
        return self.look().spent

    def draws(self) -> int:
        """How many questions were ever paid for, answered or not."""
        return self.look().draws

    def answers(self) -> Mapping[str, Settled]:
        """Every answer by the digest of its question."""
        return self.look().answers

    def write(
        self,
        questions: Mapping[str, str],
        *,
        offers: Offers,
        release: Callable[[tuple[str, ...]], Sequence[Value]],
        analyst: str = "",
    ) -> Written | OverLimit:
        """Charge for and answer each question (text by digest) that is still unanswered.

        One transaction: under the write lock `offers` says what they cost after all that anybody
        wrote; if that fits, `release` draws the answers, and one entry records both. All are
        charged or none is. Durable when it returns, and nobody sees an answer before. A refusal
        writes nothing. If `release` fails, that may tell of rows: all are charged, and `lost`.
        """

        def step(draft: Draft) -> "Written | OverLimit":  # not made at each call
            charged = self._charged(questions, offers, analyst)
            if not isinstance(charged, _Charged):
                return charged
            try:
                values = tuple(release(tuple(charged.paid)))
                answers = {
                    digest: paid.settled(value)
                    for (digest, paid), value in zip(charged.paid.items(), values, strict=True)
                }
            except Exception:
                return self._lost(draft, charged, analyst)
            entry = draft.add("answer", charged.body(analyst, values))
            self.seen.charge(charged.paid, cost=charged.cost.amount, spent=charged.total)
            self.seen.stage(answers)
            draft.once_written(lambda: self.seen.show(entry, answers))
            return Written(entry.sequence, tuple(charged.paid), charged.offers)

        return self._log.do(step)

    def lose(
        self,
        questions: Mapping[str, str],
        *,
        offers: Offers,
        analyst: str = "",
        again: bool = True,
    ) -> Written | OverLimit:
        """Charge for each question that is still unanswered, whether it will be answered or not.

        For what tells something even if it fails: it is paid for before a row is read, or when
        reading it failed. Unless `again`, what was paid for before and never answered is left out.
        """

        def step(draft: Draft) -> "Written | OverLimit":
            state, wanted = self.seen, questions
            if not again:
                paid = {digest for each in state.unanswered.values() for digest in each}
                wanted = {key: text for key, text in questions.items() if key not in paid}
            charged = self._charged(wanted, offers, analyst)
            return self._lost(draft, charged, analyst) if isinstance(charged, _Charged) else charged

        return self._log.do(step)

    def _lost(self, draft: Draft, charged: "_Charged", analyst: str) -> Written:
        entry = draft.add("lost", charged.body(analyst))
        self.seen.charge(charged.paid, cost=charged.cost.amount, spent=charged.total)
        self.seen.lose(entry, charged.paid)
        return Written(entry.sequence, tuple(charged.paid), charged.offers, lost=True)

    def waiting(self, digests: Collection[str]) -> list[Written]:
        """Which of these are paid for and never answered, as of the last look."""
        found = []
        for sequence, each in list(self.seen.unanswered.items()):
            paid = {digest: each[digest].offer for digest in digests if digest in each}
            if paid:
                found.append(Written(sequence, tuple(paid), tuple(paid.values()), lost=True))
        return found

    def recover(self, lost: Written, values: Mapping[str, Value]) -> None:
        """Record the answers to what was charged before, but for what others answered meanwhile."""

        def step(draft: Draft) -> None:
            state = self.seen
            paid = {
                digest: each
                for digest, each in state.unanswered.get(lost.sequence, {}).items()
                if digest in values and digest not in state.answers and digest not in state.staged
            }
            if not paid:
                return
            found = tuple(values[digest] for digest in paid)
            body = charge_body(
                {digest: each.text for digest, each in paid.items()},
                [each.offer for each in paid.values()],
                total=state.spent,
                analyst=next(iter(paid.values())).analyst,
                values=found,
            )
            answers = {
                digest: each.settled(value)
                for (digest, each), value in zip(paid.items(), found, strict=True)
            }
            entry = draft.add("answer", {**body, "lost": lost.sequence})
            state.stage(answers)

            def shown() -> None:
                self.seen.recover(lost.sequence, answers)
                self.seen.show(entry, answers)

            draft.once_written(shown)

        self._log.do(step)

    def fits(self, offers: Sequence[Offer], *, analyst: str = "") -> bool:
        """Whether so much can be charged, as of the last look."""
        return not offers or not self.seen.too_much(offers, cost_of(offers), analyst)

    def _charged(
        self, questions: Mapping[str, str], offers: Offers, analyst: str
    ) -> "_Charged | Written | OverLimit":
        """What is to be charged for the new ones among these, if there are some and they fit."""
        state = self.seen
        known = state.answers, state.staged
        fresh = {key: text for key, text in questions.items() if not any(key in e for e in known)}
        if not fresh:
            return NOTHING
        if state.closed:
            raise LedgerClosed(ledger=self.public_place, reason=state.why_closed)
        made = tuple(offers(tuple(fresh)))
        cost = cost_of(made)
        if self.seen.too_much(made, cost, analyst):
            return OverLimit(self.opening.budget)
        paid = {
            digest: Paid(text, each, analyst)
            for (digest, text), each in zip(fresh.items(), made, strict=True)
        }
        return _Charged(paid, made, cost, state.spent + cost)

    def alone(self, digests: Collection[str], act: Callable[[], T]) -> T:
        """What `act` returns, while no other thread draws any of these."""
        return self._log.alone(digests, act)

    def check_process(self) -> None:
        """Refuse a process that was forked from the one that opened the ledger."""
        self._log.check_process()

    def set_aside(self, shares: Mapping[str, Fraction]) -> None:
        """Say which part of the budget each analyst has; this replaces what was said before."""
        try:
            check_shares(shares)
        except ValueError as error:
            raise InvalidInput(
                argument="shares",
                accepted="fractions from 0 to 1 for each name, and at most 1 together",
                given=repr(shares_to_body(shares))[:200],
            ) from error

        def step(draft: Draft) -> None:
            entry = draft.add("share", {"shares": shares_to_body(shares)})
            self.seen.set_aside(entry, shares)

        self._log.do(step)

    def override(self, *, reason: str, against: str) -> None:
        """Record that the custodian answers for what looks like a second budget, and why."""

        def step(draft: Draft) -> None:
            self.seen.override(draft.add("override", body), body)

        body: Body = {"reason": reason, "against": against}
        self._log.do(step)

    def retire(self) -> None:
        """Record that no more questions will be answered; what was answered stays free."""

        def step(draft: Draft) -> None:
            if not self.seen.closed:
                self.seen.close(draft.add("close", {}))

        self._log.do(step)

    def check_here(self) -> None:
        """Refuse a ledger that was moved, and goes on elsewhere."""
        self._log.check_here()

    def hand_over(self, *, store: str, to: str, deliver: Callable[[Iterator[Entry]], None]) -> None:
        """Record that the ledger goes on elsewhere, once all of it was delivered there.

        Nobody writes meanwhile. What was delivered must not be usable before this returns.
        """

        def step(draft: Draft) -> None:
            body: Body = {"store": store, "to": to, "arrived": False}
            last = draft.prepared("move", body)
            deliver(chain(self._log.stream(), draft.entries, [last, _copy_after(last)]))
            self.seen.move(draft.put(last), body)

        self._log.do(step)

    def redelivered(self) -> Iterator[Entry]:
        """All entries of a ledger that was handed over, for another copy that cannot go on yet."""
        return chain(self._log.stream(), [_copy_after(self._log.head())])

    @property
    def delivered(self) -> bool:
        """Whether a ledger that was moved says which copy goes on, so that no other ever does."""
        return self._log.delivered

    def release(self, copy: "Ledger") -> None:
        """Record in a ledger that was handed over that this copy goes on; another is refused."""

        def step(draft: Draft) -> None:
            last = self._log.state.last
            sequence = last.sequence if last else 0
            if self.delivered:
                if copy.entry(sequence) != last:
                    raise self._moved()
                return
            found = copy.entry(sequence + 1)
            if found is None or found.kind != "move" or "copy" not in found.body:
                raise self._moved()
            for entry in checked([found], after=last, ledger=copy.place):
                self.seen.move(draft.put(entry), entry.body)

        self._log.do_while_moving(step)

    def arrive(self) -> None:
        """Go on with a copy that was released."""

        def step(draft: Draft) -> None:
            state = self.seen
            if state.arriving and state.moved and state.elsewhere(self.place) is None:
                body: Body = {"store": state.moved[0], "to": state.moved[1], "arrived": True}
                state.move(draft.add("move", body), body)

        self._log.do_while_moving(step)

    def conclude(self, copy: "Ledger") -> None:
        """Record in a ledger that was handed over that the copy has arrived, as the copy does.

        So what is restored from it, should the copy be lost, lacks nothing of the move.
        """

        def step(draft: Draft) -> None:
            last = self._log.state.last
            found = copy.entry(last.sequence + 1) if last and self.seen.arriving else None
            for entry in checked([found] if found else [], after=last, ledger=copy.place):
                self.seen.move(draft.put(entry), entry.body)

        self._log.watch = None  # the witness may have seen more of the copy by now
        self._log.do_while_moving(step)

    def _moved(self) -> LedgerMoved:
        to = self.seen.elsewhere(self.place) or ""
        return LedgerMoved(ledger=self.place, to=to, delivered=self.delivered)

    def history(self, analyst: str) -> list[Settled]:
        """What this analyst was answered first; what others had asked before is theirs."""
        found = answers_after(self.answers(), 0)  # a copy: other threads may add to it meanwhile
        return [each for each in found if each.analyst == analyst]

    def attend(
        self,
        witness: Witness,
        *,
        override: str | None = None,
        doubt: InDoubt | None = None,
        marked: Callable[[], Marked] | None = None,
        cuts: Sequence[Cut] = (),
        check_others: Callable[[], None] | None = None,
        moving: bool = False,
    ) -> InDoubt | None:
        """Have the witness watch over all writes, if what it saw before is in this ledger.

        Otherwise an error, or with `override`, the reason for going on all the same, an entry
        that records it; what was overridden is returned. `doubt` is what else stands against it,
        `marked`, `cuts` and `check_others` are for a witness that does not know it (see `Watch`). A
        ledger that goes on elsewhere is refused, unless its move is being completed.
        """
        if not moving:
            self.check_here()
        origin = self.entry(self.seen.origin)
        if origin is None:
            raise LedgerDamaged(ledger=self.place, problem="has no entries")
        watch = Watch(
            witness,
            fingerprint=self.opening.fingerprint,
            first=origin,
            place=self.place,
            marked=marked,
            cuts=cuts,
            check_others=check_others,
            promise=promise_of(self.opening),
        )
        try:
            watch.check(self.entry, last=self._log.head)
        except IN_DOUBT as error:
            if override is None:
                raise
            doubt = error
        if override is not None:
            if doubt is None:
                raise nothing_to_override(override)
            self.override(reason=override, against=doubt.against)
            watch.adopt(self._log.head())
        watch.wrote([self._log.head()])
        self._log.watch = watch
        return doubt

    def entry(self, sequence: int) -> Entry | None:
        """One entry as it lies in the store, if any process has written it."""
        return self._log.entry(sequence)

    def entries(self) -> list[Entry]:
        """All entries from the first, as they lie in the store."""
        return self._log.entries()

    def stream(self, *, after: int = 0) -> Iterator[Entry]:
        """All entries after entry `after`, read from the store as they are wanted."""
        return self._log.stream(after=after)

    def verify(self, *, progress: Callable[[int, int], None] | None = None) -> int:
        """Recheck every link, every amount and the snapshot from the first entry; their number.

        `progress` is told how many entries of how many are done.
        """
        return self._log.verify(progress=progress)

    def close(self) -> None:
        """Let go of the place."""
        self._log.close()

    def _repr_html_(self) -> str:
        """The ledger for a notebook."""
        return ledger_html(self)


@final
@dataclass(frozen=True, slots=True)
class _Charged:
    """Questions that fit, with what is paid for each and the sum of all charges after them."""

    paid: dict[str, Paid]
    offers: tuple[Offer, ...]
    cost: Charge
    total: Charge

    def body(self, analyst: str, values: Sequence[Value] = ()) -> Body:
        texts = {digest: each.text for digest, each in self.paid.items()}
        return charge_body(texts, self.offers, total=self.total, analyst=analyst, values=values)


def nothing_to_override(reason: str) -> InvalidInput:
    """The error of an override where nothing stands against the ledger."""
    return InvalidInput(
        argument="override",
        accepted="left out, for there is nothing to override",
        given=repr(reason[:80]),
    )


def _copy_after(last: Entry) -> Entry:
    """The entry that tells one copy of a ledger that was handed over from all others."""
    return follow(last, "move", {**last.body, "copy": os.urandom(16).hex()})
