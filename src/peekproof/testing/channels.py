"""A law for whatever reads secrets: nothing but the answers tells them."""

from collections.abc import Callable
from typing import TypeVar

from peekproof.audit.errors import Calls, ChannelReport, compare_channels
from peekproof.testing.violation import require

D = TypeVar("D")


def channels_do_not_tell(run: Callable[[D], Calls], one: D, other: D) -> ChannelReport:
    """Errors, logs, warnings and what is printed are the same for two neighbouring data sets."""
    found = compare_channels(run, one, other)
    require(found.calls, "no call was made: nothing was audited")
    require(not found.tells, str(found))
    return found
