"""Every key of a gateway's settings: what it accepts, and how it is read."""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from ipaddress import ip_address
from types import MappingProxyType
from typing import Any, final

# All that `peekproof.server.served` can open data by; named here so that a slip is found before
# any row is read, and without importing them.
MECHANISMS = (
    "gaussian", "laplace", "truncation", "splitting", "rounds", "checking",
    "limited-checking", "thresholdout", "open-ended",
)  # fmt: skip

NOTHING = "none"  # for an audit log that is not wanted

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_DURATION = re.compile(r"(\d+(?:\.\d+)?) ?(us|ms|s|min)?")
_SECONDS = {None: 1.0, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0}
_ADDRESS = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<four>[^:\[\]]+)):(?P<port>\d{1,5})")


@final
@dataclass(frozen=True, slots=True)
class Key:
    """What a key accepts, in words, and its reader, which raises ValueError for anything else."""

    accepted: str
    read: Callable[[object], Any]


def words(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError
    return value


def text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise ValueError
    return value


def texts(value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple):
        raise ValueError
    return tuple(text(each) for each in value)


def whole(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise ValueError
    return value


def number(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError
    if not 0 <= float(value) < math.inf:  # also false for NaN
        raise ValueError
    return float(value)


def positive(value: object) -> float:
    if (found := number(value)) > 0:
        return found
    raise ValueError


def chance(value: object) -> float:
    if 0 < (found := number(value)) < 1:
        return found
    raise ValueError


def seconds(value: object) -> float:
    """A number of seconds, or a text such as 50ms."""
    if not isinstance(value, str):
        return number(value)
    found = _DURATION.fullmatch(value.strip())
    if found is None:
        raise ValueError
    return float(found[1]) * _SECONDS[found[2]]


def patience(value: object) -> float:
    if (found := seconds(value)) > 0:
        return found
    raise ValueError


def address(value: object) -> tuple[str, int]:
    """The host and the port; the host is a number or localhost, so that it means one thing."""
    found = _ADDRESS.fullmatch(text(value))
    if found is None or int(found["port"]) > 65535:
        raise ValueError
    host = found["six"] or found["four"]
    if host != "localhost":
        host = str(ip_address(host))
    return host, int(found["port"])


def names(value: object) -> tuple[str, ...]:
    return tuple(each.lower() for each in texts(value))


def dataset_name(value: object) -> str:
    if not isinstance(value, str) or not _NAME.fullmatch(value):
        raise ValueError
    return value


def ledger(value: object) -> str:
    if text(value) == ":memory:":
        raise ValueError
    return text(value)


def mechanism(value: object) -> str:
    if value not in MECHANISMS:
        raise ValueError
    return text(value)


def categories(value: object) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise ValueError
    return {str(name): texts(each) for name, each in value.items()}


def shares(value: object) -> dict[str, str]:
    """Shares as texts; a float of TOML stands for the decimal it prints as."""
    if not isinstance(value, dict):
        raise ValueError
    found = {}
    for name, each in value.items():
        if isinstance(each, bool) or not isinstance(each, str | int | float):
            raise ValueError
        try:
            share = Fraction(str(each))
        except ZeroDivisionError:
            raise ValueError from None
        if not 0 <= share <= 1:
            raise ValueError
        found[str(name)] = str(each)
    return found


_FILE = Key("the path of a file", text)
_WHOLE = Key("an integer of at least 1", whole)
_COLUMN = Key("the name of a column", text)

NAME = Key("of letters, digits, - and _, at most 64", dataset_name)

GATEWAY: Mapping[str, Key] = MappingProxyType(
    {
        "address": Key(
            "HOST:PORT, with a number or localhost as HOST, such as 127.0.0.1:8417 or [::1]:8417",
            address,
        ),
        "names": Key("a list of host names", names),
        "workers": _WHOLE,
        "threads": _WHOLE,
        "tls_certificate": _FILE,
        "tls_key": _FILE,
        "tokens": _FILE,
        "audit_log": Key("the path of a file, or none", text),
        "quantum": Key("seconds, or a text such as 50ms", seconds),
    }
)

LIMITS: Mapping[str, Key] = MappingProxyType(
    {
        "rate": Key("a number of at least 0", number),
        "burst": _WHOLE,
        "body": _WHOLE,
        "scores": _WHOLE,
        "questions": _WHOLE,
        "waiting": _WHOLE,
        "patience": Key("seconds above 0, or a text such as 30s", patience),
    }
)

BOARD: Mapping[str, Key] = MappingProxyType({"folder": Key("the folder of a board", text)})

DATASET: Mapping[str, Key] = MappingProxyType(
    {
        "source": Key("a file, a pattern of files, or the address of a table", text),
        "ledger": Key("a file or postgresql://…, not memory, which forgets what is spent", ledger),
        "confidence": Key("strictly between 0 and 1, such as 0.95", chance),
        "questions": _WHOLE,
        "rounds": _WHOLE,
        "failures": _WHOLE,
        "tolerance": Key("a number above 0", positive),
        "mechanism": Key(f"one of {', '.join(MECHANISMS)}", mechanism),
        "categories": Key("a table of lists of texts, by column", categories),
        "complete": Key('a list of columns, or all as ["*"]', texts),
        "shares": Key("a table of shares from 0 to 1, such as 1/4, by analyst", shares),
        "about": Key("a text", words),
        "label": _COLUMN,
        "id": _COLUMN,
        "groups": Key("a list of columns", texts),
        "metric": Key("the name of a metric, such as accuracy", text),
    }
)
