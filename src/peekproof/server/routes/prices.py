"""Plans and prices: free, and known before anything is spent."""

from functools import partial
from typing import Annotated, Any

from msgspec import Meta, Struct
from starlette.responses import Response

from peekproof.core import check
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import level_up
from peekproof.mechanisms.plan import MOST_QUESTIONS, Price
from peekproof.query.candidates import parse_candidates
from peekproof.query.question import Question
from peekproof.server import messages
from peekproof.server.endpoint import DATASET, Call, Endpoint, as_json
from peekproof.server.reading import read_all
from peekproof.session.opening import new_plan
from peekproof.session.pricing import cost_of, drawn_prices, is_dear, new_among
from peekproof.session.session import Session


class Priced(Struct, kw_only=True, frozen=True):
    """What a question would cost; `known` if it was answered before and is free.

    `radius` is how far its interval would reach at most, in the units of the answer (for a
    quantile, in its level). Where more cannot be known before, as within a group whose share is
    not known or of a guess, `least` is the smallest bound that may turn out; else it equals
    `radius`. `width` says both in words, and on what they depend. `questions` is what it is worth
    in planned questions, and `affordable` how many like it fit into what is left. `terms` is how
    it would be drawn, if not as planned. Of what is known, `radius` and `terms` are those of the
    answer that there is, whatever was asked for.
    """

    question: str
    digest: str
    radius: float
    least: float
    width: str
    questions: float
    draws: int
    cost: str
    affordable: int
    known: bool
    theorems: list[str]
    terms: dict[str, str]
    failed: bool


class Prices(Struct, kw_only=True, frozen=True):
    """Prices in the order of the questions; a choice among candidates has one.

    `cost` is that of all of them together, in planned questions. Where it is `dear`, more than a
    few questions and more than one for each draw, whoever asks should agree to it first.
    """

    prices: list[Priced]
    remaining: int
    cost: float
    dear: bool


async def price(call: Call) -> Response:
    return as_json(await call.gateway.work.in_turn(call.known.analyst, partial(_prices, call)))


async def plan(call: Call) -> Response:
    session = call.session
    return as_json({**session.plan.to_dict(), "explained": session.plan.certificate.explain()})


async def what_if(call: Call) -> Response:
    return as_json(await call.gateway.work.in_turn(call.known.analyst, partial(_what_if, call)))


def _prices(call: Call) -> Prices:
    session, message = call.session, call.message
    if bool(message.questions) == bool(message.candidates):
        raise InvalidInput(
            argument="questions", accepted="given, or else candidates", given="both or neither"
        )
    limits = call.gateway.settings.limits
    if message.candidates:
        limits.check_number(candidates=message.candidates)
        said, chosen = _choice(session, message)
        told, drawn = [said], {said.digest: chosen}
    else:
        limits.check_number(questions=message.questions)
        asked = list(read_all(message.questions, session.schema))
        together = session.new_draws(asked)
        priced = partial(_priced, session, message, together)
        found = [(each, priced(each, message.radius)) for each in asked]
        told = [
            _said(session, price, question=each.text, digest=each.digest) for each, price in found
        ]
        drawn = drawn_prices(session.plan, found, radius=message.radius, price_of=priced)
    cost = cost_of(drawn)
    return Prices(
        prices=told,
        remaining=session.remaining,
        cost=level_up(cost),
        dear=is_dear(cost, draws=new_among(drawn)),
    )


def _priced(
    session: Session,
    message: messages.PriceOf,
    together: int,
    asked: Question,
    radius: float | None,
) -> Price:
    return session.price_of(
        asked,
        radius=radius,
        loss=message.loss,
        guess=message.guess,
        tolerance=message.tolerance,
        together=together,
    )


def _choice(session: Session, message: messages.PriceOf) -> tuple[Priced, Price]:
    asked = parse_candidates(message.candidates, session.schema)  # type: ignore[arg-type]
    found = session.price_of_best(asked.questions, loss=message.loss)
    return _said(session, found, question=asked.text, digest=asked.digest), found


def _said(session: Session, found: Price, *, question: str, digest: str) -> Priced:
    return Priced(
        question=question,
        digest=digest,
        radius=found.width.most,
        least=found.width.least,
        width=found.width.words,
        questions=level_up(found.questions),
        draws=found.draws,
        cost=str(found.cost.amount),
        affordable=found.affordable(session.remaining),
        known=found.known,
        theorems=list(found.certificate.theorems),
        terms=found.draw.described,
        failed=found.failed,
    )


class WhatIf(messages.Message, frozen=True):
    """A promise that a new ledger for as many rows could make."""

    questions: Annotated[int, Meta(ge=1, le=MOST_QUESTIONS)]
    confidence: Annotated[float, Meta(gt=0, lt=1)]


def _what_if(call: Call) -> dict[str, object]:
    message = call.message
    found = new_plan(
        call.dataset.table,
        confidence=check.probability(confidence=message.confidence),
        questions=check.positive_integer(questions=message.questions),
    )
    return {**found.to_dict(), "explained": found.certificate.explain()}


ENDPOINTS = (
    Endpoint(
        method="POST",
        path=f"{DATASET}/price",
        handler=price,
        summary="Say what questions would cost, and how wide their intervals would be. Free.",
        evened=True,
        takes=messages.PriceOf,
        gives=Prices,
    ),
    Endpoint(
        method="GET",
        path=f"{DATASET}/plan",
        handler=plan,
        summary="The promise of this data set, how it is kept, and why it holds.",
        gives=dict[str, Any],
    ),
    Endpoint(
        method="POST",
        path=f"{DATASET}/plan",
        handler=what_if,
        summary="What as many fresh rows could promise for another number of questions. Free.",
        takes=WhatIf,
        gives=dict[str, Any],
    ),
)
