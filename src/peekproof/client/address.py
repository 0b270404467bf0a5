"""Where a gateway is, and the token that says who asks. Neither errors nor reprs show a token."""

import os
from dataclasses import dataclass
from ipaddress import ip_address
from typing import final
from urllib.parse import SplitResult, parse_qs, urlsplit

from peekproof.core.errors import InvalidInput, Unauthenticated

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
