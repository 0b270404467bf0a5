"""`peekproof ledger restore`: a road back from a damaged or lost ledger."""

from dataclasses import asdict
from pathlib import Path

import click

from peekproof.cli import options, render
from peekproof.core.errors import InvalidInput
from peekproof.ledger.exported import is_export
from peekproof.ledger.file import is_database
from peekproof.ledger.restoration import Restored
from peekproof.ledger.restoration import restore as restored
from peekproof.session.custody import check_reason, witness_of


@click.command()
@click.argument("source")
@click.option("--to", metavar="PATH", help="The ledger to make. [default: SOURCE, if it is one]")
@click.option("--reason", help="How you know that nothing was asked since, if no witness tells.")
@options.as_json
def restore(source: str, to: str | None, reason: str | None, json_wanted: bool) -> None:
    """Make a ledger from an export, or from what is intact of a damaged one.

    SOURCE is the damaged ledger, its data file or a complete export. A file that is in the way is
    kept under another name. What is lost counts as spent.
    """
    check_reason(**{"--reason": reason})
    path = _source(source)
    target = _target(path, to)
    found = restored(path, target, witness=witness_of(str(target)), reason=reason)
    if json_wanted:
        render.as_json({"ledger": found.place, **asdict(found)})
    else:
        _show(found)


def _source(given: str) -> Path:
    if "://" in given:
        raise InvalidInput(
            argument="SOURCE",
            accepted="a file",
            given="a database",
            hint="restore an export or a backup of it to a file, and move that with peekproof "
            "ledger move",
        )
    path, beside = Path(given), Path(f"{given}.peekproof")
    return beside if beside.exists() and not is_export(path) else path


def _target(source: Path, to: str | None) -> Path:
    if to is None:
        if is_export(source):
            raise InvalidInput(
                argument="--to",
                accepted="given with an export: the ledger to make, such as FILE.peekproof",
                given="none",
            )
        return source
    if "://" in to:
        raise InvalidInput(
            argument="--to",
            accepted="a file",
            given="a database",
            hint="restore to a file, and move that with peekproof ledger move",
        )
    path = Path(to)
    data = path.is_file() and not to.endswith(".peekproof") and not is_database(path)
    return Path(f"{to}.peekproof") if data else path


def _show(found: Restored) -> None:
    render.line(
        f"{found.place}: restored from {found.source}, {found.entries:,} entries up to "
        f"{found.digest[:16]}…"
    )
    if found.kept:
        render.line(f"what was there is kept as {found.kept}")
    if found.mended:
        render.line(f"a flipped bit was undone in {found.mended:,} of them")
    if found.lost:
        render.line(
            f"{found.lost:,} or more are lost and may have spent all that was left: what was "
            "answered stays free, and nothing new is answered"
        )
    elif found.seen:
        render.line("nothing that was seen is lost")
    else:
        render.line(
            f"no witness tells whether anything was written after entry {found.entries:,}: that "
            "nothing was is your word, which the ledger and its certificates repeat"
        )
