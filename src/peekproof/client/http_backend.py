"""Answers from a gateway: rebuilt from the records in its replies, certified here, and compared.

No number of a gateway is passed on as it came. What its ledger recorded is turned into an answer
as a session turns its own, and must say what the gateway says.
"""

from collections.abc import Hashable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf, isfinite
from typing import NoReturn, cast, final

from peekproof.client.dataset import Budget, Promise, RemoteData, understood
from peekproof.client.http import Json
from peekproof.core import check
from peekproof.core.certificate import Certificate, Width
from peekproof.core.charge import charge_in
from peekproof.core.errors import (
    CertificateMismatch,
    GatewayError,
    GatewayUnavailable,
    NotAllowed,
    NotServed,
)
from peekproof.core.shown import visible
from peekproof.ledger.entry import Settled, settled_from_body
from peekproof.ledger.ledger import Ledger
from peekproof.mechanisms.base import Ask, Draw, Past, Query, Reply
from peekproof.mechanisms.plan import Plan, Price
from peekproof.query.form import Given, Grouped
from peekproof.query.question import Question
from peekproof.query.schema import Schema
from peekproof.session.backend import Standing
from peekproof.session.history import History
from peekproof.session.pricing import priced, told_as
from peekproof.session.queries import AnyAnswer, drawn_for, guessable, no_functions, told
from peekproof.session.recalled import Recall
from peekproof.session.records import Reading, RecordedReplies


