"""`peekproof ledger replay`: what the entries amount to, worked out from nothing."""

from contextlib import closing

import click

from peekproof.cli import options, render
from peekproof.cli.ledger_opening import open_ledger
from peekproof.core.charge import amount_of
from peekproof.core.numerics import level_down
from peekproof.session.replay import Replay
from peekproof.session.replay import replay as replayed


@click.command()
@click.argument("path")
@options.as_json
def replay(path: str, json_wanted: bool) -> None:
    """Replay a ledger or an export from nothing, and certify every answer anew.

    PATH is the ledger, its data file or an export. Whatever does not fit ends with exit code 4.
    """
    with closing(open_ledger(path)) as book, render.progress() as advance:
        found = replayed(book, progress=lambda done, total: advance("entries", done, total))
    if json_wanted:
        render.as_json({"ledger": found.place, **found.to_dict()})
    else:
        _show(found)


def _show(found: Replay) -> None:
    opening, state = found.opening, found.state
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in found.kinds.items())
    render.line(
        f"{found.place}: {opening.rows:,} rows ({opening.fingerprint}), confidence "
        f"{level_down(opening.confidence)}"
    )
    render.line(f"analysts and receipts call the data {opening.public_name}")
    render.line(f"{found.entries:,} entries: {kinds}")
    render.line(f"{state.draws:,} of {opening.questions:,} questions asked, {_part(found)} spent")
    render.line(
        f"answers: {len(state.answers):,}; certificates given again: {found.certificates:,}"
    )
    for what, count in (
        ("drawn twice, the first answer stands", len(state.repeated)),
        ("paid for but never answered (the process stopped in between)", found.unsettled),
        ("refused, more than was left", found.refusals),
        ("overrides by the custodian", len(state.overrides)),
    ):
        if count:
            render.line(f"{what}: {count:,}")
    if state.closed:
        render.line("closed: nothing new is answered")
    if any(state.accounts.by_name) or state.accounts.shares:
        _show_analysts(found)


def _show_analysts(found: Replay) -> None:
    accounts = found.state.accounts
    names = dict.fromkeys((*accounts.by_name, *accounts.shares))
    render.table(
        ["analyst", "questions", "spent", "refused", "share"],
        [
            [
                name or "(no name)",
                f"{accounts.of(name).draws:,}",
                _percent(found, name),
                f"{accounts.of(name).refusals:,}",
                f"{float(accounts.shares[name]):.2%}" if name in accounts.shares else "",
            ]
            for name in names
        ],
    )


def _part(found: Replay) -> str:
    return f"{float(amount_of(found.state.spent) / amount_of(found.opening.budget)):.2%}"


def _percent(found: Replay, name: str) -> str:
    spent = found.state.accounts.of(name).spent
    return f"{float(spent / amount_of(found.opening.budget)):.2%}"
