"""Calls of a gateway: JSON there and back, tried again if that cannot cost anything twice."""

import json
import secrets
from collections.abc import Callable, Iterator, Mapping
from http.client import HTTPException, HTTPResponse
from typing import Any, TypeVar, final

from peekproof.client.link import Link
from peekproof.client.patience import Patience, hopeless, unreachable
from peekproof.client.problems import error_in
from peekproof.core.errors import GatewayError, GatewayUnavailable, KeyInUse, PeekproofError

JSON, LINES = "application/json", "application/x-ndjson"
_LATER = frozenset({429, 502, 503, 504})

T = TypeVar("T")
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