@final
class HttpBackend:
    """A data set behind a gateway. Threads may share it."""

    def __init__(self, data: RemoteData) -> None:
        self._data = data
        self._stale = self._closed = False
        self.promise: Promise = data.promise()
        self._standing = self._seen(data.budget())

    @property
    def data(self) -> RemoteData:
        """The data set, as long as the session is open."""
        if self._closed:
            raise GatewayUnavailable(problem="this session was closed", hint="connect again")
        return self._data

    @property
    def plan(self) -> Plan:
        """The plan that the gateway's ledger recorded, certified here."""
        return self.promise.plan

    @property
    def schema(self) -> Schema:
        return self.promise.schema

    @property
    def analyst(self) -> str:
        """Who asks, as the token says."""
        return self.promise.analyst

    @property
    def place(self) -> str:
        return f"gateway {self.promise.place}"

    @property
    def ledger(self) -> Ledger:
        """Refused: it is where the rows are."""
        raise NotAllowed(problem="the ledger of these answers is kept by the gateway")

    def as_analyst(self, name: str) -> NoReturn:  # noqa: ARG002 (the token's is the only one)
        """Refused: the token says who asks."""
        raise NotAllowed(problem="a gateway knows by the token who asks, so others need their own")

    def close(self) -> None:
        """Let go of the connections. Certificates can still be verified."""
        self._closed = True
        self._data.close()

    # What was asked, and what is left.

    def known(self, what: Query) -> bool:
        try:
            self.data.receipt(what.digest)
        except NotServed:
            return False
        return True

    def look(self) -> Standing:
        self._standing, self._stale = self._seen(self.data.budget()), False
        return self._standing

    def last_look(self) -> Standing:
        """As of the last look, or the last answer."""
        if self._stale and not self._closed:
            with suppress(GatewayError):
                return self.look()
        return self._standing

    def _seen(self, budget: Budget) -> Standing:
        past = Past(
            target=self.plan.target,
            spent=budget.spent,
            draws=max(budget.asked, budget.failures),
            failures=budget.failures,
            values=budget.values,
        )
        return Standing(
            past=past,
            remaining=budget.remaining,
            remaining_for_all=budget.remaining_for_all,
            remaining_rounds=budget.remaining_rounds,
            used=budget.used,
        )

    # Asking.

    def answer(self, asks: Sequence[Ask]) -> list[Reply]:
        for each in asks:  # refused here in the words of a session, before anything is sent
            if not self.plan.mechanism.guesses or each.what.shape == "choice":
                self.offer(each)
        sent: dict[int, Json] = {}
        for places in self._together(asks):
            some = [asks[place] for place in places]
            replies = [self._sent(some[0])] if len(some) == 1 else self._batch(some)
            with understood(self.promise.place, version=self.promise.version):
                sent.update(zip(places, replies, strict=True))
        replies = [sent[place] for place in range(len(asks))]
        rebuilding = self.rebuilding(replies)
        return [rebuilding.answer(*each) for each in zip(asks, replies, strict=True)]

    def _together(self, asks: Sequence[Ask]) -> list[list[int]]:
        """The places of those that go in one request, and are charged together."""
        groups: dict[int, list[int]] = {}
        for place, each in enumerate(asks):
            alone = each.what.route != _ASK or each.guessing or each.loss is not None
            groups.setdefault(place if alone else -1, []).append(place)
        return list(groups.values())

    def _sent(self, ask: Ask) -> Json:
        return self.data.ask(ask.what.route, {**ask.what.message(), **_said(ask)})

    def _batch(self, asks: Sequence[Ask]) -> list[Json]:
        texts = [each.what.text for each in asks]
        return self.data.batch(texts, radii=[_said(each).get("radius") for each in asks])

    def offer(self, ask: Ask) -> Draw:
        """How it would be drawn, or refused in the words of a session, before it is sent."""
        return self.plan.mechanism.offer(ask, self.plan.nothing_asked)

    def check_quotients(self, asked: Sequence[Question], *, radius: float | None) -> None:
        """Only the gateway knows of which groups nothing can be said, and its price refuses."""
        plain = {each.digest for each in asked}
        for each in asked:
            if isinstance(each.form, Given) and drawn_for([each])[0].digest not in plain:
                self.data.price(each.text, radius=radius)

    def check_function(self) -> None:
        """Refused: functions run where the rows are, and a gateway runs nobody's."""
        raise no_functions()

    def certificate(self, settled: Settled) -> Certificate:
        return self.rebuilding().certificate(settled)

    def rebuilding(self, replies: Sequence[Json] = ()) -> "Rebuilding":
        """What makes answers of replies: under the promise that they name, which may be news."""
        self._stale = True
        marks = {each.get("promise") for each in replies if isinstance(each, dict)}
        known = marks <= {self.promise.mark}
        return Rebuilding(self._data, self.promise if known else self._refreshed())

    def _refreshed(self) -> Promise:
        """The promise as of now: overrides may have come, but no other ledger."""
        newer = self.data.promise()
        if newer.session != self.promise.session:
            raise another_ledger(self.promise.place)
        self.promise = newer
        return newer

    def history(self, analyst: str | None) -> History:
        """The answers in the order of the ledger, certified here, each verified by its receipt.

        Gateways tell analysts which answers are their own, and only custodians whose others are.
        """
        data, promise = self.data, self._refreshed()
        if analyst not in (None, promise.analyst) and not promise.custodian:
            raise NotAllowed(problem="only custodians are told what others asked")
        with understood(promise.place, version=promise.version):
            recorded: dict[str, Settled] = {
                str(each["digest"]): settled_from_body(
                    {**each["record"], "analyst": each["analyst"] or ""}
                )
                for each in data.answers()
            }
            digests = {id(each): digest for digest, each in recorded.items()}
            rebuilding = Rebuilding(data, promise)

            def certificate(settled: Settled) -> Certificate:
                return rebuilding.certificate(settled, digest=digests[id(settled)])

            recall = Recall(
                place=promise.place,
                schema=promise.schema,
                certificate=certificate,
                rows=promise.plan.rows,
            )
            return recall.history(recorded, analyst=analyst)

    # Prices: only the gateway knows what was answered.

    def new_draws(self, drawn: Sequence[Question]) -> int:
        different = {each.digest: each for each in drawn}
        return sum(self._known_price(each) is None for each in different.values())

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
        if self.plan.mechanism.guesses or guess is not None or tolerance is not None:
            terms = _numbers({"guess": guess, "tolerance": tolerance, "radius": radius})
            said = self.data.price(asked.text, **terms)
            if isinstance(asked.form, Given):
                return checked_quotient(self.promise, said)
            scale = guessable(asked, self.plan.mechanism, guess=guess).span.width
            return checked_price(self.promise, said, scale=scale)
        # Only where questions grow dearer does it matter how many came before.
        grows, past = self.plan.mechanism.open_ended, self.plan.nothing_asked
        if grows:
            past = self.look().past
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
        return within_told(self.promise, found, self.data.price(asked.text, **terms))

    def price_of_choice(self, ask: Ask) -> Price:
        draw, scale = self.offer(ask), ask.what.span.width
        said = self.data.price_of_best(ask.what.message())
        if self.plan.mechanism.guesses:  # only the gateway knows the past
            return checked_price(self.promise, said, scale=scale)
        found = known_price(self.promise, said) or Price.of(draw, self.plan)
        return told_as(found, self.plan, scale=scale)

    def _known_price(self, asked: Question) -> Price | None:
        """That of a question that somebody has asked: only the gateway knows."""
        return known_price(self.promise, self.data.price(asked.text))


