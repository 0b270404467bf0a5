"""Looking: data sets, budgets, and all that was answered. Free."""

from dataclasses import asdict, replace
from functools import partial
from typing import Any

from msgspec import Struct
from starlette.responses import Response

from peekproof import __version__
from peekproof.core.charge import used_part
from peekproof.core.errors import NotServed
from peekproof.core.numerics import level_down
from peekproof.core.secret import shown
from peekproof.ledger.entry import settled_to_body
from peekproof.server.dataset import Served
from peekproof.server.endpoint import DATASET, Call, Endpoint, as_json
from peekproof.server.replies import found_of, promise_of
from peekproof.server.routes.scores import Scored, scored_on
from peekproof.session.receipt import receipt as receipt_of
from peekproof.session.session import Session


class Summary(Struct, kw_only=True, frozen=True):
    """A data set in one line. `holdout` is there if predictions can be scored on it.

    `radius` is how far the intervals of shares reach at most, as planned; a price tells it for a
    question. It is null where each guess has a tolerance of its own.
    """

    name: str
    about: str
    rows: int
    confidence: float
    questions: int
    radius: float | None
    mechanism: str
    remaining: int
    closed: bool
    holdout: Scored | None


class Column(Struct, kw_only=True, frozen=True):
    """A column, how it takes part in questions, and its values if they are declared."""

    name: str
    kind: str
    categories: list[str] | None = None
    complete: bool = False


class Described(Summary, frozen=True):
    """A data set, its columns, who you are, and the promise that certificates are computed from."""

    columns: list[Column]
    promised: str
    checks_guesses: bool
    opening: dict[str, Any]
    overrides: list[dict[str, Any]]
    promise: str
    analyst: str
    custodian: bool
    version: str


class Budget(Struct, kw_only=True, frozen=True):
    """What is spent and left. `remaining` is for you, `remaining_for_all` without shares.

    `radius` is that of the data set. `next_radius` is how far the interval of the next share
    reaches at most, null where it depends on its guess; `next_width` says it in words. `values`,
    in hexadecimal, is among how many things all that was told chose together.
    """

    questions: int
    asked: int
    remaining: int
    remaining_for_all: int
    remaining_rounds: int | None
    failures: int | None
    share: str | None
    confidence: float
    radius: float | None
    next_radius: float | None
    next_width: str
    unit: str
    budget: str
    spent: str
    spent_part: float
    values: str
    closed: bool


class Moment(Struct, kw_only=True, frozen=True):
    """After a charge: its entry, its time, questions so far, and the part of the budget spent."""

    entry: int
    at: str
    draws: int
    spent_part: float


class Past(Struct, kw_only=True, frozen=True):
    """An answer of before. `analyst` is told to custodians, and of your own to you."""

    number: int
    digest: str
    at: str
    analyst: str | None
    draws: int
    question: str
    found: dict[str, Any]
    record: dict[str, Any]


class Answers(Struct, kw_only=True, frozen=True):
    """A page of the answers so far, oldest first, and how many there are in all."""

    answers: list[Past]
    total: int


async def datasets(call: Call) -> Response:
    allowed = [each for each in call.gateway.served.values() if call.known.token.allows(each.name)]
    analyst = call.known.analyst

    def task() -> list[Summary]:
        return [Summary(**_summary(each, each.as_analyst(analyst))) for each in allowed]

    return as_json(await call.gateway.work.do(task))


async def dataset(call: Call) -> Response:
    return as_json(await call.gateway.work.do(partial(_described, call)))


async def budget(call: Call) -> Response:
    return as_json(await call.gateway.work.do(partial(_budget, call)))


async def spending(call: Call) -> Response:
    most = max(2, call.number("points", default=200, most=2000))
    found = await call.gateway.work.do(partial(call.dataset.timeline.moments, most))
    return as_json([Moment(**asdict(each)) for each in found])


async def answers(call: Call) -> Response:
    after = call.number("after", default=0, most=10**10)
    most = call.number("limit", default=100, most=1000)
    return as_json(await call.gateway.work.do(partial(_answers, call, after, most)))


async def receipt(call: Call) -> Response:
    return as_json(await call.gateway.work.do(partial(_receipt, call)))


def _summary(served: Served, session: Session) -> dict[str, Any]:
    plan = session.plan
    return {
        "name": served.name,
        "about": served.about,
        "rows": plan.rows,
        "confidence": level_down(plan.target.confidence),
        "questions": plan.target.questions,
        "radius": plan.mechanism.planned_radius(plan.radius),
        "mechanism": plan.mechanism.kind,
        "remaining": session.remaining,
        "closed": session.ledger.seen.closed,
        "holdout": scored_on(served),
    }


