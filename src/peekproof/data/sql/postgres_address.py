"""Where a table in PostgreSQL is: a URI for libpq, and after # the name of the table."""

import re
from dataclasses import dataclass, field
from typing import final
from urllib.parse import quote

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from peekproof.core.errors import DataError

_DEFAULTS = {"connect_timeout": "10", "application_name": "peekproof"}
_FIXED = {"client_encoding": "utf8"}
_PORTS = re.compile(r"[0-9, ]*")  # one for each host


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Address:
    """How to connect; `shown` is the same without a password."""

    connection: str = field(repr=False)
    shown: str


def read_address(where: str, names: tuple[str | None, str]) -> Address:
    """The address of a table in the database that a URI names."""
    try:
        parts = {key: str(value) for key, value in conninfo_to_dict(where).items()}
    except psycopg.Error:
        # Its message may quote a password that was taken for something else.
        raise _refused() from None
    where_shown = [parts.get(each, "") for each in ("host", "hostaddr", "port", "dbname")]
    if any("@" in each for each in where_shown) or not _PORTS.fullmatch(parts.get("port", "")):
        raise _refused()
    user, host = parts.get("user", ""), parts.get("host") or parts.get("hostaddr", "")
    socket = host.startswith("/")
    start = f"{quote(user)}@" if user else ""
    port = f":{parts['port']}" if "port" in parts else ""
    tail = f"?host={quote(host)}" if socket else ""
    table = ".".join(quote(each) for each in names if each is not None)
    database = quote(parts.get("dbname", ""))
    return Address(
        connection=make_conninfo(**{**_DEFAULTS, **parts, **_FIXED}),
        shown=f"postgresql://{start}{'' if socket else host}{port}/{database}{tail}#{table}",
    )


def _refused() -> DataError:
    """The error repeats nothing of the address, since any of it may be a password."""
    return DataError(
        source="the address",
        problem="is not one that libpq can read",
        hint="write postgresql://USER@HOST/DATABASE#TABLE, and %40 for an @ in a password, "
        "%2F for a /, %3F for a ?, %23 for a #, %25 for a %",
    )
