"""The application: all routes and the page, for one worker."""

import hashlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Match, Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from peekproof.core.errors import GatewayError, Malformed, NotServed, NotThisWay
from peekproof.server.connections import Strict
from peekproof.server.endpoint import Endpoint, as_problem
from peekproof.server.gateway import Gateway
from peekproof.server.openapi import openapi_endpoint
from peekproof.server.problems import problem_of
from peekproof.server.routes import (
    answers,
    attack,
    health,
    history,
    leaderboards,
    ledgers,
    prices,
    scores,
    signin,
    token_admin,
)

FOLDER = Path(__file__).parent / "assets"
INDEX, BOARD = "index.html", "board.html"

# Said here, because what a system takes a .js file for is its own business.
TYPES: Mapping[str, str] = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Asset:
    """A file of the page; its tag is that of its bytes, the same in every worker."""

    body: bytes
    media_type: str
    tag: str

    @classmethod
    def read(cls, path: Path) -> "Asset":
        body = path.read_bytes()
        digest = hashlib.sha256(body).hexdigest()[:32]
        return cls(body=body, media_type=TYPES[path.suffix], tag=f'"{digest}"')

    def respond(self, request: Request) -> Response:
        """The file, or that it is still the one the browser has."""
        headers = {"ETag": self.tag, "Cache-Control": "no-cache"}
        known = request.headers.get("if-none-match", "")
        if self.tag in (each.strip().removeprefix("W/") for each in known.split(",")):
            return Response(status_code=304, headers=headers)
        return Response(self.body, media_type=self.media_type, headers=headers)


def read_assets() -> dict[str, Asset]:
    """All files of the page by name."""
    return {path.name: Asset.read(path) for path in FOLDER.iterdir() if path.suffix in TYPES}


def page_routes() -> list[Route]:
    """The page itself, and what it is made of. Nothing else is looked for on the disk."""
    assets = read_assets()

    async def index(request: Request) -> Response:
        return assets[INDEX].respond(request)

    async def board(request: Request) -> Response:
        return assets[BOARD].respond(request)

    async def asset(request: Request) -> Response:
        found = assets.get(request.path_params["name"])
        if found is None:
            raise HTTPException(404)
        return found.respond(request)

    return [
        Route("/", index, methods=["GET"]),
        Route("/boards/{name}", board, methods=["GET"]),
        Route("/assets/{name}", asset, methods=["GET"]),
    ]


# In the order in which they are tried: what is asked most comes first.
ENDPOINTS: tuple[Endpoint, ...] = (
    *answers.ENDPOINTS,
    *scores.ENDPOINTS,
    *leaderboards.ENDPOINTS,
    *prices.ENDPOINTS,
    *history.ENDPOINTS,
    *ledgers.ENDPOINTS,
    *token_admin.ENDPOINTS,
    *attack.ENDPOINTS,
    *signin.ENDPOINTS,
    *health.ENDPOINTS,
)


def application(gateway: Gateway) -> ASGIApp:
    """The routes of a gateway, which is closed with the application."""

    @asynccontextmanager
    async def life(_: object) -> AsyncIterator[None]:
        try:
            yield
        finally:
            gateway.close()

    endpoints = (*ENDPOINTS, openapi_endpoint(ENDPOINTS))
    settings = gateway.settings
    router = Router(
        routes=[*(_route(gateway, each) for each in endpoints), *page_routes()],
        redirect_slashes=False,  # an address with a slash too much is another address
        lifespan=life,
    )
    return Strict(Routed(router), names=settings.allowed_names, secure=settings.secure)


@final
class Routed:
    """The router alone, for layers that do the same again take time; it says no by problems."""

    def __init__(self, router: Router) -> None:
        self.router = router

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.router(scope, receive, send)
            return
        scope["app"] = self  # so that the router raises what it says no to
        try:
            await self.router(scope, receive, send)
        except HTTPException as error:
            await _not_served(Request(scope), error)(scope, receive, send)


@final
class _Answering:
    """An endpoint as the router calls it."""

    def __init__(self, gateway: Gateway, endpoint: Endpoint) -> None:
        self._gateway, self._endpoint = gateway, endpoint

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        response = await self._endpoint.respond(self._gateway, Request(scope, receive, send))
        await response(scope, receive, send)


def _route(gateway: Gateway, endpoint: Endpoint) -> Route:
    route = Route(endpoint.path, _Answering(gateway, endpoint), methods=[endpoint.method])
    route.methods = {endpoint.method}  # HEAD would read rows and send nothing
    return route


def _not_served(request: Request, error: HTTPException) -> Response:
    """What the router itself says no to, as a problem."""
    status = error.status_code
    told: GatewayError
    if status == 404:
        told = NotServed(what="this address", listed="/v1/openapi.json")
    elif status == 405:
        told = NotThisWay(method=request.method, accepted=_allowed(request))
    else:
        told = Malformed(problem="cannot be understood")
    response = as_problem(problem_of(told))
    if isinstance(told, NotThisWay):
        response.headers["allow"] = told.accepted
    return response


def _allowed(request: Request) -> str:
    """All methods of an address: the router knows those of the first route that fits."""
    fitting = [
        each for each in request.app.router.routes if each.matches(request.scope)[0] != Match.NONE
    ]
    found = {method for each in fitting for method in getattr(each, "methods", None) or ("GET",)}
    return ", ".join(sorted(found))