_ASK = "ask"


def _said(ask: Ask) -> dict[str, float]:
    """What was said with an ask, as numbers that travel; what is none is refused."""
    said = _numbers({name: getattr(ask, name) for name in ("radius", "loss", "guess", "tolerance")})
    found = {name: value for name, value in said.items() if value is not None}
    if ask.trained_on is not None:
        found["trained_on"] = check.positive_integer(trained_on=ask.trained_on)
    return found


def _numbers(said: Mapping[str, object]) -> dict[str, float | None]:
    """Numbers as they travel; what is none is refused."""
    return {
        name: None if value is None else float(check.exact_number(**{name: value}))
        for name, value in said.items()
    }


@final
class Rebuilding:
    """Makes answers of replies, under the promise that they were given."""

    def __init__(self, data: RemoteData, promise: Promise) -> None:
        self._data = data
        self._promise = promise

    def answer(self, ask: Ask, reply: Json) -> Reply:
        """The answer to what was asked, as its record says; it must be what the gateway says."""
        what = ask.what
        with self._understood():
            found = what.answer(self._replies(what.digest, reply))
            whole: Reply | AnyAnswer = found
            if len(what.questions) == 1:  # cells are told as what holds within them
                (whole,) = told(what.questions, [found])
            _compare(whole.to_dict(), reply)
            return found

    def certificate(self, settled: Settled, *, digest: str = "") -> Certificate:
        """What an answer is certified to, to be verified by its receipt."""
        promise, overrides = self._promise, len(self._promise.overrides)
        draw, failed = Reading.of(settled, rows=promise.plan.rows).outcome
        origin = FromGateway(
            data=self._data,
            digest=digest,
            draw=draw,
            failed=failed,
            overrides=overrides,
            session=promise.session,
        )
        found = promise.certificate(draw, failed=failed, overrides=overrides)
        return replace(found, derivation=origin)

    def _replies(self, digest: str, reply: Json) -> RecordedReplies:
        """What a session would say, of whose ledger only this record is known."""
        (record,) = reply["records"]
        if record["digest"] != digest:
            raise ValueError("the answer to another question")
        settled: Settled = settled_from_body({**record, "analyst": ""})
        plan = self._promise.plan
        cost = charge_in(plan.budget.unit, Fraction(record["cost"]))
        if not record["drawn"] and cost.amount:
            raise ValueError("a cost for nothing new")
        return RecordedReplies(
            settled={digest: settled},
            paid={digest: cost} if record["drawn"] else {},
            certificate=lambda known: self.certificate(known, digest=digest),
            unit=plan.budget,
            remaining=int(reply["remaining"]),
            place=self._promise.place,
            rows=plan.rows,
        )

    def _understood(self) -> AbstractContextManager[None]:
        return understood(self._promise.place, version=self._promise.version)


