"""Connections to a gateway: kept open between requests, one for each thread that is at work."""

import os
import ssl
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from http.client import HTTPConnection, HTTPResponse, HTTPSConnection
from typing import TypeVar, final

from peekproof import __version__
from peekproof.client.address import Address, Token
from peekproof.core.errors import InvalidInput

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
