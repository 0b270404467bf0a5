"""Whether rows should be read into memory, or stay in their files."""

import os
import re
from fractions import Fraction
from pathlib import Path

from peekproof.core.errors import InvalidInput
from peekproof.data.files import PARQUET

VARIABLE = "PEEKPROOF_MEMORY"

# How many times its size a file may take while it is read: Parquet is compressed, and CSV is
# there as text and as numbers at once.
_PARQUET_GROWS, _TEXT_GROWS = 4, 2
_UNKNOWN = 4 * 2**30
_UNITS = {"": 0, "k": 1, "m": 2, "g": 3, "t": 4}


def fits(path: str | Path) -> bool:
    """Whether one file has room in memory; PEEKPROOF_MEMORY says how much there is, as in 8GB."""
    file = Path(path)
    grows = _PARQUET_GROWS if file.suffix.lower() in PARQUET else _TEXT_GROWS
    return file.stat().st_size * grows <= memory()


def memory() -> int:
    """Bytes that may be used: as the environment says, or else what is free."""
    given = os.environ.get(VARIABLE, "").strip()
    return _bytes(given) if given else _available()


def _bytes(text: str) -> int:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?)i?b?", text.lower())
    if found is None:
        accepted = "a number of bytes such as 500MB or 8GB"
        raise InvalidInput(argument=VARIABLE, accepted=accepted, given=text[:80])
    return int(Fraction(found[1]) * 1024 ** _UNITS[found[2]])


def _available() -> int:
    try:
        found = re.search(r"MemAvailable:\s*(\d+) kB", Path("/proc/meminfo").read_text())
        free = int(found[1]) * 1024 if found else _UNKNOWN
    except OSError:
        free = _physical()
    return min(free, _allowed())


def _physical() -> int:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return _UNKNOWN


def _allowed() -> int:
    """What the group of processes may use in all, on Linux."""
    try:
        return int(Path("/sys/fs/cgroup/memory.max").read_text())
    except (OSError, ValueError):
        return 2**63
