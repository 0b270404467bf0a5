"""The HTTP client of a gateway: addresses, connections, retries, and problems as errors.

Connections are kept open between requests, one for each thread that is at work. A request is
retried if that cannot cost anything twice. Neither errors nor reprs show a token, and problems that
a gateway states become the errors that a session here would raise.
"""

import json
import os
import random
import secrets
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from ipaddress import ip_address
from typing import Any, TypeVar, final
from urllib.parse import SplitResult, parse_qs, urlsplit

from peekproof import __version__
from peekproof.core.errors import (
    GatewayError,
    GatewayUnavailable,
    InvalidInput,
    KeyInUse,
    PeekproofError,
    Unauthenticated,
    problems,
)

VARIABLE = "PEEKPROOF_TOKEN"
_PORTS = {"http": 80, "https": 443}


@final
class Token:
    """A secret that shows only in the header it is for."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        self._text = text

    def header(self) -> str:
        return f"Bearer {self._text}"

    def __repr__(self) -> str:
        return "Token(…)"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """A gateway's scheme, host and port, and what its paths begin with."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def secure(self) -> bool:
        return self.scheme == "https"

    @property
    def loopback(self) -> bool:
        """Whether nothing leaves the machine."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        port = "" if self.port == _PORTS[self.scheme] else f":{self.port}"
        return f"{self.scheme}://{host}{port}{self.path}"


def read_address(url: object, *, insecure: bool) -> Address:
    """The address in a URL; without encryption only where nobody can listen, unless insecure."""
    parts, port = _split(url)
    address = Address(
        scheme=parts.scheme,
        host=parts.hostname or "",
        port=_PORTS[parts.scheme] if port is None else port,
        path=parts.path.rstrip("/"),
    )
    if not address.secure and not address.loopback and not insecure:
        raise InvalidInput(
            argument="url",
            accepted="https:// for another machine: over http:// anyone on the way reads the token",
            given=str(address),
            hint="insecure=True sends it anyway",
        )
    return address


def read_token(url: str, token: object) -> Token:
    """The token that is given, or that the link carries, or that is in the environment."""
    linked = parse_qs(urlsplit(url).fragment).get("token", [None])[0]
    found = token if token is not None else linked or os.environ.get(VARIABLE)
    if not found:
        raise Unauthenticated(
            problem=f"no token was given (as token=…, in the link as #token=…, or in {VARIABLE})"
        )
    if not isinstance(found, str) or not found.isascii() or not found.isprintable() or " " in found:
        raise InvalidInput(
            argument="token", accepted="the text that the custodian gave you", given="another one"
        )
    return Token(found)


def _split(url: object) -> tuple[SplitResult, int | None]:
    try:
        if not isinstance(url, str):
            raise ValueError
        parts = urlsplit(url.strip())
        port = parts.port
        if parts.scheme not in _PORTS or not parts.hostname or parts.username is not None:
            raise ValueError
    except ValueError:
        raise InvalidInput(
            argument="url",
            accepted="the address of a gateway, such as https://data.example.org:8417",
            given=_shown(url),
            hint="it begins with https://, or on this machine with http://",
        ) from None
    return parts, port


def _shown(url: object) -> str:
    """What was given, without what may be a secret in it."""
    text = repr(url) if isinstance(url, str) else f"a {type(url).__name__}"
    return "an address with a name or a password in it" if "@" in text else text.split("#")[0][:80]


T = TypeVar("T")


@final
class Link:
    """Sends a request and reads its response. Failures are those of the standard library."""

    def __init__(
        self, address: Address, *, token: Token, timeout: float, certificates: str | None
    ) -> None:
        self.address = address
        self.timeout = timeout
        self.reached = False  # whether there ever was a response
        self._token = token
        self._tls = _trusting(certificates) if address.secure else None
        self._idle: list[HTTPConnection] = []
        self._owner = os.getpid()
        self._turn = threading.Lock()

    def exchange(
        self,
        method: str,
        path: str,
        *,
        body: bytes | None,
        headers: Mapping[str, str],
        read: Callable[[HTTPResponse], T],
    ) -> T:
        """What `read` makes of the response."""
        said = {"User-Agent": f"peekproof/{__version__}", "Authorization": self._token.header()}
        said.update(headers)
        where = f"{self.address.path}{path}"
        connection = self._kept()
        if connection is not None:
            # A gateway may have closed it meanwhile. Whatever is sent may be sent again: looking
            # changes nothing, and what spends has a key.
            try:
                return self._through(connection, method, where, body, said, read)
            except ConnectionError:
                pass
        return self._through(self._made(), method, where, body, said, read)

    def close(self) -> None:
        """Let go of what is idle; later requests connect anew."""
        with self._turn:
            idle, self._idle = self._idle, []
        for each in idle:
            each.close()

    def _through(
        self,
        connection: HTTPConnection,
        method: str,
        path: str,
        body: bytes | None,
        headers: Mapping[str, str],
        read: Callable[[HTTPResponse], T],
    ) -> T:
        whole = False
        try:
            with suppress(BrokenPipeError):  # whoever stops reading may have said why
                connection.request(method, path, body=body, headers=dict(headers))
            with connection.getresponse() as response:
                self.reached = True
                try:
                    return read(response)
                finally:
                    whole = response.isclosed() and not response.will_close
        finally:
            if whole:
                self._keep(connection)
            else:
                connection.close()

    def _made(self) -> HTTPConnection:
        address = self.address
        if self._tls is None:
            return HTTPConnection(address.host, address.port, timeout=self.timeout)
        return HTTPSConnection(address.host, address.port, timeout=self.timeout, context=self._tls)

    def _kept(self) -> HTTPConnection | None:
        with self._turn:
            if self._owner != os.getpid():  # a fork must not talk through its parent's
                self._idle, self._owner = [], os.getpid()
            return self._idle.pop() if self._idle else None

    def _keep(self, connection: HTTPConnection) -> None:
        with self._turn:
            self._idle.append(connection)

    def __del__(self) -> None:
        with suppress(Exception):  # nothing may be left of the interpreter
            self.close()


def _trusting(certificates: str | None) -> ssl.SSLContext:
    try:
        return ssl.create_default_context(cafile=certificates)
    except (OSError, TypeError) as error:
        raise InvalidInput(
            argument="certificates",
            accepted="a file of certificates (PEM) to be trusted",
            given=repr(certificates)[:80],
            hint=str(error)[:120],
        ) from None


_FIRST, _LONGEST_WAIT = 0.25, 30.0
# A gateway gives up a key whose worker died after ten minutes.
_AT_WORK = 660.0
_SETTING = (socket.gaierror, ssl.SSLError)  # wrong settings stay wrong


@final
class Patience:
    """Waits before another try, or raises if there were enough."""

    def __init__(self, retries: int) -> None:
        self._left = retries
        self._pause = _FIRST
        self._until = time.monotonic() + _AT_WORK

    def wait(self, error: PeekproofError, *, at_least: float = 0.0) -> None:
        """What is still at work is waited for; everything else is tried so many times."""
        if not isinstance(error, KeyInUse):
            self._left -= 1
        if self._left < 0 or time.monotonic() > self._until:
            raise error from None
        # Clients that failed together should not come back together.
        pause = self._pause * random.uniform(0.75, 1.25)  # noqa: S311 (no secret)
        time.sleep(max(pause, min(at_least, _LONGEST_WAIT)))
        self._pause = min(2 * self._pause, _LONGEST_WAIT)


def hopeless(error: Exception, *, reached: bool) -> bool:
    """Whether trying again cannot help: what was never there, and what is set wrongly."""
    return isinstance(error, _SETTING) or (
        isinstance(error, ConnectionRefusedError) and not reached
    )


def unreachable(error: Exception, address: Address, *, timeout: float) -> GatewayUnavailable:
    """What a failed connection means, and what to do."""
    match error:
        case ConnectionRefusedError():
            problem = f"no gateway answers at {address}"
            hint = "check the address, and that the gateway runs (peekproof serve)"
        case socket.gaierror():
            problem, hint = f"nobody knows a machine named {address.host!r}", "check the address"
        case ssl.SSLCertVerificationError():
            problem = f"the certificate of {address} is not trusted: {error.verify_message}"
            hint = "name the file that vouches for it: certificates=…"
        case ssl.SSLError():
            problem = f"{address} does not answer by TLS"
            hint = "check the port, and whether the address begins with http://"
        case TimeoutError():
            problem = f"{address} did not answer within {timeout:g} seconds"
            hint = "ask again, with a longer timeout=…; what was answered meanwhile is free"
        case _:
            problem = f"the connection to {address} broke ({type(error).__name__})"
            hint = "ask again; what was answered meanwhile is free"
            if not address.secure:
                hint += ". If it never answers: does its address begin with https://?"
    return GatewayUnavailable(problem=problem, hint=hint)


_TYPES = "/v1/problems/"
_LONGEST = 1000  # characters of what a gateway says in words of its own


def error_in(body: bytes, *, status: int, address: str) -> PeekproofError:
    """The error that the body of a response states."""
    try:
        problem = json.loads(body)
    except ValueError:
        problem = None
    if not isinstance(problem, dict) or not str(problem.get("type", "")).startswith(_TYPES):
        return GatewayUnavailable(
            problem=f"{address} answers {status}, and not as a gateway does",
            hint="check the address",
        )
    return error_of(problem)


def error_of(problem: Mapping[str, Any]) -> PeekproofError:
    """The error that a problem stands for; one that this version does not know keeps its words."""
    kind = problems().get(str(problem["type"]).removeprefix(_TYPES))
    fields = problem.get("fields")
    if kind is not None and isinstance(fields, dict):
        known = kind.__dataclass_fields__
        given = {name: value for name, value in fields.items() if name in known}
        try:
            return kind(**{name: _typed(value, known[name].type) for name, value in given.items()})
        except (TypeError, ValueError, ZeroDivisionError):
            pass
    return GatewayUnavailable(
        problem=f"the gateway says: {str(problem.get('detail', 'nothing more'))[:_LONGEST]}",
        hint="its own log tells its custodian more",
    )


def _typed(value: object, kind: object) -> object:
    if kind in (Fraction, "Fraction"):
        return Fraction(str(value))
    if kind in (int, "int"):
        return int(str(value))
    if kind in (str, "str"):  # also where a gateway says something else
        return str(value)
    if kind in (float, "float"):
        # Numbers that are not finite have no place in JSON.
        return float("inf") if value is None else float(str(value))
    return value


JSON, LINES = "application/json", "application/x-ndjson"
_LATER = frozenset({429, 502, 503, 504})

Json = Any  # as it came; whoever reads it checks what it is
Message = Mapping[str, object]


@final
class Calls:
    """The calls that one client makes."""

    def __init__(self, link: Link, *, retries: int) -> None:
        self.link = link
        self._retries = retries

    def look(self, path: str) -> Json:
        """What is at a path."""
        return self._tried("GET", path, None, {"Accept": JSON}, self._json)

    def inquire(self, path: str, message: Message) -> Json:
        """The reply to a message that spends nothing."""
        return self._tried("POST", path, message, {"Accept": JSON}, self._json)

    def spend(self, path: str, message: Message) -> Json:
        """The reply to a message that may spend: under a key, so that it does so once."""
        return self._tried("POST", path, message, {"Accept": JSON, **_keyed()}, self._json)

    def follow(self, path: str, message: Message, read: Callable[[Iterator[Json]], T]) -> T:
        """What is made of the lines that come while a message that may spend is at work."""

        def lines(response: HTTPResponse) -> T:
            self._check(response)
            return read(self._decoded(line) for line in response)

        return self._tried("POST", path, message, {"Accept": LINES, **_keyed()}, lines)

    def _tried(
        self,
        method: str,
        path: str,
        message: Message | None,
        headers: dict[str, str],
        read: Callable[[HTTPResponse], T],
    ) -> T:
        body = None
        if message is not None:
            body = json.dumps(message, allow_nan=False, separators=(",", ":")).encode()
            headers["Content-Type"] = JSON
        patience, link = Patience(self._retries), self.link
        while True:
            try:
                return link.exchange(method, path, body=body, headers=headers, read=read)
            except _Later as later:
                patience.wait(later.error, at_least=later.seconds)
            except (OSError, HTTPException) as error:
                lost = unreachable(error, link.address, timeout=link.timeout)
                if hopeless(error, reached=link.reached):
                    raise lost from None
                patience.wait(lost)

    def _json(self, response: HTTPResponse) -> Json:
        self._check(response)
        return self._decoded(response.read())

    def _check(self, response: HTTPResponse) -> None:
        """Raise what the response states, if it is no success."""
        status = response.status
        if 200 <= status < 300:
            return
        error = error_in(response.read(), status=status, address=str(self.link.address))
        if isinstance(error, KeyInUse) or (isinstance(error, GatewayError) and status in _LATER):
            raise _Later(error, _seconds(response.headers.get("Retry-After", "")))
        raise error

    def _decoded(self, text: bytes) -> Json:
        try:
            return json.loads(text)
        except ValueError:
            raise GatewayUnavailable(
                problem=f"{self.link.address} does not answer as a gateway does",
                hint="check the address",
            ) from None


class _Later(Exception):
    """An error that may be over in so many seconds."""

    def __init__(self, error: PeekproofError, seconds: float) -> None:
        super().__init__()
        self.error, self.seconds = error, seconds


def _seconds(text: str) -> float:
    return float(text) if text.isascii() and text.isdigit() else 0.0


def _keyed() -> dict[str, str]:
    return {"Idempotency-Key": secrets.token_urlsafe(18)}


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Reach:
    """An address, a token, and how patient to be."""

    address: Address
    token: Token
    timeout: float
    retries: int
    certificates: str | None

    def calls(self) -> Calls:
        """Calls over connections of their own."""
        link = Link(
            self.address,
            token=self.token,
            timeout=self.timeout,
            certificates=self.certificates,
        )
        return Calls(link, retries=self.retries)

    def __reduce__(self) -> tuple[object, ...]:
        """A pickle has the token, unless it is that of the environment, which is read again."""
        said = self.address, self.timeout, self.retries, self.certificates
        known = os.environ.get(VARIABLE)
        own = known is not None and Token(known).header() == self.token.header()
        return _reach, (None if own else self.token, *said)


def _reach(
    token: Token | None, address: Address, timeout: float, retries: int, certificates: str | None
) -> Reach:
    return Reach(
        address=address,
        token=read_token("", None) if token is None else token,
        timeout=timeout,
        retries=retries,
        certificates=certificates,
    )
