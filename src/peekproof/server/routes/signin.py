"""Visits of the page: a token is shown once, and a cookie stands for it from then on."""

from msgspec import Struct
from starlette.responses import Response

from peekproof.server import messages
from peekproof.server.access import LIFETIME, check_site
from peekproof.server.endpoint import Call, Endpoint, as_json
from peekproof.server.store import Token


class Visitor(Struct, kw_only=True, frozen=True):
    """Who visits; `page_key` goes into the X-Peekproof-Page header of every change."""

    analyst: str
    scope: str
    page_key: str | None


async def begin(call: Call) -> Response:
    """Take a token and give a cookie that no script can read and no other site can use."""
    check_site(call.request)
    access = call.gateway.access
    call.caller = access.by_token(call.message.token)
    access.admit(call.caller)
    secret = access.visits.begin(call.caller.token)
    response = as_json(_visitor(call, call.caller.token, secret))
    _set_cookie(call, response, secret, lifetime=LIFETIME)
    return response


async def show(call: Call) -> Response:
    return as_json(_visitor(call, call.known.token, call.known.visit))


async def end(call: Call) -> Response:
    if call.known.visit is not None:
        call.gateway.access.visits.end(call.known.visit)
    response = Response(status_code=204)
    _set_cookie(call, response, "", lifetime=0)
    return response


def _set_cookie(call: Call, response: Response, value: str, *, lifetime: int) -> None:
    secure = call.gateway.settings.secure
    response.set_cookie(
        call.gateway.access.visits.cookie_name(secure=secure),
        value,
        max_age=lifetime,
        path="/",
        secure=secure,
        httponly=True,
        samesite="strict",
    )


def _visitor(call: Call, token: Token, visit: str | None) -> Visitor:
    key = None if visit is None else call.gateway.access.visits.page_key(visit)
    return Visitor(analyst=token.analyst, scope=token.scope.value, page_key=key)


ENDPOINTS = (
    Endpoint(
        method="POST",
        path="/v1/visit",
        handler=begin,
        summary="Begin a visit of the page with a token, for a cookie.",
        open=True,
        takes=messages.Visit,
        gives=Visitor,
    ),
    Endpoint(
        method="GET",
        path="/v1/visit",
        handler=show,
        summary="Who you are.",
        gives=Visitor,
    ),
    Endpoint(
        method="DELETE",
        path="/v1/visit",
        handler=end,
        summary="End the visit.",
        success=204,
    ),
)
