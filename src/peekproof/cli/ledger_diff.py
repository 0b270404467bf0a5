"""`peekproof ledger diff`: whether two ledgers are one, continue one another, or part."""

import json
from contextlib import closing

import click

from peekproof.cli import options, render
from peekproof.cli.ledger_opening import open_ledger
from peekproof.ledger.diff import (
    Difference,
    FirstContinues,
    Identical,
    Parted,
    SecondContinues,
    difference,
)
from peekproof.ledger.entry import Body, Entry, checked
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.opening import without_keys

DIFFERENT = 1


@click.command()
@click.argument("first")
@click.argument("second")
@options.as_json
@click.pass_context
def diff(context: click.Context, first: str, second: str, json_wanted: bool) -> None:
    """Compare two ledgers or exports, FIRST and SECOND.

    Exit code 0 if they are identical, 1 if one continues the other or they part.
    """
    with closing(open_ledger(first)) as one, closing(open_ledger(second)) as other:
        found = difference(
            *(checked(book.stream(), after=None, ledger=book.place) for book in (one, other))
        )
        if json_wanted:
            render.as_json({"first": one.place, "second": other.place, **_to_dict(found)})
        else:
            _show(found, one, other)
    if not isinstance(found, Identical):
        context.exit(DIFFERENT)


def _show(found: Difference, one: Ledger, other: Ledger) -> None:
    match found:
        case Identical(entries):
            render.line(f"identical: {entries:,} entries")
        case FirstContinues(shared, more):
            _show_continued(one.place, other.place, shared, more)
        case SecondContinues(shared, more):
            _show_continued(other.place, one.place, shared, more)
        case Parted(shared, first, second):
            render.line(f"they part at entry {shared + 1:,}, after {shared:,} that are the same")
            for place, entry in ((one.place, first), (other.place, second)):
                said = json.dumps(_body(entry), ensure_ascii=False)
                render.line(f"{place}: {entry.kind} {entry.digest.hex()[:16]}… {said}")


def _show_continued(longer: str, shorter: str, shared: int, more: int) -> None:
    render.line(f"{longer} continues {shorter}: {more:,} more entries after the same {shared:,}")


def _to_dict(found: Difference) -> dict[str, object]:
    match found:
        case Identical(entries):
            return {"difference": "identical", "shared": entries}
        case FirstContinues(shared, more):
            return {"difference": "first continues second", "shared": shared, "more": more}
        case SecondContinues(shared, more):
            return {"difference": "second continues first", "shared": shared, "more": more}
        case Parted(shared, first, second):
            parted = {"first_entry": _entry(first), "second_entry": _entry(second)}
            return {"difference": "parted", "shared": shared, **parted}


def _entry(entry: Entry) -> dict[str, object]:
    return {
        "sequence": entry.sequence,
        "kind": entry.kind,
        "body": _body(entry),
        "digest": entry.digest.hex(),
    }


def _body(entry: Entry) -> Body:
    """What an entry says, without keys."""
    return without_keys(entry.body)
