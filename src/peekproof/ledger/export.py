"""Ledgers as JSON Lines: exporting every entry, reading exports, and comparing two of them.

A line is an entry: its number, its kind, its body as the exact text that was hashed, and its
digest. The last line says how many there are and repeats the last digest, so that a file that
was cut off between two lines is not taken for a whole one.
"""

import json
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path
from typing import BinaryIO, NoReturn, Protocol, TextIO, TypeVar, final

from peekproof.core.errors import LedgerDamaged, LedgerUnavailable
from peekproof.ledger.entry import Entry, checked
from peekproof.ledger.sqlite import begins, is_database
from peekproof.ledger.store import Snapshot

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


T = TypeVar("T")

_BEGINS = b'{"sequence": 1, '


def is_export(path: Path) -> bool:
    """Whether a file begins as an export does, or is named as one and is no ledger."""
    named = path.suffix == ".jsonl" and path.is_file() and not is_database(path)
    return named or begins(path, _BEGINS)


def only_read(
    place: str, *, hint: str = "name the ledger that it was made from"
) -> LedgerUnavailable:
    """What whoever wants to write to an export is told."""
    problem = "is an export, which is only read"
    return LedgerUnavailable(ledger=place, problem=problem, hint=hint)


@final
class ExportStore:
    """The entries of an export, checked when it is opened. Only where lines begin is kept."""

    def __init__(self, path: Path) -> None:
        self.place = str(path)
        try:
            self._file = path.open("rb")
        except OSError as error:
            raise unreadable(self.place, error) from error
        try:
            self._starts = array("Q", (at for at, _ in numbered(self._file, place=self.place)))
        except BaseException:
            self._file.close()
            raise

    def begin(self, *, after: int) -> list[Entry]:  # noqa: ARG002
        self._refuse()

    def commit(self, entries: Sequence[Entry]) -> None:  # noqa: ARG002
        self._refuse()

    def rollback(self) -> None:
        """Nothing was begun."""

    def read(self, *, after: int, most: int) -> list[Entry]:
        after = max(0, after)
        count = min(most, len(self._starts) - after)
        if count <= 0:
            return []
        try:
            self._file.seek(self._starts[after])
            lines = [self._file.readline() for _ in range(count)]
        except (OSError, ValueError) as error:
            raise LedgerUnavailable(ledger=self.place, problem="was closed") from error
        return [
            parsed_line(line, number, place=self.place)
            for number, line in enumerate(lines, start=after + 1)
        ]

    def snapshot(self) -> Snapshot | None:
        return None

    def save(self, snapshot: Snapshot, settled: Iterable[tuple[str, int]]) -> None:  # noqa: ARG002
        self._refuse()

    def settled(self, digest: str) -> int | None:  # noqa: ARG002
        return None

    def index(self) -> Iterator[tuple[str, int]]:
        return iter(())

    def close(self) -> None:
        self._file.close()

    def __del__(self) -> None:
        if hasattr(self, "_file"):
            self._file.close()

    def _refuse(self) -> NoReturn:
        raise only_read(self.place)


@final
@dataclass(frozen=True, slots=True)
class Identical:
    """Both have the same entries, so many."""

    entries: int


@final
@dataclass(frozen=True, slots=True)
class FirstContinues:
    """The first has all of the second's `shared` entries, and `more`."""

    shared: int
    more: int


@final
@dataclass(frozen=True, slots=True)
class SecondContinues:
    """The second has all of the first's `shared` entries, and `more`."""

    shared: int
    more: int


@final
@dataclass(frozen=True, slots=True)
class Parted:
    """After `shared` entries that are the same, each says something else."""

    shared: int
    first: Entry
    second: Entry


Difference = Identical | FirstContinues | SecondContinues | Parted


def difference(first: Iterable[Entry], second: Iterable[Entry]) -> Difference:
    """How two ledgers differ, by their entries in order; one digest covers all before it."""
    shared = first_more = second_more = 0
    for one, other in zip_longest(first, second):
        if one is None:
            second_more += 1
        elif other is None:
            first_more += 1
        elif one == other:
            shared += 1
        else:
            return Parted(shared, one, other)
    if first_more:
        return FirstContinues(shared, first_more)
    if second_more:
        return SecondContinues(shared, second_more)
    return Identical(shared)
