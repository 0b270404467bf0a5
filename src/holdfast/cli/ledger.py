"""`holdfast ledger`: what was asked and what is left, and whether the record is intact."""

from pathlib import Path

import click

from holdfast.cli import options, render
from holdfast.ledger.sqlite import Ledger


@click.group()
def ledger() -> None:
    """Look at the record of what was asked and spent."""


def _open(path: str) -> Ledger:
    """The ledger at `path`, or the one beside the data file `path`."""
    beside = Path(f"{path}.holdfast")
    return Ledger.open(str(beside) if beside.exists() else path)


@ledger.command()
@click.argument("path")
@options.as_json
def show(path: str, json_wanted: bool) -> None:
    """List the answers in a ledger; PATH is the ledger or the data file beside it."""
    book = _open(path)
    opening, answers, draws = book.opening, book.answers(), book.draws()
    lost = draws - len(answers)
    if json_wanted:
        summary = {
            "ledger": book.place,
            **opening.to_body(),
            "spent": str(book.spent().mu_squared),
            "draws": draws,
            "unsettled": lost,
            "remaining": opening.questions - draws,
            "answers": [
                {"question": each.text, "value": float(each.value)} for each in answers.values()
            ],
        }
        render.as_json(summary)
        return
    render.line(
        f"{book.place}: {opening.rows:,} rows ({opening.fingerprint}), confidence "
        f"{float(opening.confidence):g}"
    )
    render.line(
        f"{draws:,} of {opening.questions:,} questions spent, {opening.questions - draws:,} left"
    )
    if lost:
        render.line(f"{lost:,} paid for but never answered (the process stopped in between)")
    if answers:
        rows = [[f"{float(each.value):.4f}", each.text] for each in answers.values()]
        render.table(["share", "question"], rows)


@ledger.command()
@click.argument("path")
@options.as_json
def verify(path: str, json_wanted: bool) -> None:
    """Recheck every link of the chain and every amount from the first entry."""
    book = _open(path)
    entries = book.verify()
    if json_wanted:
        render.as_json({"ledger": book.place, "entries": entries, "intact": True})
    else:
        render.line(f"{book.place}: {entries:,} entries, chain and amounts intact")
