"""Tokens, for custodians: made, listed, renewed and revoked."""

from msgspec import Struct
from starlette.responses import Response

from peekproof.core.errors import NotAllowed, NotServed
from peekproof.server import messages
from peekproof.server.endpoint import Call, Endpoint, as_json
from peekproof.server.store import Scope, Token
from peekproof.session.queries import analyst_name

_DAY = 86_400


class Known(Struct, kw_only=True, frozen=True):
    """A token without its secret; `own` is the one that this request came with."""

    id: str
    analyst: str
    scope: str
    datasets: list[str]
    created: int
    expires: int | None
    revoked: bool
    own: bool


class Made(Struct, kw_only=True, frozen=True):
    """A token, shown this once."""

    token: str


async def tokens(call: Call) -> Response:
    _check_everything(call)
    return as_json([_known(each, own=call.known.token.id) for each in call.gateway.store.tokens()])


async def create(call: Call) -> Response:
    _check_everything(call)
    message = call.message
    for name in message.datasets:
        call.gateway.check_name(name)
    made = call.gateway.store.create_token(
        analyst=analyst_name(message.analyst),
        scope=Scope(message.scope),
        datasets=tuple(message.datasets),
        lifetime=None if message.days is None else message.days * _DAY,
    )
    return as_json(Made(token=made), 201)


async def rotate(call: Call) -> Response:
    _check_everything(call)
    made = call.gateway.store.rotate_token(_id(call))
    if made is None:
        raise NotServed(what="a valid token with this id", listed="/v1/tokens")
    return as_json(Made(token=made))


async def revoke(call: Call) -> Response:
    _check_everything(call)
    if not call.gateway.store.revoke_token(_id(call)):
        raise NotServed(what="a valid token with this id", listed="/v1/tokens")
    return Response(status_code=204)


def _check_everything(call: Call) -> None:
    """Who holds some data sets only could make a token for others."""
    if call.known.token.datasets:
        raise NotAllowed(problem="tokens are made by custodians of all data sets")


def _id(call: Call) -> str:
    return str(call.request.path_params["id"])


def _known(token: Token, *, own: str) -> Known:
    return Known(
        id=token.id,
        analyst=token.analyst,
        scope=token.scope.value,
        datasets=list(token.datasets),
        created=token.created,
        expires=token.expires,
        revoked=token.revoked,
        own=token.id == own,
    )


ENDPOINTS = (
    Endpoint(
        method="GET",
        path="/v1/tokens",
        handler=tokens,
        summary="All tokens, without their secrets.",
        custodian=True,
        gives=list[Known],
    ),
    Endpoint(
        method="POST",
        path="/v1/tokens",
        handler=create,
        summary="Make a token. It is shown this once.",
        custodian=True,
        takes=messages.NewToken,
        gives=Made,
        success=201,
    ),
    Endpoint(
        method="POST",
        path="/v1/tokens/{id}/rotate",
        handler=rotate,
        summary="Give a token a new secret; the old one ends now.",
        custodian=True,
        gives=Made,
    ),
    Endpoint(
        method="DELETE",
        path="/v1/tokens/{id}",
        handler=revoke,
        summary="Revoke a token for good.",
        custodian=True,
        success=204,
    ),
)