def _described(call: Call) -> Described:
    session, schema = call.session, call.session.schema
    columns = []
    for name, kind in schema.columns.items():
        values = schema.categories.get(name)
        listed = None if values is None else list(values)
        columns.append(
            Column(
                name=name,
                kind=kind.value,
                categories=listed,
                complete=name in schema.complete,
            )
        )
    return Described(
        **_summary(call.dataset, session),
        columns=columns,
        promised=session.promised,
        checks_guesses=session.plan.mechanism.guesses,
        opening=session.ledger.opening.public.to_body(),
        overrides=[{"reason": each["reason"]} for each in session.ledger.overrides],
        promise=promise_of(session.ledger),
        analyst=call.known.analyst,
        custodian=call.known.custodian,
        version=__version__,
    )


def _budget(call: Call) -> Budget:
    session = call.session
    plan, mine, everyone = session.plan, session.remaining, call.dataset.session
    seen = session.ledger.seen
    shares, checks = seen.accounts.shares, plan.mechanism.guesses
    coming = session.next_width
    return Budget(
        questions=plan.target.questions,
        asked=seen.draws,
        remaining=mine,
        remaining_for_all=everyone.remaining_for_all,
        remaining_rounds=session.remaining_rounds,
        failures=session.failures if checks else None,
        share=str(seen.accounts.share_of(session.analyst)) if shares else None,
        confidence=level_down(plan.target.confidence),
        radius=plan.mechanism.planned_radius(plan.radius),
        next_radius=None if checks else coming.most,
        next_width=coming.words,
        unit=plan.budget.unit,
        budget=str(plan.budget.amount),
        spent=str(seen.spent.amount),
        spent_part=used_part(seen.spent, plan.budget),
        values=hex(session.past.values),
        closed=seen.closed,
    )


def _answers(call: Call, after: int, most: int) -> Answers:
    session = call.session
    total, places = call.dataset.timeline.places(after=after, most=most)
    settled = session.ledger.look().answers
    recall = session.recall
    listed = []
    for number, place in enumerate(places, start=after + 1):
        each = settled[place.digest]
        told = call.known.custodian or each.analyst == call.known.analyst
        body = settled_to_body(each)
        body["terms"] = shown(body["terms"])
        del body["analyst"]
        listed.append(
            Past(
                number=number,
                digest=place.digest,
                at=place.at,
                analyst=each.analyst if told else None,
                draws=place.draws,
                question=each.text,
                found=found_of(recall.recorded(number, place.digest, each).found),
                record=body,
            )
        )
    return Answers(answers=listed, total=total)


def _receipt(call: Call) -> dict[str, object]:
    session, digest = call.session, str(call.request.path_params["digest"])
    if digest not in session.ledger.look().answers:
        raise NotServed(what="an answer with this digest", listed="…/answers")
    found = receipt_of(session.ledger, digest)
    told = found.to_dict()
    del told["ledger"]
    told["terms"], told["failed"] = dict(found.terms), found.failed
    if call.known.custodian or found.analyst == call.known.analyst:
        # Where the ledger lies is the custodian's business.
        return {**told, "text": replace(found, place=call.dataset.name).text()}
    del told["analyst"]  # it stands in the text, too
    return told


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/v1/datasets",
        handler=datasets,
        summary="The data sets that your token is for.",
        gives=list[Summary],
    ),
    Endpoint(
        method="GET",
        path=DATASET,
        handler=dataset,
        summary="A data set: columns, promise, and what certificates are computed from.",
        gives=Described,
    ),
    Endpoint(
        method="GET",
        path=f"{DATASET}/budget",
        handler=budget,
        summary="What is spent, what is left for you, and how wide the next interval will be.",
        gives=Budget,
    ),
    Endpoint(
        method="GET",
        path=f"{DATASET}/spending",
        handler=spending,
        summary="How the budget was spent over time.",
        gives=list[Moment],
        query=(("points", "at most so many moments"),),
    ),
    Endpoint(
        method="GET",
        path=f"{DATASET}/answers",
        handler=answers,
        summary="All answers so far, whoever asked. Free.",
        gives=Answers,
        query=(("after", "skip so many"), ("limit", "at most so many")),
    ),
    Endpoint(
        method="GET",
        path=f"{DATASET}/answers/{{digest}}",
        handler=receipt,
        summary="The receipt of an answer: its entries, its price, and why its interval holds.",
        gives=dict[str, Any],
    ),
)
