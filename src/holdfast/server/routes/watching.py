"""For those who run the gateway, and for programs that want to know it."""

from functools import partial
from inspect import getdoc

from starlette.responses import Response

from holdfast.core.charge import used_part
from holdfast.core.gateway_errors import NotServed
from holdfast.core.problems import problems
from holdfast.server import metrics as counting
from holdfast.server.call import Call
from holdfast.server.endpoint import Endpoint, as_json
from holdfast.server.gateway import Gateway
from holdfast.server.metrics import Labels
from holdfast.server.tokens import Token


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
        ("holdfast_requests_waiting", (), gateway.work.waiting)
    ]
    for name, served in gateway.served.items():
        if not token.allows(name):
            continue
        session = served.session
        state, labels = session.ledger.look(), (("dataset", name),)
        spent = used_part(state.spent, session.plan.budget)
        entries = state.last.sequence if state.last else 0
        found += [
            ("holdfast_questions_asked", labels, state.draws),
            ("holdfast_questions_left", labels, session.remaining_for_all),
            ("holdfast_budget_spent_ratio", labels, spent),
            ("holdfast_ledger_entries", labels, entries),
        ]
    for name, board in gateway.boards.items():
        if token.allows(name):
            labels, now = (("board", name),), board.standings()
            found += [
                ("holdfast_board_entries", labels, now.entries),
                ("holdfast_board_submissions_left", labels, now.left),
                ("holdfast_board_closed", labels, int(now.closed)),
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
