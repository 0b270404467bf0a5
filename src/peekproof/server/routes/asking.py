"""Asking: the only routes that are charged."""

from functools import partial

from msgspec import Struct
from starlette.responses import Response

from peekproof.core.errors import InvalidInput
from peekproof.query.candidates import parse_candidates
from peekproof.query.form import Grouped, Quantile
from peekproof.query.question import Question, parse_question
from peekproof.server import messages
from peekproof.server.call import Call
from peekproof.server.endpoint import DATASET, LINES, Endpoint, as_json
from peekproof.server.reading import read_all
from peekproof.server.replies import Chosen, Reply, Replying
from peekproof.server.stream import streamed
from peekproof.server.together import asked_together, may_gather
from peekproof.session.quotients import AnyAnswer, drawn_for
from peekproof.session.session import Session

_LOGGED = 100  # digests of one request


class Replies(Struct, kw_only=True, frozen=True):
    """The replies to a batch, in its order."""

    answers: list[Reply]
    remaining: int


async def ask(call: Call) -> Response:
    """With others that wait, or by itself."""
    gateway, apart = call.gateway, None
    if may_gather(call):
        line = call.dataset.name, call.known.analyst
        found = await gateway.gathering.do(line, call, asked_together)
        if not isinstance(found, Question):
            return as_json(found)
        apart = found
    return as_json(await gateway.work.do(partial(_asked, call, apart)))


async def histogram(call: Call) -> Response:
    return as_json(await call.gateway.work.do(partial(_histogram, call)))


async def best(call: Call) -> Response:
    call.gateway.settings.limits.check_number(candidates=call.message.candidates)
    return as_json(await call.gateway.work.do(partial(_best, call)))


async def batch(call: Call) -> Response:
    """All at once, or as a stream of lines if that is what the client accepts."""
    call.gateway.settings.limits.check_number(questions=call.message.questions)
    task = partial(_batch, call)
    if LINES in call.request.headers.get("accept", ""):
        return await streamed(call, task, _lines)
    return as_json(await call.gateway.work.do(task))


def _asked(call: Call, read: Question | None) -> Reply:
    session, message = call.session, call.message
    asked = read or parse_question(message.question, session.schema)
    with call.dataset.flight.of(_drawn([asked])):
        return _noted(call, session, [(asked, _answered(session, asked, message))])[0]


def _answered(session: Session, asked: Question, message: messages.Ask) -> AnyAnswer:
    if isinstance(asked.form, Quantile):
        if message.radius is not None:
            accepted = "left out for quantiles, whose loss says how far they may be off"
            raise InvalidInput(argument="radius", accepted=accepted, given=repr(message.radius))
        return session.quantile(asked, loss=message.loss)
    if message.loss is not None:
        raise InvalidInput(argument="loss", accepted="for quantiles", given=repr(message.loss))
    if any(each is not None for each in (message.guess, message.tolerance, message.trained_on)):
        return session.ask(
            asked,
            radius=message.radius,
            guess=message.guess,
            tolerance=message.tolerance,
            trained_on=message.trained_on,
        )
    return session.respond([asked], radius=message.radius)[0]


def _histogram(call: Call) -> Reply:
    session, message = call.session, call.message
    asked = parse_question(message.question, session.schema)
    method = session.grouped if isinstance(asked.form, Grouped) else session.histogram
    with call.dataset.flight.of(_drawn([asked])):
        found: AnyAnswer = method(asked, radius=message.radius)
    return _noted(call, session, [(asked, found)])[0]


def _batch(call: Call) -> Replies:
    session, message = call.session, call.message
    asked = list(read_all(message.questions, session.schema))
    # Told before it is charged: whoever leaves a stream early leaves its line in the log then.
    call.noted["digests"] = [each.digest for each in asked][:_LOGGED]
    with call.dataset.flight.of(_drawn(asked)):
        found = session.respond(asked, radius=message.radius)
    answers = _noted(call, session, list(zip(asked, found, strict=True)))
    return Replies(answers=answers, remaining=session.remaining)


def _best(call: Call) -> Chosen:
    session, message = call.session, call.message
    asked = parse_candidates(message.candidates, session.schema)
    with call.dataset.flight.of([asked.digest]):
        found = session.best(asked.questions, loss=message.loss)
    call.noted.update(digests=[asked.digest], new=0 if found.replayed else 1)
    return Replying(session.ledger).choice(asked, found)


def _drawn(asked: list[Question]) -> list[str]:
    return [each.digest for each in drawn_for(asked)]


def _noted(call: Call, session: Session, answers: list[tuple[Question, AnyAnswer]]) -> list[Reply]:
    call.noted.update(
        digests=[asked.digest for asked, _ in answers][:_LOGGED],
        new=sum(not found.replayed for _, found in answers),
    )
    replying = Replying(session.ledger)
    return [replying.answer(asked, found) for asked, found in answers]


def _lines(found: Replies) -> list[object]:
    """The lines that end a stream."""
    listed: list[object] = [
        {"event": "answer", "index": index, "answer": each}
        for index, each in enumerate(found.answers)
    ]
    return [*listed, {"event": "end", "remaining": found.remaining}]


ENDPOINTS = (
    Endpoint(
        method="POST",
        path=f"{DATASET}/ask",
        handler=ask,
        summary="Ask one question of any form. A question that was answered before is free.",
        spends=True,
        takes=messages.Ask,
        gives=Reply,
    ),
    Endpoint(
        method="POST",
        path=f"{DATASET}/batch",
        handler=batch,
        summary=(
            "Ask many questions, charged together or not at all. With Accept: "
            "application/x-ndjson the reply is a stream of progress and answers, one a line."
        ),
        spends=True,
        takes=messages.Batch,
        streams=True,
        gives=Replies,
    ),
    Endpoint(
        method="POST",
        path=f"{DATASET}/histogram",
        handler=histogram,
        summary="Ask for a histogram, or for shares or means by cells, in one draw.",
        spends=True,
        takes=messages.Histogram,
        gives=Reply,
    ),
    Endpoint(
        method="POST",
        path=f"{DATASET}/best",
        handler=best,
        summary="Choose the candidate with the largest share or mean.",
        spends=True,
        takes=messages.Best,
        gives=Chosen,
    ),
)
