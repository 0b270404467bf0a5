"""How a gateway is reached: all that another process needs to reach it the same way."""

import os
from dataclasses import dataclass
from typing import final

from peekproof.client.address import VARIABLE, Address, Token, read_token
from peekproof.client.calls import Calls
from peekproof.client.link import Link


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
