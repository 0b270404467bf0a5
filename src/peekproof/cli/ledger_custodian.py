"""`peekproof ledger share`, `analysts` and `close`: what the custodian of a ledger decides."""

from contextlib import closing
from fractions import Fraction

import click

from peekproof.cli import options, render
from peekproof.cli.ledger_opening import open_ledger, open_to_write
from peekproof.core.errors import InvalidInput
from peekproof.ledger.ledger import Ledger
from peekproof.session.parsing import analyst_name

NAMELESS = "(no name)"


@click.command()
@click.argument("path")
@click.argument("shares", nargs=-1, metavar="NAME=SHARE…")
@options.as_json
def share(path: str, shares: tuple[str, ...], json_wanted: bool) -> None:
    """Set aside shares of the budget: ann=1/4 bob=0.5; those not named keep theirs.

    A share is part of the budget and of the questions, for this analyst alone; those without one
    have the rest together. NAME= takes a share back. What was asked before counts.
    """
    with closing(open_to_write(path) if shares else open_ledger(path)) as book:
        kept = dict(book.look().accounts.shares)
        for text in shares:
            name, amount = _read(text)
            kept.pop(name, None)
            if amount is not None:
                kept[name] = amount
        if shares:
            book.set_aside(kept)
        _show(book, json_wanted=json_wanted)


@click.command()
@click.argument("path")
@options.as_json
def analysts(path: str, json_wanted: bool) -> None:
    """Who asked how much, and how much they may."""
    with closing(open_ledger(path)) as book:
        _show(book, json_wanted=json_wanted)


@click.command()
@click.argument("path")
@click.confirmation_option(
    prompt="No new question will ever be answered from this ledger. Close it?"
)
def close(path: str) -> None:
    """Close a ledger for good; what was answered stays free."""
    with closing(open_to_write(path)) as book:
        book.retire()
        render.line(f"{book.place} is closed; questions asked: {book.draws():,}")


def _read(text: str) -> tuple[str, Fraction | None]:
    name, equals, amount = text.rpartition("=")
    if not name or not equals:
        raise InvalidInput(
            argument="NAME=SHARE", accepted="such as ann=1/4, or ann= to take it back", given=text
        )
    if not amount:
        return analyst_name(name), None
    try:
        share = Fraction(amount)
    except (ValueError, ZeroDivisionError):
        raise InvalidInput(
            argument="NAME=SHARE", accepted="a share from 0 to 1, such as 1/4 or 0.25", given=text
        ) from None
    return analyst_name(name), share


def _show(book: Ledger, *, json_wanted: bool) -> None:
    accounts = book.look().accounts
    lines = []
    for name in accounts.names:
        used, (_, left) = accounts.of(name), accounts.left(name)
        share = accounts.shares.get(name)
        lines.append(
            {
                "analyst": name,
                "share": None if share is None else str(share),
                "asked": used.draws,
                "refused": used.refusals,
                "spent": str(used.spent),
                "questions_left": left,
            }
        )
    if json_wanted:
        unnamed = str(accounts.share_of("")) if accounts.shares else None
        render.as_json({"ledger": book.place, "rest": unnamed, "analysts": lines})
        return
    render.table(
        ["analyst", "share", "asked", "refused", "of the budget", "questions left"],
        [
            [
                str(each["analyst"]) or NAMELESS,
                str(each["share"] or "of the rest" if accounts.shares else "of all"),
                f"{each['asked']:,}",
                f"{each['refused']:,}",
                f"{accounts.part(str(each['analyst'])):.1%}",
                f"{each['questions_left']:,}",
            ]
            for each in lines
        ],
    )
    if accounts.shares:
        rest = accounts.share_of("")
        render.line(f"{float(rest):.1%} of the budget is for all who have no share of their own")
