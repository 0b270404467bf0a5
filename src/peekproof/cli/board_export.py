"""`peekproof board export` and `verify`: the signed result of a board."""

from pathlib import Path

import click

from peekproof.cli import options, render
from peekproof.core.errors import DataError
from peekproof.learn.board.board import Board
from peekproof.learn.board.export import export_text, verify_export
from peekproof.learn.board.writing import write_whole


@click.command()
@click.argument("name")
@click.option("--out", metavar="FILE", help="Where to write it. [default: NAME.board.json]")
@options.as_json
def export(name: str, out: str | None, json_wanted: bool) -> None:
    """Write the signed result of the board NAME, which must be closed."""
    with Board.open(name) as opened:
        text = export_text(opened.export())
        key, stem = opened.settings.public_key, opened.folder.name
    path = Path(out or f"{stem}.json")
    try:
        write_whole(path, text.encode())
    except OSError as error:
        problem, hint = f"cannot be written ({error.strerror})", "name another file with --out"
        raise DataError(source=str(path), problem=problem, hint=hint) from error
    if json_wanted:
        render.as_json({"file": str(path), "public_key": key})
    else:
        render.line(f"{path} is signed; verify it with the public key {key}")


@click.command()
@click.argument("file")
@click.option(
    "--public-key", required=True, metavar="HEX", help="The key the board was announced with."
)
@click.option("--receipt", metavar="HEX", help="Also find this entry among those recorded.")
@options.as_json
def verify(file: str, public_key: str, receipt: str | None, json_wanted: bool) -> None:
    """Check the signed result in FILE against a public key."""
    try:
        content = Path(file).read_bytes()
    except OSError as error:
        problem, hint = f"cannot be read ({error.strerror})", "name the export of a board"
        raise DataError(source=file, problem=problem, hint=hint) from error
    found = verify_export(content, public_key)
    receipts = found["entries"]["receipts"]
    if receipt is not None and receipt not in receipts:
        hint = "compare it with what the team was given"
        raise DataError(source=file, problem="does not record this receipt", hint=hint)
    if json_wanted:
        render.as_json({"verified": True, "title": found["settings"]["title"]})
        return
    winners = [each["team"] for each in found["final"]["finalists"] if each["rank"] == 1]
    render.line(
        f"{file} was signed by this key and is as it was: {found['settings']['title']}, "
        f"{len(receipts):,} entries, first: {', '.join(winners)}"
    )
    if receipt is not None:
        render.line(f"entry {receipts.index(receipt) + 1} is this receipt's")
