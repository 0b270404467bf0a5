"""Where the sources and ledgers of settings are, and what is named after them."""

from pathlib import Path
from urllib.parse import quote

from peekproof.data.load import is_address, is_pattern, scheme_of
from peekproof.server.settings import Dataset

_LEDGER = ".peekproof"
_LONGEST = 64


def source_from(folder: Path, source: str) -> str:
    """A source as a file in the folder means it."""
    if not is_address(source):
        return str(folder / source)
    place = source.partition("://")[2]
    if scheme_of(source) == "duckdb" and not place.startswith("/"):
        return f"duckdb://{quote(str(folder))}/{place}"
    return source


def ledger_from(folder: Path, ledger: str) -> str:
    """A ledger as a file in the folder means it."""
    return ledger if is_address(ledger) else str(folder / ledger)


def named_after(held: Dataset) -> Path:
    """What the gateway's own files are named after: the ledger, or else the data."""
    if held.ledger is not None and not is_address(held.ledger):
        return Path(held.ledger.removesuffix(_LEDGER))
    if is_address(held.source) or is_pattern(held.source):
        return Path(held.name)
    return Path(held.source)


def name_of(source: str) -> str:
    """A name for a data set, made of the file's or the table's."""
    if not is_address(source):
        stem = Path(source).stem
    else:
        table = source.rpartition("#")[2] if "#" in source else ""
        stem = Path(table).stem if "/" in table else table
    letters = "".join(each if each.isascii() and each.isalnum() else "-" for each in stem)
    words = "-".join(part for part in letters.split("-") if part)
    return words[:_LONGEST].rstrip("-") or "data"
