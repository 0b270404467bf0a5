"""Which ledger a path means: a database, the one beside a data file, or an export."""

from pathlib import Path

from peekproof.core.errors import LedgerMissing
from peekproof.ledger.exported import ExportStore, is_export, only_read
from peekproof.ledger.file import is_database
from peekproof.ledger.ledger import Ledger
from peekproof.session.custody import witness_of


def open_ledger(path: str) -> Ledger:
    """The ledger at `path` or beside the data file `path`, or the export `path`, only to read."""
    if "://" in path:
        return Ledger.open(path)
    beside = Path(f"{path}.peekproof")
    if beside.exists():
        return Ledger.open(str(beside))
    if is_export(Path(path)):
        return Ledger(ExportStore(Path(path)))
    if not path.endswith(".peekproof") and not is_database(Path(path)):
        raise LedgerMissing(ledger=path)
    return Ledger.open(path)


def open_to_write(path: str) -> Ledger:
    """The ledger that `path` means, under the eyes of the witness; an export is refused."""
    book = open_ledger(path)
    try:
        if "://" not in book.place and is_export(Path(book.place)):
            raise only_read(path)
        witness = witness_of(book.place)
        if witness:
            book.attend(witness)
    except BaseException:
        book.close()
        raise
    return book
