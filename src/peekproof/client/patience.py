"""How long a request is tried again."""

import random
import socket
import ssl
import time
from typing import final

from peekproof.client.address import Address
from peekproof.core.errors import GatewayUnavailable, KeyInUse, PeekproofError

_FIRST, _LONGEST = 0.25, 30.0
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
        time.sleep(max(pause, min(at_least, _LONGEST)))
        self._pause = min(2 * self._pause, _LONGEST)


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
