"""The OpenAPI document, made from the routes and from the types that are read and written."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct
from starlette.responses import Response

import peekproof
from peekproof.server.endpoint import BOARD, DATASET, LINES, Call, Endpoint, as_json
from peekproof.server.keys import HEADER
from peekproof.server.problems import MEDIA_TYPE


class Problem(Struct, kw_only=True, frozen=True):
    """An RFC 9457 problem; `fields` is what the detail is made of, for programs."""

    type: str
    title: str
    status: int
    detail: str
    fields: dict[str, Any]


_NAME = {"type": "string", "minLength": 1, "pattern": "^[^/]+$"}

_MEANINGS = {
    400: "It is not HTTP as it should be, or ended too soon.",
    401: "No valid token was given.",
    403: "The token is not for this, or another host or site is involved.",
    404: "There is no such thing, or it is not for this token.",
    408: "The body took too long to arrive.",
    409: "Refused: the budget, a share, a closed ledger, or an idempotency key.",
    413: "The body is too long.",
    422: "It says something that cannot be accepted.",
    429: "Too many requests.",
    500: "The engine failed; why is withheld, because it may depend on the data.",
    503: "It cannot be answered now.",
}


def openapi_endpoint(endpoints: Sequence[Endpoint]) -> Endpoint:
    """The route that serves the document."""

    async def show(_: Call) -> Response:
        return as_json(made)

    found = Endpoint(
        method="GET",
        path="/v1/openapi.json",
        handler=show,
        summary="This document.",
        open=True,
        gives=dict[str, Any],
    )
    made = document([*endpoints, found])
    return found


def document(endpoints: Sequence[Endpoint]) -> dict[str, Any]:
    """The OpenAPI 3.1 document of these routes."""
    types = [Problem, *(each.takes for each in endpoints if each.takes)]
    types += [each.gives for each in endpoints if each.gives is not None]
    schemas, components = msgspec.json.schema_components(
        types, ref_template="#/components/schemas/{name}"
    )
    found = iter(schemas)
    problem = next(found)
    takes = {id(each): next(found) for each in endpoints if each.takes}
    gives = {id(each): next(found) for each in endpoints if each.gives is not None}
    paths: dict[str, dict[str, Any]] = {}
    for each in endpoints:
        paths.setdefault(each.path, {})[each.method.lower()] = _operation(
            each, problem, takes.get(id(each)), gives.get(id(each))
        )
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Peekproof gateway",
            "version": peekproof.__version__,
            "description": "Adaptively chosen questions, with intervals for the population.",
        },
        "paths": paths,
        "components": {
            "schemas": components,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }


def _operation(
    endpoint: Endpoint, problem: Any, takes: Any | None, gives: Any | None
) -> dict[str, Any]:
    content = {} if gives is None else {"content": {endpoint.media: {"schema": gives}}}
    if gives is None and endpoint.success == 200:
        content = {"content": {endpoint.media.partition(";")[0]: {"schema": {"type": "string"}}}}
    if endpoint.streams:
        content["content"][LINES] = {"schema": {"type": "string"}}
    said: dict[str, Any] = {
        "summary": endpoint.summary,
        "operationId": _id(endpoint),
        "parameters": _parameters(endpoint),
        "responses": {
            str(endpoint.success): {"description": "Done.", **content},
            **{str(status): _problem(status, problem) for status in statuses(endpoint)},
            "default": {
                "description": "A problem that nobody foresaw.",
                "content": {MEDIA_TYPE: {"schema": problem}},
            },
        },
    }
    if endpoint.open:
        said["security"] = []
    if takes is not None:
        said["requestBody"] = {
            "required": True,
            "content": {"application/json": {"schema": takes}},
        }
    return said


def statuses(endpoint: Endpoint) -> list[int]:
    """The statuses of the problems that a request may meet there."""
    reads, keyed = endpoint.takes is not None, not endpoint.open
    given = endpoint.path.startswith((DATASET, BOARD))
    found = {
        400: True,  # a header that stands twice, or a body that ends before its end
        401: keyed or reads,
        403: True,  # another host, another site, or a token for something else
        404: "{" in endpoint.path or endpoint.path == "/v1/tokens",
        408: reads,
        409: given and endpoint.method != "GET",
        413: reads,
        422: reads or bool(endpoint.query),
        429: keyed or reads,
        500: endpoint.spends,
        503: True,
    }
    return [status for status, possible in found.items() if possible]


def _problem(status: int, schema: Any) -> dict[str, Any]:
    said = {"description": _MEANINGS[status], "content": {MEDIA_TYPE: {"schema": schema}}}
    if status in (429, 503):
        about = {"description": "Seconds to wait.", "schema": {"type": "integer", "minimum": 1}}
        said["headers"] = {"Retry-After": about}
    return said


def _parameters(endpoint: Endpoint) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = [
        {"name": part[1:-1], "in": "path", "required": True, "schema": _NAME}
        for part in endpoint.path.split("/")
        if part.startswith("{")
    ]
    listed += [
        {
            "name": name,
            "in": "query",
            "description": about,
            "schema": {"type": "integer", "minimum": 0},
        }
        for name, about in endpoint.query
    ]
    if endpoint.spends:
        listed.append(
            {
                "name": HEADER,
                "in": "header",
                "description": "A request sent again with its key gets the reply it got.",
                "schema": {"type": "string", "minLength": 1, "maxLength": 200},
            }
        )
    return listed


def _id(endpoint: Endpoint) -> str:
    *words, last = endpoint.path.strip("/").split("/")
    named = [word for word in words if not word.startswith("{")]
    return "_".join([endpoint.method.lower(), *named, last.strip("{}")]).replace(".", "_")
