"""For those who run the gateway, and for programs that want to know it."""

from functools import partial
from inspect import getdoc

from starlette.responses import Response

from peekproof.core.charge import used_part
from peekproof.core.errors import NotServed, problems
from peekproof.server import metrics as counting
from peekproof.server.endpoint import Call, Endpoint, as_json
from peekproof.server.gateway import Gateway
from peekproof.server.metrics import Labels
from peekproof.server.store import Token


async def health(_: Call) -> Response:
    """Whether the gateway works: nothing about data, so anyone may ask."""
    return as_json({"status": "ok"})


async def metrics(call: Call) -> Response:
    samples = await call.gateway.work.do(partial(_samples, call.gateway, call.known.token))
    text = counting.exposition([*samples, *call.gateway.metrics.samples()])
    return Response(text, media_type=counting.MEDIA_TYPE)


async def problem(call: Call) -> Response:
    """What a type of problem means."""
    name = str(call.request.path_params["name"])
    kind = problems().get(name)
    if kind is None and name != "unforeseen":
        raise NotServed(what="a problem with this name", listed="/v1/openapi.json")
    about = getdoc(kind) if kind else "An error that nobody foresaw; the log tells where."
    return as_json({"name": name, "about": about or ""})


def _samples(gateway: Gateway, token: Token) -> list[tuple[str, Labels, float]]:
    found: list[tuple[str, Labels, float]] = [
        ("peekproof_requests_waiting", (), gateway.work.waiting)
    ]
    for name, served in gateway.served.items():
        if not token.allows(name):
            continue
        session = served.session
        state, labels = session.ledger.look(), (("dataset", name),)
        spent = used_part(state.spent, session.plan.budget)
        entries = state.last.sequence if state.last else 0
        found += [
            ("peekproof_questions_asked", labels, state.draws),
            ("peekproof_questions_left", labels, session.remaining_for_all),
            ("peekproof_budget_spent_ratio", labels, spent),
            ("peekproof_ledger_entries", labels, entries),
        ]
    for name, board in gateway.boards.items():
        if token.allows(name):
            labels, now = (("board", name),), board.standings()
            found += [
                ("peekproof_board_entries", labels, now.entries),
                ("peekproof_board_submissions_left", labels, now.left),
                ("peekproof_board_closed", labels, int(now.closed)),
            ]
    return found


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/v1/health",
        handler=health,
        summary="Whether the gateway works.",
        open=True,
        gives=dict[str, str],
    ),
    Endpoint(
        method="GET",
        path="/metrics",
        handler=metrics,
        summary="Counts for Prometheus; no durations, for they depend on the rows.",
        custodian=True,
        media=counting.MEDIA_TYPE,
    ),
    Endpoint(
        method="GET",
        path="/v1/problems/{name}",
        handler=problem,
        summary="What a type of problem means.",
        open=True,
        gives=dict[str, str],
    ),
)
