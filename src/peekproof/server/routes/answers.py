"""Routes that answer questions: the only ones that are charged.

Questions of one analyst that came at the same time are asked as one batch of their session. Each
gets what it would have got alone. A batch is charged or refused as a whole, so it is made only
where that cannot matter: of plain shares and means, whose price does not depend on who else asks,
and of no more than the budget is sure to have room for. If it is refused all the same, for other
workers charge too, its questions are asked one by one.
"""

from collections.abc import Sequence
from functools import partial

from msgspec import Struct
from starlette.responses import Response

from peekproof.core.errors import InvalidInput, PeekproofError, Refusal
from peekproof.mechanisms.base import Ask
from peekproof.query.candidates import parse_candidates
from peekproof.query.form import Given, Grouped, Mean, Share
from peekproof.query.question import Question, parse_question
from peekproof.server import messages
from peekproof.server.endpoint import DATASET, LINES, Call, Endpoint, as_json
from peekproof.server.reading import read_all
from peekproof.server.replies import Chosen, Reply, Replying
from peekproof.server.stream import streamed
from peekproof.session.queries import AnyAnswer, InWords, told
from peekproof.session.session import Session

_LONGEST = 500  # characters; who writes more may take longer than others should wait
_ROOM = 8  # times its size must be left, for other workers have batches too

Outcome = Reply | Question


def may_gather(call: Call) -> bool:
    """Whether the question may go with others."""
    message = call.message
    own = (message.radius, message.loss, message.guess, message.tolerance, message.trained_on)
    text = message.question
    short = isinstance(text, str) and len(text) <= _LONGEST
    return short and call.dataset.gathers and all(each is None for each in own)


def asked_together(calls: Sequence[Call]) -> list[Outcome | Exception]:
    """The reply to each, or its error; or the question itself, if it is to be asked apart."""
    session = calls[0].session
    outcomes: list[Outcome | Exception] = [_read(call, session) for call in calls]
    plain = [
        (index, each)
        for index, each in enumerate(outcomes)
        if isinstance(each, Question) and isinstance(each.form, Share | Mean)
    ]
    answers = _answers(session, [question for _, question in plain])
    replying = Replying(session.ledger)
    for (index, question), found in zip(plain, answers, strict=True):
        if isinstance(found, Exception):
            outcomes[index] = found
        else:
            new = 0 if found.replayed else 1
            calls[index].noted.update(digests=[question.digest], new=new)
            outcomes[index] = replying.answer(question, found)
    return outcomes


def _read(call: Call, session: Session) -> Question | Exception:
    try:
        return parse_question(call.message.question, session.schema)
    except Exception as error:
        return error


def _answers(session: Session, asked: list[Question]) -> list[AnyAnswer | Exception]:
    found: list[AnyAnswer | Exception] = []
    while rest := asked[len(found) :]:
        size = 1
        if len(rest) > 1:
            size = max(1, min(len(rest), session.remaining // _ROOM))
        found += _one_batch(session, rest[:size])
    return found


def _one_batch(session: Session, asked: list[Question]) -> list[AnyAnswer | Exception]:
    try:
        return list(session.respond(asked))
    except (Refusal, InvalidInput) as error:
        if len(asked) == 1:
            return [error]
        return [found for each in asked for found in _one_batch(session, [each])]
    except PeekproofError as error:  # of the ledger, the data or the engine, and the same for all
        return [type(error)(**error.fields()) for _ in asked]
    except Exception as error:
        return [error for _ in asked]


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
    return _noted(call, session, [(asked, _answered(session, asked, message))])[0]


def _answered(session: Session, asked: Question, message: messages.Ask) -> AnyAnswer:
    (found,) = session.respond(
        [asked],
        radius=message.radius,
        loss=message.loss,
        guess=message.guess,
        tolerance=message.tolerance,
        trained_on=message.trained_on,
    )
    return found


def _histogram(call: Call) -> Reply:
    session, message = call.session, call.message
    asked = parse_question(message.question, session.schema)
    method = session.grouped if isinstance(asked.form, Grouped) else session.histogram
    found: AnyAnswer = method(asked, radius=message.radius)
    return _noted(call, session, [(asked, found)])[0]


def _batch(call: Call) -> Replies:
    session, message = call.session, call.message
    asked = list(read_all(message.questions, session.schema))
    # Told before it is charged: whoever leaves a stream early leaves its line in the log then.
    call.noted["digests"] = [each.digest for each in asked][:_LOGGED]
    if message.radii is None:
        found = session.respond(asked, radius=message.radius)
    else:
        found = told(asked, session.backend.answer(_each_within(asked, message)))
    answers = _noted(call, session, list(zip(asked, found, strict=True)))
    return Replies(answers=answers, remaining=session.remaining)


def _each_within(asked: Sequence[Question], message: messages.Batch) -> list[Ask]:
    """What is asked with a radius for each."""
    radii = message.radii or []
    if message.radius is not None or len(radii) != len(asked):
        raise InvalidInput(
            argument="radii",
            accepted="one for each question, without a radius for all",
            given=f"{len(radii):,} for {len(asked):,} questions"
            + ("" if message.radius is None else ", and a radius"),
        )
    if any(isinstance(each.form, Given) for each in asked):
        raise InvalidInput(
            argument="radii",
            accepted="for questions that are drawn by themselves",
            given="one about a group, which is two",
            hint="send a radius for all, or the two questions that it is the quotient of",
        )
    pairs = zip(asked, radii, strict=True)
    return [Ask(what=InWords(each), radius=own) for each, own in pairs]


def _best(call: Call) -> Chosen:
    session, message = call.session, call.message
    asked = parse_candidates(message.candidates, session.schema)
    found = session.best(asked.questions, loss=message.loss)
    call.noted.update(digests=[asked.digest], new=0 if found.replayed else 1)
    return Replying(session.ledger).choice(asked, found)


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
