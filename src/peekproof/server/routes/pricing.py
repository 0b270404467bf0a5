"""Plans and prices: free, and known before anything is spent."""

from functools import partial
from typing import Annotated, Any

from msgspec import Meta, Struct
from starlette.responses import Response

from peekproof.core import check
from peekproof.core.charge import amount_of
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import level_up
from peekproof.planner.own import Price
from peekproof.planner.plan import MOST_QUESTIONS
from peekproof.query.candidates import parse_candidates
from peekproof.query.form import Quantile
from peekproof.query.question import Question
from peekproof.server import messages
from peekproof.server.call import Call
from peekproof.server.endpoint import DATASET, Endpoint, as_json
from peekproof.server.reading import read_all
from peekproof.session.opening import new_plan
from peekproof.session.session import Session


class Priced(Struct, kw_only=True, frozen=True):
    """What a question would cost; `known` if it was answered before and is free.

    `radius` is how far its interval would reach, in the units of the answer (for a quantile, in
    its level); `questions` is what it is worth in planned questions, and `affordable` how many
    such ones fit into what is left. `terms` is how it would be drawn, if not as planned. Of what
    is known, `radius` and `terms` are those of the answer that there is, whatever was asked for.
    """

    question: str
    digest: str
    radius: float
    questions: float
    draws: int
    cost: str
    affordable: int
    known: bool
    theorems: list[str]
    terms: dict[str, str]


class Prices(Struct, kw_only=True, frozen=True):
    """Prices in the order of the questions; a choice among candidates has one."""

    prices: list[Priced]
    remaining: int


async def price(call: Call) -> Response:
    return as_json(await call.gateway.work.do(partial(_prices, call)))


async def plan(call: Call) -> Response:
    session = call.session
    return as_json({**session.plan.to_dict(), "explained": session.plan.certificate.explain()})


async def what_if(call: Call) -> Response:
    return as_json(await call.gateway.work.do(partial(_what_if, call)))


def _prices(call: Call) -> Prices:
    session, message = call.session, call.message
    if bool(message.questions) == bool(message.candidates):
        raise InvalidInput(
            argument="questions", accepted="given, or else candidates", given="both or neither"
        )
    if message.candidates:
        found = [_choice(session, message)]
    else:
        most, size = call.gateway.settings.limits.questions, len(message.questions)
        if size > most:
            raise InvalidInput(
                argument="questions", accepted=f"at most {most:,}", given=f"{size:,}"
            )
        asked = read_all(message.questions, session.schema)
        found = [_priced(session, message, each, size) for each in asked]
    return Prices(prices=found, remaining=session.remaining)


def _priced(session: Session, message: messages.PriceOf, asked: Question, together: int) -> Priced:
    found = session.price_of(
        asked.text,
        radius=message.radius,
        loss=message.loss,
        guess=message.guess,
        tolerance=message.tolerance,
        together=together,
    )
    return _said(
        session,
        found,
        question=asked.text,
        digest=asked.digest,
        radius=found.reach(_width(asked)),
    )


def _choice(session: Session, message: messages.PriceOf) -> Priced:
    asked = parse_candidates(message.candidates, session.schema)  # type: ignore[arg-type]
    texts = [each.text for each in asked.questions]
    found = session.price_of_best(texts, loss=message.loss)
    low, high = asked.span
    return _said(
        session,
        found,
        question=asked.text,
        digest=asked.digest,
        radius=found.reach(high - low),
    )


def _said(session: Session, found: Price, *, question: str, digest: str, radius: float) -> Priced:
    return Priced(
        question=question,
        digest=digest,
        radius=radius,
        questions=level_up(found.questions),
        draws=found.offer.draws,
        cost=str(amount_of(found.offer.cost)),
        affordable=found.affordable(session.remaining),
        known=found.known,
        theorems=list(found.certificate.theorems),
        terms=dict(found.offer.terms),
    )


def _width(asked: Question) -> float:
    """Of the scale of the answer; a quantile's radius is one of levels."""
    if isinstance(asked.form, Quantile):
        return 1.0
    low, high = asked.form.span
    return high - low


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
