"""Where a ledger in PostgreSQL is: a URI for libpq, and in it, as a parameter of ours, its name."""

import re
from dataclasses import dataclass, field
from typing import final
from urllib.parse import quote, unquote

from peekproof.core.errors import InvalidInput

FORM = "postgresql://USER@HOST/DATABASE?ledger=NAME"
_SCHEMES = ("postgresql://", "postgres://")
_PORTS = re.compile(r"[0-9, ]*")  # one for each host


def is_postgres(place: str) -> bool:
    """Whether a place is in a PostgreSQL database."""
    return place.startswith(_SCHEMES)


def separated(place: str) -> tuple[str, str | None]:
    """The URI as libpq knows it, and the ledger's name if the place gives one."""
    question = _question(place)
    if question < 0:
        return place, None
    parameters = place[question + 1 :].split("&")
    names = [unquote(each[7:]) for each in parameters if each.startswith("ledger=")]
    rest = "&".join(each for each in parameters if not each.startswith("ledger="))
    if len(names) > 1 or any(not name or "\0" in name for name in names):
        raise refused("with one name for the ledger: ?ledger=NAME")
    return place[:question] + (f"?{rest}" if rest else ""), names[0] if names else None


def named(place: str, fingerprint: str) -> str:
    """The place of the ledger for data with this fingerprint, where the place itself names none."""
    if not is_postgres(place) or separated(place)[1] is not None:
        return place
    return f"{place}{'?' if _question(place) < 0 else '&'}ledger={fingerprint}"


def _question(place: str) -> int:
    """Where the parameters of a URI start, or -1.

    As in libpq an "@" before the first "/" ends the credentials, which may hold a "?".
    """
    start = place.index("://") + 3
    ends = [where for mark in "@/" if (where := place.find(mark, start)) >= 0]
    return place.find("?", min(ends, default=start))


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """How to connect, and which ledger is meant. `shown` is the place without passwords."""

    connection: str = field(repr=False)
    name: str
    shown: str

    @classmethod
    def of(cls, place: str, parts: dict[str, str], connection: str) -> "Address":
        """The address of a place that libpq takes apart into `parts`."""
        name = separated(place)[1]
        if name is None:
            raise refused("with the ledger's name: ?ledger=NAME")
        where = [parts.get(each, "") for each in ("host", "hostaddr", "port", "dbname")]
        if any("@" in each for each in where):
            # Part of a password was taken for something that messages show.
            raise refused("without special characters in the password")
        if not _PORTS.fullmatch(parts.get("port", "")):
            # Without a host the password stands where a port does.
            raise refused("with a number for the port")
        return cls(connection=connection, name=name, shown=_shown(parts, name))


def refused(accepted: str) -> InvalidInput:
    """The error about a place. It repeats none of it, since any of it may be a password."""
    return InvalidInput(
        argument="ledger",
        accepted=f"a PostgreSQL URI {accepted}",
        given="another",
        hint=f"write {FORM}, and %40 for an @ in a password, %2F for a /, %3F for a ?, %25 for a %",
    )


def _shown(parts: dict[str, str], name: str) -> str:
    user, host = parts.get("user", ""), parts.get("host") or parts.get("hostaddr", "")
    socket = host.startswith("/")
    credentials = f"{quote(user)}@" if user else ""
    port = f":{parts['port']}" if "port" in parts else ""
    shown = {"host": host} if socket else {}
    shown |= {"service": parts["service"]} if "service" in parts else {}
    query = "&".join(f"{key}={quote(value)}" for key, value in {**shown, "ledger": name}.items())
    database = quote(parts.get("dbname", ""))
    return f"postgresql://{credentials}{'' if socket else host}{port}/{database}?{query}"
