"""`holdfast ledger`: what was asked and what is left, and whether the record is intact."""

from contextlib import closing
from pathlib import Path

import click

from holdfast.cli import options, render
from holdfast.cli.record import Record
from holdfast.core.charge import amount_of
from holdfast.core.errors import LedgerMissing
from holdfast.core.numerics import decimal_up, level_down
from holdfast.ledger.sqlite import Ledger
from holdfast.mechanisms.checking import Checking
from holdfast.mechanisms.splitting import without_key
from holdfast.noise.entropy import SystemEntropy
from holdfast.planner.plan import Plan
from holdfast.planner.recorded import recorded_plan
from holdfast.planner.remaining import remaining_questions, remaining_rounds


@click.group()
def ledger() -> None:
    """Look at the record of what was asked and spent."""


def _open(path: str) -> Ledger:
    """The ledger at `path`, or the one beside the data file `path`."""
    beside = Path(f"{path}.holdfast")
    if beside.exists():
        return Ledger.open(str(beside))
    if not path.endswith(".holdfast") and not _is_database(Path(path)):
        raise LedgerMissing(ledger=path)
    return Ledger.open(path)


def _promise(plan: Plan) -> str:
    if isinstance(plan.mechanism, Checking):
        return "guesses are checked"
    return f"±{decimal_up(plan.radius)}"


def _is_database(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(16) == b"SQLite format 3\0"


@ledger.command()
@click.argument("path")
@options.as_json
def show(path: str, json_wanted: bool) -> None:
    """List what was asked; PATH is the ledger or its data file."""
    with closing(_open(path)) as book:
        opening, answers, draws = book.opening, book.answers(), book.draws()
        plan = recorded_plan(opening, ledger=book.place)
        lost = sum(len(questions) for questions in book.seen.pending.values())
        left = remaining_questions(plan, spent=book.spent(), draws=draws)
        records = [Record.of(plan, each, ledger=book.place) for each in answers.values()]
        if json_wanted:
            summary = {
                "ledger": book.place,
                **opening.to_body(),
                "mechanism": without_key(opening.mechanism),
                "confidence": level_down(opening.confidence),
                "spent": str(amount_of(book.spent())),
                "draws": draws,
                "unsettled": lost,
                "remaining": left,
                "radius": plan.radius,
                "answers": [each.to_dict() for each in records],
            }
            render.as_json(summary)
            return
        render.line(
            f"{book.place}: {opening.rows:,} rows ({opening.fingerprint}), "
            f"{_promise(plan)} at confidence {level_down(opening.confidence)}"
        )
        if opening.entropy != SystemEntropy.description:
            render.line(f"noise from {opening.entropy}")
        rounds = remaining_rounds(plan, spent=book.spent())
        in_rounds = "" if rounds is None else f" in {rounds:,} more rounds"
        render.line(
            f"{draws:,} of {opening.questions:,} questions asked, {left:,} more as planned"
            f"{in_rounds}"
        )
        if lost:
            render.line(f"{lost:,} paid for but never answered (the process stopped in between)")
        if answers:
            rows = [line for each in records for line in each.lines()]
            render.table(["value", "low", "high", "question"], rows)


@ledger.command()
@click.argument("path")
@options.as_json
def verify(path: str, json_wanted: bool) -> None:
    """Recheck every entry; PATH is the ledger or its data file."""
    with closing(_open(path)) as book:
        entries = book.verify()
    if json_wanted:
        render.as_json({"ledger": book.place, "entries": entries, "intact": True})
    else:
        render.line(f"{book.place}: {entries:,} entries, chain and amounts intact")
