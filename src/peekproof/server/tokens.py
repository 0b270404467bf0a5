"""Tokens: what they look like, what of them is kept, and what they allow."""

import hashlib
import hmac
import secrets
from dataclasses import dataclass
from enum import Enum
from typing import final

PREFIX = "pp"
_ID_BYTES, _SECRET_BYTES = 6, 32
_LONGEST = 200


class Scope(Enum):
    """What a token is for. A custodian may do all that an analyst may."""

    ANALYST = "analyst"
    CUSTODIAN = "custodian"


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Token:
    """A token as the gateway knows it: without its secret. `datasets` is empty for all."""

    id: str
    slot: int
    digest: bytes
    analyst: str
    scope: Scope
    datasets: tuple[str, ...] = ()
    created: int = 0
    expires: int | None = None
    revoked: bool = False

    def allows(self, dataset: str) -> bool:
        return not self.datasets or dataset in self.datasets

    def matches(self, secret: str) -> bool:
        """Whether the secret is the one this token was made with; in constant time."""
        return hmac.compare_digest(digest_of(secret), self.digest)


def new_secret() -> str:
    return secrets.token_urlsafe(_SECRET_BYTES)


def new_id() -> str:
    return secrets.token_hex(_ID_BYTES)


def digest_of(secret: str) -> bytes:
    """What is kept of a secret. It has 256 random bits, so a fast hash cannot be searched."""
    return hashlib.sha256(secret.encode()).digest()


def written(name: str, secret: str) -> str:
    """The token to hand out."""
    return f"{PREFIX}_{name}_{secret}"


def read(token: str) -> tuple[str, str] | None:
    """The id and the secret of a token, or None if it does not look like one."""
    parts = token.split("_", 2) if len(token) <= _LONGEST and token.isascii() else []
    return (parts[1], parts[2]) if len(parts) == 3 and parts[0] == PREFIX else None
