"""What a gateway says no to, and what a client says of a gateway it cannot talk to."""

from dataclasses import dataclass

from peekproof.core.errors import PeekproofError


@dataclass(eq=False, kw_only=True)
class GatewayError(PeekproofError):
    """Something stands between a client and a gateway. Nothing was read or charged."""


@dataclass(eq=False, kw_only=True)
class Unauthenticated(GatewayError):
    """A request without a token that is known and valid."""

    problem: str = "no valid token was given"

    def __str__(self) -> str:
        return f"{self.problem}; the custodian makes tokens with peekproof token create"


@dataclass(eq=False, kw_only=True)
class NotAllowed(GatewayError):
    """A valid token for something it is not for."""

    problem: str

    def __str__(self) -> str:
        return f"{self.problem}; ask the custodian"


@dataclass(eq=False, kw_only=True)
class NotServed(GatewayError):
    """An address or a thing that the gateway does not have."""

    what: str
    listed: str = "/v1/datasets"  # where it would be, if it were served

    def __str__(self) -> str:
        return f"{self.what} is not served here; GET {self.listed} lists what is"


@dataclass(eq=False, kw_only=True)
class NotThisWay(GatewayError):
    """An address that is served, but by other methods."""

    method: str
    accepted: str

    def __str__(self) -> str:
        return f"{self.method} is not served at this address, but {self.accepted}"


@dataclass(eq=False, kw_only=True)
class Malformed(GatewayError):
    """A request that is not HTTP as it should be, or that ended too soon."""

    problem: str

    def __str__(self) -> str:
        return f"the request {self.problem}; see /v1/openapi.json for what is served, and how"


@dataclass(eq=False, kw_only=True)
class TooSlow(GatewayError):
    """A request that took longer to arrive than the gateway waits."""

    patience: float

    def __str__(self) -> str:
        return f"the request did not arrive within {self.patience:g} seconds; send it again"


@dataclass(eq=False, kw_only=True)
class TooLarge(GatewayError):
    """A request that is longer than the gateway reads."""

    most: int

    def __str__(self) -> str:
        return f"the request is longer than {self.most:,} bytes; ask in several"


@dataclass(eq=False, kw_only=True)
class TooManyRequests(GatewayError):
    """Requests that come faster than the custodian allows."""

    retry_after: float

    def __str__(self) -> str:
        return f"too many requests; wait {self.retry_after:.3g} seconds and try again"


@dataclass(eq=False, kw_only=True)
class KeyInUse(GatewayError):
    """An idempotency key that stands for another request, or for one that is still at work."""

    problem: str

    def __str__(self) -> str:
        return f"the idempotency key {self.problem}"


@dataclass(eq=False, kw_only=True)
class GatewayUnavailable(GatewayError):
    """A gateway that cannot be reached, or cannot answer now."""

    problem: str
    hint: str = "try again"

    def __str__(self) -> str:
        return f"{self.problem}; {self.hint}"
