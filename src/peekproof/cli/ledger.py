"""`peekproof ledger`: what was asked and what is left, and whether the record is intact."""

from contextlib import closing

import click

from peekproof.cli import options, render
from peekproof.cli.ledger_adopt import adopt
from peekproof.cli.ledger_custodian import analysts, close, share
from peekproof.cli.ledger_diff import diff
from peekproof.cli.ledger_export import export
from peekproof.cli.ledger_move import move
from peekproof.cli.ledger_opening import open_ledger
from peekproof.cli.ledger_receipt import receipt
from peekproof.cli.ledger_replay import replay
from peekproof.cli.ledger_restore import restore
from peekproof.cli.record import Record
from peekproof.core.charge import amount_of
from peekproof.core.numerics import decimal_up, level_down
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.opening import without_keys
from peekproof.ledger.witness import NONE
from peekproof.mechanisms.checking import Checking
from peekproof.mechanisms.limited_checking import LimitedChecking
from peekproof.noise.entropy import SystemEntropy
from peekproof.planner.paid import check_paid
from peekproof.planner.plan import Plan
from peekproof.planner.recorded import recorded_plan
from peekproof.planner.remaining import remaining_questions, remaining_rounds
from peekproof.query.schema import Schema
from peekproof.session.certified import Certifier
from peekproof.session.past import Past


@click.group()
def ledger() -> None:
    """Look at the record of what was asked and spent."""


def _promise(plan: Plan) -> str:
    if isinstance(plan.mechanism, Checking):
        return "guesses are checked"
    checked = ", guesses are checked," if isinstance(plan.mechanism, LimitedChecking) else ""
    return f"shares within ±{decimal_up(plan.radius)}{checked}"


def _failures(plan: Plan, book: Ledger) -> int:
    """How many guesses have failed, where that ends the conversation."""
    if not isinstance(plan.mechanism, LimitedChecking):
        return 0
    check_paid(plan, book.seen.offers.values(), ledger=book.place)
    return Past(schema=Schema({})).look(book.seen).failures


@ledger.command()
@click.argument("path")
@options.as_json
def show(path: str, json_wanted: bool) -> None:
    """List what was asked; PATH is the ledger, its data file or an export."""
    with closing(open_ledger(path)) as book:
        opening, answers, draws = book.opening, book.answers(), book.draws()
        plan = recorded_plan(opening, ledger=book.place)
        lost = sum(len(questions) for questions in book.seen.pending.values())
        failures = _failures(plan, book)
        left = remaining_questions(plan, spent=book.spent(), draws=draws, failures=failures)
        certifier = Certifier(plan, ledger=book.place)  # of all, for most have the same terms
        records = [
            Record.of(plan, each, by=certifier, ledger=book.place) for each in answers.values()
        ]
        if json_wanted:
            summary = {
                "ledger": book.place,
                **without_keys(opening.to_body()),
                "data": opening.public_name,
                "confidence": level_down(opening.confidence),
                "spent": str(amount_of(book.spent())),
                "draws": draws,
                "unsettled": lost,
                "remaining": left,
                "radius": plan.radius,
                "overrides": book.seen.overrides,
                "answers": [each.to_dict() for each in records],
            }
            render.as_json(summary)
            return
        render.line(
            f"{book.place}: {opening.rows:,} rows ({opening.fingerprint}), "
            f"{_promise(plan)} at confidence {level_down(opening.confidence)}"
        )
        render.line(f"analysts and receipts call the data {opening.public_name}")
        if opening.entropy != SystemEntropy.description:
            render.line(f"noise from {opening.entropy}")
        if opening.witness == NONE:
            render.line("opened without a witness: nothing tells whether it is the only ledger")
        for each in book.seen.overrides:
            render.line(f"overridden ({each['reason']}): {each['against']}")
        rounds = remaining_rounds(plan, spent=book.spent())
        in_rounds = "" if rounds is None else f" in {rounds:,} more rounds"
        render.line(
            f"{draws:,} of {opening.questions:,} questions asked, {left:,} more as planned"
            f"{in_rounds}"
        )
        if isinstance(plan.mechanism, LimitedChecking):
            render.line(f"{failures:,} of at most {plan.mechanism.failures:,} guesses failed")
        if lost:
            render.line(f"{lost:,} paid for but never answered (the process stopped in between)")
        if answers:
            rows = [line for each in records for line in each.lines()]
            render.table(["value", "low", "high", "question"], rows)


@ledger.command()
@click.argument("path")
@options.as_json
def verify(path: str, json_wanted: bool) -> None:
    """Recheck every entry; PATH is the ledger, its data file or an export."""
    with closing(open_ledger(path)) as book, render.progress() as advance:
        entries = book.verify(progress=lambda done, total: advance("entries", done, total))
    if json_wanted:
        render.as_json({"ledger": book.place, "entries": entries, "intact": True})
    else:
        render.line(f"{book.place}: {entries:,} entries, chain and amounts intact")


for command in (export, replay, diff, receipt, analysts, share, adopt, close, restore, move):
    ledger.add_command(command)
