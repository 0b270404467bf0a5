"""Attacks that a custodian runs to see the configuration withstand them. The data take no part."""

import asyncio
import threading
from functools import partial

from msgspec import Struct
from starlette.responses import Response

from peekproof.audit.analysts.catalogue import ANALYSTS
from peekproof.audit.analysts.protocol import Analyst
from peekproof.audit.fight import Outcome
from peekproof.core.errors import GatewayUnavailable
from peekproof.core.numerics import level_down
from peekproof.server import messages
from peekproof.server.attacks import Both, Copy, Listener, does, run
from peekproof.server.endpoint import LINES, Call, Endpoint, as_json
from peekproof.server.stream import followed


class Method(Struct, kw_only=True, frozen=True):
    """An attack: what it does, how far it forces exact answers, and who described it."""

    name: str
    does: str
    forces: str
    after: str


class Claim(Struct, kw_only=True, frozen=True):
    """What was claimed about the question that the attack aims at, and the truth."""

    value: float
    low: float
    high: float
    truth: float
    error: float
    holds: bool


class Side(Struct, kw_only=True, frozen=True):
    """How one way to answer fared; `refusal` says why it would not begin, `claim` may be null."""

    mechanism: str
    certified: bool
    claim: Claim | None
    asked: int
    answered: int
    missed: int
    widest: float
    applies: bool
    refusal: str


class Attacked(Struct, kw_only=True, frozen=True):
    """An attack that asks up to so many questions, on a copy of these sizes.

    `held_rows` and `held_questions` are the sizes of what is copied.
    """

    attack: str
    does: str
    seed: int
    asks: int
    rows: int
    questions: int
    held_rows: int
    held_questions: int
    confidence: float
    predicted: float
    plain: Side
    ours: Side


_turn = threading.Lock()  # one attack at a time in a worker, which is a process


async def attacks(_: Call) -> Response:
    listed = [
        Method(name=name, does=does(name), forces=kind.FORMULA, after=kind.SOURCE)
        for name, kind in ANALYSTS.items()
    ]
    return as_json(listed)


async def attack(call: Call) -> Response:
    """At once, or as a stream of lines if that is what the client accepts."""
    copy = Copy.of(call.dataset.session.plan, attack=call.message.attack, seed=call.message.seed)
    told = partial(_told, call, copy, copy.analyst)
    call.noted.update(attack=copy.attack, seed=copy.seed)
    begin = partial(_alone, copy)
    if LINES in call.request.headers.get("accept", ""):
        return await followed(call, begin, lambda both: [{"event": "end", "attacked": told(both)}])
    return as_json(told(await begin(lambda _, __: None)))


async def _alone(copy: Copy, told: Listener) -> Both:
    """In a thread of its own: those that answer questions must not wait for an attack."""
    if not _turn.acquire(blocking=False):
        raise GatewayUnavailable(
            problem="another attack is running", hint="try again when it is done"
        )
    return await asyncio.to_thread(_then_next, copy, told)


def _then_next(copy: Copy, told: Listener) -> Both:
    try:
        return run(copy, told)
    finally:
        _turn.release()


def _told(call: Call, copy: Copy, analyst: Analyst, both: Both) -> Attacked:
    plan = call.dataset.session.plan
    plain, ours = both
    return Attacked(
        attack=copy.attack,
        does=does(copy.attack),
        seed=copy.seed,
        asks=analyst.questions,
        rows=copy.rows,
        questions=copy.questions,
        held_rows=plan.rows,
        held_questions=plan.target.questions,
        confidence=level_down(copy.confidence),
        predicted=analyst.predicted,
        plain=_side(plain),
        ours=_side(ours),
    )


def _side(outcome: Outcome) -> Side:
    last = outcome.decisive
    claim = last and Claim(
        value=last.value,
        low=last.low,
        high=last.high,
        truth=last.truth,
        error=last.error,
        holds=last.holds,
    )
    return Side(
        mechanism=outcome.mechanism,
        certified=outcome.certified,
        claim=claim,
        asked=outcome.asked,
        answered=outcome.answered,
        missed=outcome.missed,
        widest=outcome.widest,
        applies=outcome.applies,
        refusal=outcome.refusal,
    )


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/v1/attacks",
        handler=attacks,
        summary="The attacks that can be run against a copy of a configuration.",
        custodian=True,
        gives=list[Method],
    ),
    Endpoint(
        method="POST",
        path="/v1/datasets/{dataset}/attacks",
        handler=attack,
        summary=(
            "Run an attack on made-up rows with the configuration of the data set, whose own rows "
            "and ledger take no part. With Accept: application/x-ndjson progress is streamed."
        ),
        custodian=True,
        takes=messages.Attack,
        streams=True,
        gives=Attacked,
    ),
)
