"""How large a fight is: small in the default suite, at full size in `make slow`."""

from __future__ import annotations

import os
from typing import TypeVar

T = TypeVar("T")


def sized(small: T, *, full: T) -> T:
    """The small one, unless PEEKPROOF_SLOW asks for full sizes."""
    return full if os.environ.get("PEEKPROOF_SLOW") else small
