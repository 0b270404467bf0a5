"""`peekproof ledger export`: all entries as JSON Lines, which anyone can recheck."""

import sys
from contextlib import closing

import click

from peekproof.cli import render
from peekproof.cli.ledger_file import new_file
from peekproof.cli.ledger_opening import open_ledger
from peekproof.ledger.export import export as export_to


@click.command()
@click.argument("path")
@click.option("--out", metavar="FILE", help="A new file. [default: standard output]")
def export(path: str, out: str | None) -> None:
    """Write all entries as JSON Lines; PATH is the ledger or its data file.

    The chain can be rechecked with nothing but SHA-256; the page on the ledger's format shows how.
    """
    with closing(open_ledger(path)) as book:
        click.echo(
            "Warning: the export holds the fingerprint of the data and the keys of the ledger, "
            "because the chain covers them. It is for the custodian, not for analysts.",
            err=True,
        )
        if out is None:
            export_to(book, sys.stdout)
            return
        with new_file(out) as file:
            entries = export_to(book, file)
        render.line(f"{book.place}: {entries:,} entries written to {out}")
