"""Which ledger a path means: a database, the one beside a data file, or an export."""

from pathlib import Path

from holdfast.core.errors import LedgerMissing, LedgerUnavailable
from holdfast.ledger.exported import ExportStore, is_export
from holdfast.ledger.ledger import Ledger
from holdfast.session.custody import witness_of

_DATABASE = b"SQLite format 3\0"


def open_ledger(path: str) -> Ledger:
    """The ledger at `path` or beside the data file `path`, or the export `path`, only to read."""
    if "://" in path:
        return Ledger.open(path)
    beside = Path(f"{path}.holdfast")
    if beside.exists():
        return Ledger.open(str(beside))
    if is_export(Path(path)):
        return Ledger(ExportStore(Path(path)))
    if not path.endswith(".holdfast") and not is_database(Path(path)):
        raise LedgerMissing(ledger=path)
    return Ledger.open(path)


def open_to_write(path: str) -> Ledger:
    """The ledger that `path` means, under the eyes of the witness; an export is refused."""
    book = open_ledger(path)
    try:
        if "://" not in book.place and is_export(Path(book.place)):
            raise LedgerUnavailable(
                ledger=path,
                problem="is an export, which is only read",
                hint="name the ledger that it was made from",
            )
        witness = witness_of(book.place)
        if witness:
            book.attend(witness)
    except BaseException:
        book.close()
        raise
    return book


def is_database(path: Path) -> bool:
    """Whether a file is an SQLite database."""
    if not path.is_file():
        return False
    try:
        with path.open("rb") as file:
            return file.read(len(_DATABASE)) == _DATABASE
    except OSError:
        return False  # whoever opens it can say why not