def _compare(ours: Mapping[str, object], theirs: Json) -> None:
    """Refuse a reply that says anything else than the answer rebuilt from its record."""
    for name, value in ours.items():
        if not _same(value, theirs[name]):
            if name == "radius":
                raise CertificateMismatch(claimed=theirs[name], recomputed=cast(float, value))
            raise ValueError(f"its {name} does not follow from its record")


def _same(ours: object, theirs: Json) -> bool:
    match ours:
        case dict():
            return all(_same(value, theirs[name]) for name, value in ours.items())
        case list() | tuple():
            return len(ours) == len(theirs) and all(map(_same, ours, theirs))
        case float() if not isfinite(ours):
            return theirs is None
        case _:
            return bool(ours == theirs)


def checked_price(promise: Promise, said: Json, *, scale: Fraction) -> Price:
    """The price of a guess, with the certificate that it has if it passes, or of a choice.

    Its answer is on so wide a scale.
    """
    found = known_price(promise, said)
    plan = promise.plan
    with understood(promise.place, version=promise.version):
        if found is None:
            draw = promise.drawn(said["terms"])
            overrides = len(promise.overrides)
            found = Price(
                draw=draw,
                certificate=promise.certificate(draw, failed=False, overrides=overrides),
                cost=charge_in(plan.budget.unit, Fraction(said["cost"])),
                draws=int(said["draws"]),
                questions=Fraction(1),
            )
        return told_as(found, plan, scale=scale)


def within_told(promise: Promise, price: Price, said: Json) -> Price:
    """The price of a question within groups, with the width that the gateway tells.

    It depends on what was answered before about the group, and only the gateway knows that.
    """
    with understood(promise.place, version=promise.version):
        least, most = float(said["least"]), float(said["radius"])
        if not 0 <= least <= most < inf:
            raise ValueError("no width")
        told = Width(least=least, most=most, words=visible(str(said["width"])))
        return replace(price, told=told)


def checked_quotient(promise: Promise, said: Json) -> Price:
    """The price of a quotient of two guesses: what the gateway says of both."""
    found = checked_price(promise, said, scale=Fraction(1))
    with understood(promise.place, version=promise.version):
        found = replace(found, questions=Fraction(said["questions"]))
    return within_told(promise, found, said)


def known_price(promise: Promise, said: Json) -> Price | None:
    """The price of what was answered before, with the certificate that its answer has."""
    with understood(promise.place, version=promise.version):
        if not said["known"]:
            return None
        draw, failed = promise.drawn(said["terms"]), bool(said["failed"])
        certificate = promise.certificate(draw, failed=failed, overrides=len(promise.overrides))
        return Price.recorded(draw, certificate, failed=failed)


@final
@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class FromGateway:
    """The certificate of an answer, by its receipt and the promise of its data set.

    The gateway replays its ledger for a receipt; the theorems are those of this process.
    """

    data: RemoteData
    digest: str  # empty where no answer is known
    draw: Draw
    failed: bool
    overrides: int  # so many are named; later ones are not about this answer
    session: Hashable

    def again(self) -> Certificate:
        """Fetch the promise and the receipt, and certify by the theorems of today."""
        promise = self.data.promise()
        if promise.session != self.session:
            raise another_ledger(promise.place)
        if not self.digest:
            return promise.certificate(self.draw, failed=self.failed, overrides=self.overrides)
        receipt = self.data.receipt(self.digest)
        with understood(promise.place, version=promise.version):
            draw, failed = promise.drawn(receipt["terms"]), bool(receipt["failed"])
            found = promise.certificate(draw, failed=failed, overrides=self.overrides)
            said = float(receipt["certificate"]["radius"])
            if said != found.radius:
                raise CertificateMismatch(claimed=said, recomputed=found.radius)
        return found


def another_ledger(place: str) -> GatewayUnavailable:
    return GatewayUnavailable(
        problem=f"{place} has another ledger than when this session began",
        hint="connect again, and do not mix its answers with those of before",
    )
