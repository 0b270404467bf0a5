"""`peekproof ledger receipt`: answers on paper."""

from collections.abc import Sequence
from contextlib import closing

import click

from peekproof.cli import options, render
from peekproof.cli.ledger_file import new_file
from peekproof.cli.ledger_opening import open_ledger
from peekproof.core.errors import InvalidInput
from peekproof.session.receipt import Receipt, receipts

_RULE = "\n" + "-" * 80 + "\n\n"
_FEWEST_DIGITS = 8


@click.command()
@click.argument("path")
@click.argument("question", required=False)
@click.option("--out", metavar="FILE", help="A new file. [default: standard output]")
@options.as_json
def receipt(path: str, question: str | None, out: str | None, json_wanted: bool) -> None:
    """Print a receipt for one answer, or for all of them.

    PATH is the ledger, its data file or an export. QUESTION is a question as `ledger show` lists
    it, its number in that list, or the first digits of its digest.
    """
    with closing(open_ledger(path)) as book:
        found = list(receipts(book))
    if question is not None:
        found = [_chosen(found, question)]
    listed = [each.to_dict() for each in found]
    if json_wanted and out is None:
        render.as_json(listed)
        return
    text = _RULE.join(each.text() for each in found) if found else "No answers yet.\n"
    if json_wanted:
        text = f"{render.json_text(listed)}\n"
    if out is None:
        render.line(text.removesuffix("\n"))
        return
    with new_file(out) as file:
        file.write(text)
    render.line(f"{len(found):,} {'receipt' if len(found) == 1 else 'receipts'} written to {out}")


def _chosen(found: Sequence[Receipt], question: str) -> Receipt:
    """The receipt that is asked for: by text first, for a question may be a number."""
    asked = " ".join(question.split())
    for each in found:
        if " ".join(each.question.split()) == asked:
            return each
    if asked.isdecimal() and 1 <= int(asked) <= len(found):
        return found[int(asked) - 1]
    digested = [each for each in found if each.digest.startswith(asked)]
    if len(asked) >= _FEWEST_DIGITS and len(digested) == 1:
        return digested[0]
    raise InvalidInput(
        argument="QUESTION",
        accepted=f"a question with an answer, or its number from 1 to {len(found):,}",
        given=repr(question)[:80],
        hint="`peekproof ledger show` lists them",
    )
