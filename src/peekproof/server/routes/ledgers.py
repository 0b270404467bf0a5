"""What custodians do: ledgers, analysts, shares."""

import io
from collections.abc import Iterator
from functools import partial
from typing import Any
from urllib.parse import quote

from msgspec import Struct
from starlette.responses import Response, StreamingResponse

from peekproof.core.errors import InvalidInput
from peekproof.ledger.entry import checked
from peekproof.ledger.export import end_line, entry_line
from peekproof.server import messages
from peekproof.server.dataset import Served, read_shares
from peekproof.server.endpoint import DATASET, LINES, Call, Endpoint, as_json
from peekproof.server.stream import streamed
from peekproof.session.queries import analyst_name
from peekproof.session.replay import replay


class Analyst(Struct, kw_only=True, frozen=True):
    """Who asked how much, and how much they may."""

    analyst: str
    share: str | None
    asked: int
    spent: str
    spent_part: float
    questions_left: int


class Analysts(Struct, kw_only=True, frozen=True):
    """All who asked or have a share; `rest` is the share of those without one."""

    analysts: list[Analyst]
    rest: str | None


async def export(call: Call) -> Response:
    """Line by line, as it lies in the store: a ledger may be longer than memory."""
    # A header has no letters but those of Latin-1; the name may have others, or quotes.
    name = quote(f"{call.dataset.name}.jsonl", safe="")
    headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{name}"}
    lines = _export(call.dataset)
    return StreamingResponse(lines, media_type=LINES, headers=headers)


def _export(served: Served) -> Iterator[str]:
    ledger, last, buffer = served.session.ledger, None, io.StringIO()
    for last in checked(ledger.stream(), after=None, ledger=served.name):
        buffer.write(entry_line(last))
        if buffer.tell() > 1 << 16:
            yield buffer.getvalue()
            buffer = io.StringIO()
    if last is not None:
        buffer.write(end_line(last))
    yield buffer.getvalue()


async def verify(call: Call) -> Response:
    """Replay every entry and certify every answer anew."""
    served = call.dataset

    def task() -> dict[str, object]:
        return replay(served.session.ledger, progress=served.progress).to_dict()

    if LINES in call.request.headers.get("accept", ""):
        return await streamed(call, task, lambda found: [{"event": "end", "replay": found}])
    return as_json(await call.gateway.work.do(task))


async def analysts(call: Call) -> Response:
    return as_json(await call.gateway.work.do(partial(_analysts, call.dataset)))


async def share(call: Call) -> Response:
    """Replace all shares."""
    given = read_shares(call.message.shares)
    shares = {analyst_name(name): amount for name, amount in given.items()}

    def task() -> Analysts:
        call.dataset.session.ledger.set_aside(shares)
        return _analysts(call.dataset)

    return as_json(await call.gateway.work.do(task))


async def close(call: Call) -> Response:
    """Close the ledger for good, if the custodian writes the name of the data set."""
    if call.message.confirm != call.dataset.name:
        raise InvalidInput(
            argument="confirm",
            accepted=f"the name of the data set, {call.dataset.name}",
            given=repr(call.message.confirm)[:80],
        )
    await call.gateway.work.do(call.dataset.session.ledger.retire)
    return as_json({"closed": True})


def _analysts(served: Served) -> Analysts:
    accounts = served.session.ledger.look().accounts
    listed = []
    for name in accounts.names:
        used, share = accounts.of(name), accounts.shares.get(name)
        listed.append(
            Analyst(
                analyst=name,
                share=None if share is None else str(share),
                asked=used.draws,
                spent=str(used.spent),
                spent_part=accounts.part(name),
                questions_left=served.as_analyst(name).remaining,
            )
        )
    return Analysts(analysts=listed, rest=str(accounts.share_of("")) if accounts.shares else None)


ENDPOINTS = (
    Endpoint(
        method="GET",
        path=f"{DATASET}/ledger",
        handler=export,
        summary="The whole ledger, one entry a line, to be kept or checked elsewhere.",
        custodian=True,
        media=LINES,
    ),
    Endpoint(
        method="POST",
        path=f"{DATASET}/verify",
        handler=verify,
        summary="Replay the ledger from its first entry and certify every answer anew.",
        custodian=True,
        streams=True,
        gives=dict[str, Any],
    ),
    Endpoint(
        method="GET",
        path=f"{DATASET}/analysts",
        handler=analysts,
        summary="Who asked how much, and how much they may.",
        custodian=True,
        gives=Analysts,
    ),
    Endpoint(
        method="PUT",
        path=f"{DATASET}/shares",
        handler=share,
        summary="Set aside shares of the budget; they replace those of before.",
        custodian=True,
        takes=messages.Shares,
        gives=Analysts,
    ),
    Endpoint(
        method="POST",
        path=f"{DATASET}/close",
        handler=close,
        summary="Close the ledger for good; what was answered stays free.",
        custodian=True,
        takes=messages.Confirmation,
        gives=dict[str, bool],
    ),
)
