"""How large a fight is: small in the default suite, at full size in `make slow`."""

from __future__ import annotations

import os
from typing import TypeVar

T = TypeVar("T")


def sized(small: T, *, full: T) -> T:
    """The small one, unless HOLDFAST_SLOW asks for full sizes."""
    return full if os.environ.get("HOLDFAST_SLOW") else small
