"""What every response says to browsers: run nothing but ours, show us in no frame, keep nothing."""

import asyncio
import logging
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from peekproof.core.errors import GatewayError, Malformed, NotAllowed
from peekproof.server import keys
from peekproof.server.endpoint import as_problem, where
from peekproof.server.problems import problem_of, unforeseen
from peekproof.server.visits import PAGE_HEADER

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; font-src 'self'; manifest-src 'self'; form-action 'none'; "
    "base-uri 'none'; frame-ancestors 'none'"
)

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}
_NO_STORE = (b"cache-control", b"no-store")
_SECURE = {"Strict-Transport-Security": "max-age=31536000"}

# By these it is decided who asks, from where, and for what. Which of two counts differs from
# program to program: a proxy in front may have checked the other one.
_ONCE = frozenset(
    name.lower().encode()
    for name in (
        *("host", "authorization", "cookie", "origin", "sec-fetch-site"),
        *(PAGE_HEADER, keys.HEADER),
    )
)

# Where a connection leaves the target of a request as it was sent: ASGI has only its path.
TARGET = "peekproof.target"

_log = logging.getLogger("peekproof.server")


class Strict:
    """Adds the headers, refuses requests whose own headers will not do, and lets no error out."""

    def __init__(self, app: ASGIApp, *, names: frozenset[str], secure: bool) -> None:
        self._app = app
        self._names = names
        said = {**HEADERS, **(_SECURE if secure else {})}
        self._raw = [(name.lower().encode(), value.encode()) for name, value in said.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        begun = False

        async def with_headers(message: Message) -> None:
            nonlocal begun
            if message["type"] == "http.response.start":
                begun = True
                given = message.get("headers", ())
                kept = any(name == b"cache-control" for name, _ in given)
                message["headers"] = [*given, *self._raw, *([] if kept else [_NO_STORE])]
            await send(message)

        refusal = self._refusal(scope)
        if refusal is not None:
            await as_problem(problem_of(refusal))(scope, receive, with_headers)
            return
        try:
            await self._app(scope, receive, with_headers)
        except (asyncio.CancelledError, KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # the server would log the error with all its words
            _log.error("a request failed: %s", where(error))
            if not begun:
                await as_problem(unforeseen())(scope, receive, with_headers)

    def _refusal(self, scope: Scope) -> GatewayError | None:
        twice = _repeated(scope)
        if twice:
            return Malformed(problem=f"has more than one {twice} header, send one")
        if self._names and not {_host(scope), _target_host(scope)} <= self._names:
            return NotAllowed(problem="the request names another host")
        return None


def _repeated(scope: Scope) -> str:
    """The first header that decides something and stands there again, or nothing."""
    seen = set()
    for name, _ in scope["headers"]:  # in small letters, as ASGI has them
        if name in seen:
            return str(name, "ascii")
        if name in _ONCE:
            seen.add(name)
    return ""


def _target_host(scope: Scope) -> str:
    """The host in the target of a request, as proxies are sent it, or else that of the header."""
    target = str(scope.get(TARGET, b""), "latin-1")
    if "://" not in target.partition("?")[0]:
        return _host(scope)
    try:
        host = urlsplit(target).hostname or ""
    except ValueError:  # no address at all
        return ""
    return f"[{host}]" if ":" in host else host


def _host(scope: Scope) -> str:
    given = next((value for name, value in scope["headers"] if name == b"host"), b"")
    text = str(given, "latin-1").lower()
    host, _, port = text.rpartition(":")
    return host if port.isdigit() and host else text
