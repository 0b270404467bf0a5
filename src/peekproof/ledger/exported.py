"""An export as a store that can only be read, so that all that reads ledgers reads exports."""

from array import array
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NoReturn, TypeVar, final

from peekproof.core.errors import LedgerUnavailable
from peekproof.ledger.entry import Entry
from peekproof.ledger.export import numbered, parsed_line, unreadable
from peekproof.ledger.sqlite import begins, is_database
from peekproof.ledger.store import Snapshot

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
