"""`peekproof ledger move`: from a file to PostgreSQL, or back."""

from dataclasses import asdict
from pathlib import Path

import click

from peekproof.cli import options, render
from peekproof.ledger.exported import is_export, only_read
from peekproof.ledger.move import move as moved
from peekproof.session.custody import witness_of


@click.command()
@click.argument("source")
@click.argument("target")
@options.as_json
def move(source: str, target: str, json_wanted: bool) -> None:
    """Carry a ledger over from a file to PostgreSQL, or back.

    SOURCE is the ledger or its data file, TARGET postgresql://…; or the reverse. The old place is
    retired and says where the ledger went. After an interruption, run it again.
    """
    if "://" not in source:
        beside = Path(f"{source}.peekproof")
        source = str(beside) if beside.exists() else source
        if is_export(Path(source)):
            raise only_read(source)
    found = moved(source, target, witness=witness_of(source))
    if json_wanted:
        render.as_json(asdict(found))
    else:
        render.line(f"{found.source}: moved to {found.ledger}, {found.entries:,} entries")
