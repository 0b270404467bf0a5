"""Connections: how much and how slowly a sender may send before a request has arrived.

The parser has no limits of its own: without these, half a header holds a connection for ever, and
an endless one fills the memory.
"""

import asyncio
import logging
import resource
from http import HTTPStatus
from typing import Any, ClassVar, final
from urllib.parse import urlsplit

from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from peekproof.core.errors import GatewayError, Malformed, NotAllowed
from peekproof.server import keys
from peekproof.server.access import PAGE_HEADER
from peekproof.server.endpoint import as_problem, where
from peekproof.server.problems import problem_of, unforeseen

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


_SPARE = 128  # files of the gateway's own: data, ledgers, the store
_log = logging.getLogger("peekproof.server")


def most_connections() -> int:
    """As many as the machine lets this process open, but for its own files."""
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(16, (65_536 if soft == resource.RLIM_INFINITY else soft) - _SPARE)


@final
class Strays(logging.Logger):
    """Where connections log. What senders did wrong is counted, and has one line a minute.

    Anybody may send what is no request, as fast as they like: a line each would fill the disk.
    What went wrong here is an error, and is logged as ever. For the loop's thread alone.
    """

    interval: ClassVar[float] = 60.0  # seconds

    def __init__(self) -> None:
        super().__init__("uvicorn.error", logging.WARNING)
        self.parent = logging.getLogger(self.name)
        self._count = 0

    def warning(self, *_: object, **__: object) -> None:
        """Count it: the server warns of nothing but what senders do."""
        if not self._count:
            asyncio.get_running_loop().call_later(self.interval, self._write)
        self._count += 1

    def _write(self) -> None:
        count, self._count = self._count, 0
        _log.warning(
            "%s requests in the last %g seconds were not HTTP, or asked for another protocol",
            f"{count:,}",
            self.interval,
        )


def connections() -> type["Guarded"]:
    """The connections of one server, which log together."""
    return type(Guarded.__name__, (Guarded,), {"strays": Strays()})


class Guarded(HttpToolsProtocol):
    """A connection that ends if its headers are too slow or too long, or its body never ends.

    Bytes are counted from the last event that the parser has made of them: the beginning of a
    message, a piece of its body, or its end.
    """

    patience: ClassVar[float] = 10.0  # seconds for the headers of a request
    linger: ClassVar[float] = 5.0  # seconds for a body that nobody waits for any more
    silent: ClassVar[int] = 1 << 16  # bytes without an event
    most: ClassVar[int] = most_connections()
    strays: ClassVar[Strays] = Strays()

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.logger = self.strays
        self._timer: asyncio.TimerHandle | None = None
        self._pending = 0
        self._arriving = False  # the headers are there, the end of the body is not

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        if len(self.connections) > self.most:
            transport.close()
        else:
            self._wait(self.patience)

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_waiting()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.transport.is_closing():
            return
        self._pending += len(data)
        super().data_received(data)
        if self.transport.is_closing():
            return
        if self._pending > self.silent:
            self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE, "has too long headers")
        elif self._pending and not self._arriving and self._timer is None:
            self._wait(self.patience)

    def on_message_begin(self) -> None:
        self._pending = 1  # a request has begun, however many bytes of it are there
        super().on_message_begin()

    def on_header(self, name: bytes, value: bytes) -> None:
        """Of the head alone: what comes after a body must not pass for a token or a host."""
        if not self._arriving:
            super().on_header(name, value)

    def on_headers_complete(self) -> None:
        self._stop_waiting()
        self._arriving = True
        self.scope[TARGET] = self.url  # type: ignore[literal-required]
        super().on_headers_complete()

    def on_body(self, body: bytes) -> None:
        self._pending = 0
        super().on_body(body)

    def on_message_complete(self) -> None:
        self._pending, self._arriving = 0, False
        self._stop_waiting()
        super().on_message_complete()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._arriving and not self.pipeline and not self.transport.is_closing():
            self._wait(self.linger)

    def _unsupported_upgrade_warning(self) -> None:
        self.logger.warning("")  # counts once, where the server would say two things

    def send_400_response(self, msg: str) -> None:
        """What is not HTTP is a problem, too."""
        del msg
        self._refuse(HTTPStatus.BAD_REQUEST, "is not HTTP")

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        """Say why, unless it would be taken for the response to another request, and end."""
        if not self._may_speak:
            self.transport.close()
            return
        told = {**problem_of(Malformed(problem=why)), "status": int(status)}
        response = as_problem(told)
        lines = [f"HTTP/1.1 {int(status)} {status.phrase}"]
        lines += [f"{name}: {value}" for name, value in {**response.headers, **HEADERS}.items()]
        lines += ["cache-control: no-store", "connection: close", "", ""]
        self.transport.write("\r\n".join(lines).encode("latin-1") + bytes(response.body))
        self.transport.close()

    @property
    def _at_work(self) -> bool:
        return bool(self.cycle) and not self.cycle.response_complete  # none before the first

    @property
    def _may_speak(self) -> bool:
        own = self._arriving and not self.pipeline
        return not self._at_work or (own and not self.cycle.response_started)

    def _wait(self, seconds: float) -> None:
        self._stop_waiting()
        self._timer = self.loop.call_later(seconds, self._end, seconds)

    def _end(self, seconds: float) -> None:
        self._timer = None
        if self._at_work:  # an earlier request is being answered
            self._wait(seconds)
        else:
            self.transport.close()

    def _stop_waiting(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
