"""Opening many numbers at once: how many there are is public, what they are is not."""

from peekproof.core.errors import InvalidInput
from peekproof.core.secret import Exact


def opened(exact: Exact[tuple[int, ...]], *, numbers: int) -> tuple[int, ...]:
    """The numbers themselves, if there are as many as the mechanism is made for."""
    found = exact.reveal()
    if len(found) != numbers:
        raise InvalidInput(
            argument="exact", accepted=f"{numbers:,} integers", given="another number of them"
        )
    return found
