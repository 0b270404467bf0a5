"""What a text that names data means: a file, several files, or a table in a database."""

import re
from pathlib import Path

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


def is_address(source: str | Path) -> bool:
    """Whether it is the address of a table, such as postgresql://host/db#table."""
    return isinstance(source, str) and bool(_SCHEME.match(source))


def is_pattern(source: str | Path) -> bool:
    """Whether it stands for several files: a folder, or a pattern like flights-*.parquet."""
    path = Path(source)
    if not str(source):
        return False  # nothing at all is not the folder where the program runs
    return path.is_dir() or (not path.exists() and bool(set("*?[") & set(str(source))))


def scheme_of(address: str) -> str:
    """What comes before the ://, in small letters."""
    return address.partition("://")[0].lower()


def shown(address: str) -> str:
    """The address as messages may show it: without a user, a password or options."""
    scheme, _, rest = address.partition("://")
    # What is before the last @ may all be a password, also with a # in it.
    place, _, table = rest.rpartition("@")[2].partition("#")
    host = place.partition("?")[0]
    return f"{scheme}://{host}#{table}" if table else f"{scheme}://{host}"
