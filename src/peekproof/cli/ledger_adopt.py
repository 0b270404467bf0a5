"""`peekproof ledger adopt`: the custodian answers for a ledger that was refused."""

from contextlib import closing
from pathlib import Path

import click

from peekproof.cli import options, render
from peekproof.core.errors import InvalidInput
from peekproof.ledger.exported import is_export, only_read
from peekproof.ledger.file import is_database
from peekproof.ledger.ledger import Ledger, nothing_to_override
from peekproof.session.custody import check_reason, witness_of
from peekproof.session.opening import open as open_data


@click.command()
@click.argument("path")
@click.option("--reason", required=True, help="Why you answer for it; certificates will say it.")
@click.option("--ledger", "place", metavar="PATH", help="The ledger, if it is not FILE.peekproof.")
@click.option("--questions", type=int, help="How many a new ledger allows. [default: as the last]")
@options.confidence
@options.as_json
def adopt(
    path: str,
    reason: str,
    place: str | None,
    questions: int | None,
    confidence: float | None,
    json_wanted: bool,
) -> None:
    """Go on with a ledger that was refused; PATH is the ledger or its data file.

    A data file whose ledger is lost gets a new one. The reason is recorded in the ledger.
    """
    check_reason(**{"--reason": reason})
    with closing(_adopted(path, reason, place, questions, confidence)) as book:
        against = str(book.overrides[-1]["against"])
        if json_wanted:
            said = {"ledger": book.place, "reason": reason, "against": against}
            render.as_json(said)
        else:
            render.line(f"{book.place}: adopted ({reason}), overriding {against}")


def _adopted(
    path: str, reason: str, place: str | None, questions: int | None, confidence: float | None
) -> Ledger:
    if "://" not in path and is_export(Path(path)):
        raise only_read(path, hint="name the ledger that it was made from, or its data file")
    data = not (path.endswith(".peekproof") or "://" in path or is_database(Path(path)))
    promised = place is not None or questions is not None or confidence is not None
    if promised and not data:
        raise InvalidInput(
            argument="PATH",
            accepted="a data file, if --ledger, --questions or --confidence is given",
            given="a ledger",
        )
    if data:
        session = open_data(
            path, ledger=place, questions=questions, confidence=confidence, override=reason
        )
        return session.ledger
    book = Ledger.open(path)
    try:
        witness = witness_of(path)
        if witness is None:
            raise nothing_to_override(reason)
        book.attend(witness, override=reason)
    except BaseException:
        book.close()
        raise
    return book
