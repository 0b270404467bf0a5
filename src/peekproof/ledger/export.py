"""Ledgers as JSON Lines: every entry as it was chained, for people without Peekproof.

A line is an entry: its number, its kind, its body as the exact text that was hashed, and its
digest. The last line says how many there are and repeats the last digest, so that a file that
was cut off between two lines is not taken for a whole one.
"""

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Protocol, TextIO

from peekproof.core.errors import LedgerDamaged, LedgerUnavailable
from peekproof.ledger.entry import Entry, checked

_FIELDS = {"sequence": int, "kind": str, "body": str, "digest": str}
_HEX = 64

_AGAIN = (
    "Take another export or a backup, or export the ledger again while there is one (peekproof "
    "ledger export)"
)


class Source(Protocol):
    """Something that has entries: a ledger."""

    @property
    def place(self) -> str: ...

    def stream(self) -> Iterable[Entry]: ...


def export(ledger: Source, file: TextIO) -> int:
    """Write all entries of a ledger as JSON Lines, its chain checked on the way; their number.

    The first entry holds the key of a session on fresh rows: without it nobody could recompute
    the chain. An export is for the custodian, as a ledger is.
    """
    last: Entry | None = None
    for last in checked(ledger.stream(), after=None, ledger=ledger.place):
        file.write(entry_line(last))
    if last is None:
        raise LedgerDamaged(ledger=ledger.place, problem="has no entries")
    file.write(end_line(last))
    return last.sequence


def read_export(path: str | Path) -> Iterator[Entry]:
    """The entries of an export, in order; the first thing that does not fit raises.

    Only what `export` writes is accepted, byte for byte: one way to write an entry leaves no
    byte that could be changed unseen.
    """
    try:
        with Path(path).open("rb") as file:
            yield from (entry for _, entry in numbered(file, place=str(path)))
    except OSError as error:
        raise unreadable(str(path), error) from error


def numbered(file: BinaryIO, *, place: str) -> Iterator[tuple[int, Entry]]:
    """Each entry of an export and where its line begins, checked as `read_export` says."""
    start, ended = 0, False
    last: Entry | None = None
    for number, line in enumerate(file, start=1):
        if ended:
            raise _damaged(place, number, "follows the end")
        if last is not None and line == end_line(last).encode():
            ended = True
            continue
        (last,) = checked([parsed_line(line, number, place=place)], after=last, ledger=place)
        yield start, last
        start += len(line)
    if not ended:
        problem = "is cut off: its last line does not say how many entries there are"
        raise LedgerDamaged(ledger=place, problem=problem, hint=_AGAIN)


def parsed_line(line: bytes, number: int, *, place: str) -> Entry:
    """The entry on line `number`."""
    if not line.endswith(b"\n"):
        raise _damaged(place, number, "is cut off")
    try:
        found = json.loads(line.decode())
    except (ValueError, RecursionError) as error:
        raise _damaged(place, number, "is not JSON") from error
    if isinstance(found, dict) and found.keys() == {"entries", "digest"}:
        raise _damaged(place, number, "ends another list of entries than the lines before it")
    if not isinstance(found, dict) or found.keys() != _FIELDS.keys():
        raise _damaged(place, number, f"does not have the fields {', '.join(_FIELDS)}")
    for name, kind in _FIELDS.items():
        if type(found[name]) is not kind:
            raise _damaged(place, number, f"has a {name} that is no {kind.__name__}")
    if len(found["digest"]) != _HEX or set(found["digest"]) - set("0123456789abcdef"):
        raise _damaged(place, number, f"has a digest that is not {_HEX} hexadecimal digits")
    digest = bytes.fromhex(found["digest"])
    entry = Entry(found["sequence"], found["kind"], found["body"], digest)
    if entry_line(entry).encode() != line:
        raise _damaged(place, number, "is not written as an export writes it")
    return entry


def entry_line(entry: Entry) -> str:
    """The line of an entry."""
    return _line(
        {
            "sequence": entry.sequence,
            "kind": entry.kind,
            "body": entry.text,
            "digest": entry.digest.hex(),
        }
    )


def end_line(last: Entry) -> str:
    return _line({"entries": last.sequence, "digest": last.digest.hex()})


def _line(fields: dict[str, object]) -> str:
    return json.dumps(fields) + "\n"


def unreadable(place: str, error: OSError) -> LedgerUnavailable:
    """What an export that cannot be read is told as."""
    reason = (error.strerror or str(error)).lower()
    return LedgerUnavailable(ledger=place, problem=f"cannot be read ({reason})")


def _damaged(place: str, number: int, problem: str) -> LedgerDamaged:
    told = f"is damaged: line {number} {problem}"
    return LedgerDamaged(ledger=place, problem=told, hint=_AGAIN)
