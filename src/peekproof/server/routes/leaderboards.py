"""Leaderboards: standings for all, entries for teams, the close for custodians."""

from functools import partial
from typing import Annotated, Any

from msgspec import Meta
from starlette.responses import Response

from peekproof.core.errors import InvalidInput, NotServed
from peekproof.learn.board.export import export_text
from peekproof.learn.board.submission import Entry
from peekproof.learn.label_file import id_text
from peekproof.server import messages
from peekproof.server.board_replies import (
    BoardEntry,
    BoardFinal,
    BoardIds,
    BoardStanding,
    BoardSummary,
    entry_of,
    final_of,
    standing_of,
    summary_of,
)
from peekproof.server.endpoint import BOARD, JSON, Call, Endpoint, as_json
from peekproof.server.messages import Message


class Submission(Message, frozen=True):
    """A prediction for each id of a board, and what the team's own validation says of them."""

    ids: list[messages.Id]
    values: list[float | bool | Annotated[str, Meta(max_length=1000)]]
    name: Annotated[str, Meta(max_length=100)] = ""
    declared: Annotated[float, Meta(ge=0, le=1)] | None = None
    trained_on: Annotated[int, Meta(ge=1, le=10**15)] | None = None


class BoardChoice(Message, frozen=True):
    """The number of the entry that goes to the final."""

    entry: Annotated[int, Meta(ge=1, le=10**12)]


async def listed(call: Call) -> Response:
    boards = call.gateway.boards

    def task() -> list[BoardSummary]:
        return [summary_of(name, boards[name]) for name in boards if call.known.token.allows(name)]

    return as_json(await call.gateway.work.do(task))


async def show(call: Call) -> Response:
    """The standings; what concerns a team is told to that team alone."""
    task = partial(standing_of, call.about, call.contest, call.known.analyst)
    return as_json(await call.gateway.work.do(task))


async def ids(call: Call) -> Response:
    return as_json(await call.gateway.work.do(lambda: BoardIds(ids=call.contest.ids)))


async def submit(call: Call) -> Response:
    """Score a submission; the team is who sent it."""
    message: Submission = call.message
    if len(message.ids) != len(message.values):
        raise InvalidInput(
            argument="values",
            accepted=f"one for each of the {len(message.ids):,} ids",
            given=f"{len(message.values):,}",
        )
    entry = await call.gateway.work.do(partial(_submitted, call, message))
    call.noted.update(entry=entry.number)
    return as_json(entry_of(entry))


async def choose(call: Call) -> Response:
    task = partial(call.contest.choose, call.known.analyst, call.message.entry)
    chosen = await call.gateway.work.do(task)
    call.noted.update(entry=chosen.number)
    return as_json(entry_of(chosen))


async def close(call: Call) -> Response:
    """Close the board for good, if the custodian writes its name."""
    name = call.about
    if call.message.confirm != name:
        raise InvalidInput(
            argument="confirm",
            accepted=f"the name of the board, {name}",
            given=repr(call.message.confirm)[:80],
        )
    return as_json(final_of(await call.gateway.work.do(call.contest.close)))


async def export(call: Call) -> Response:
    """The signed result, byte for byte as `peekproof board verify` takes it."""
    text = await call.gateway.work.do(partial(_exported, call))
    return Response(text, media_type=JSON)


def _exported(call: Call) -> str:
    if call.contest.final is None:
        raise NotServed(what="the result of a board that is not closed", listed="/v1/boards")
    return export_text(call.contest.export())


def _submitted(call: Call, message: Submission) -> Entry:
    texts = [id_text(each) for each in message.ids]
    if len(set(texts)) < len(texts):
        raise InvalidInput(argument="ids", accepted="each once", given="one of them twice")
    return call.contest.submit(
        call.known.analyst,
        dict(zip(texts, message.values, strict=True)),
        name=message.name,
        declared=message.declared,
        trained_on=message.trained_on,
    )


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/v1/boards",
        handler=listed,
        summary="The leaderboards that the token is for.",
        gives=list[BoardSummary],
    ),
    Endpoint(
        method="GET",
        path=BOARD,
        handler=show,
        summary="Who stands where, as far as intervals tell; after the close the final. Free.",
        gives=BoardStanding,
    ),
    Endpoint(
        method="GET",
        path=f"{BOARD}/ids",
        handler=ids,
        summary="The ids that a submission has predictions for. Free.",
        gives=BoardIds,
    ),
    Endpoint(
        method="POST",
        path=f"{BOARD}/entries",
        handler=submit,
        summary="Hand in predictions. The same ones again are the same entry, for free.",
        spends=True,
        takes=Submission,
        gives=BoardEntry,
        large=True,
    ),
    Endpoint(
        method="PUT",
        path=f"{BOARD}/choice",
        handler=choose,
        summary="Say which entry of the team goes to the final.",
        takes=BoardChoice,
        gives=BoardEntry,
    ),
    Endpoint(
        method="POST",
        path=f"{BOARD}/close",
        handler=close,
        summary="End the submissions and score the final, once and for good.",
        custodian=True,
        spends=True,
        takes=messages.Confirmation,
        gives=BoardFinal,
    ),
    Endpoint(
        method="GET",
        path=f"{BOARD}/export",
        handler=export,
        summary="The signed result of a board that is closed.",
        gives=dict[str, Any],
    ),
)
