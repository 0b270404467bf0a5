"""Where the ledger of a source is, if nobody says."""

from pathlib import Path

from peekproof.core.errors import InvalidInput
from peekproof.data.load import is_address, is_pattern
from peekproof.ledger.sqlite import MEMORY


def place_of(source: object, ledger: str | Path | None) -> str:
    """The ledger that was named, or the file beside a file; memory for what has no file.

    A database or a set of files may not be where this process may write, so theirs is named.
    """
    if isinstance(ledger, str | Path):
        return str(ledger)
    if ledger is not None:
        raise InvalidInput(argument="ledger", accepted='a path, or ":memory:"', given=repr(ledger))
    if not isinstance(source, str | Path):
        return MEMORY
    if is_address(source) or is_pattern(source):
        raise InvalidInput(
            argument="ledger",
            accepted="named for data in a database or in several files",
            given="none",
            hint="such as flights.peekproof, and the same one each time",
        )
    return f"{source}.peekproof"
