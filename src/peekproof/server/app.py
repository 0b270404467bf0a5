"""The application: all routes, for one worker."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
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
from peekproof.server.page import page_routes
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
