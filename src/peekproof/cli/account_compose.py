"""`peekproof account compose`: what events cost together, by every theorem."""

import sys
from collections.abc import Iterable
from pathlib import Path

import click

from peekproof.accounting.catalogue import compare, covered_by_none, covering
from peekproof.accounting.events import number, parse_all
from peekproof.cli import options, render
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import level_up


@click.command()
@click.argument("events", nargs=-1)
@click.option("--file", "path", type=click.Path(), help="A file with an event a line, or - .")
@options.delta
@click.option("--epsilon", help="Ask for the δ at this ε instead.")
@options.neighbours
@options.as_json
def compose(
    events: tuple[str, ...],
    path: str | None,
    delta: str,
    epsilon: str | None,
    neighbours: str,
    json_wanted: bool,
) -> None:
    """What the EVENTS cost together, by every theorem that covers them."""
    lines = [*events, *(_read(path) if path else [])]
    conversation = parse_all(lines, neighbours=options.RELATIONS[neighbours])
    if not conversation.counts:
        raise InvalidInput(
            argument="events", accepted="at least one, or a --file", given="none of them"
        )
    if epsilon is None:
        level = number(delta, argument="--delta")
        found = [(row.accountant, row.epsilon) for row in compare(conversation, delta=level)]
        wanted, given = "epsilon", {"delta": float(level)}
    else:
        level = number(epsilon, argument="--epsilon")
        by_accountant = [
            (accountant, accountant.delta(conversation, epsilon=level))
            for accountant in covering(conversation)
        ]
        found = sorted(by_accountant, key=lambda pair: pair[1])
        wanted, given = "delta", {"epsilon": float(level)}
    if not found:
        raise covered_by_none(conversation)
    if json_wanted:
        rows = [
            {
                "accountant": accountant.NAME,
                wanted: level_up(value),
                "theorems": list(accountant.THEOREMS),
            }
            for accountant, value in found
        ]
        relation = conversation.neighbours.value
        render.as_json(
            {"answers": len(conversation), "neighbours": relation, **given, "bounds": rows}
        )
        return
    ((name, value),) = given.items()
    render.line(f"{len(conversation):,} answers at {name} {value:g}, the tightest bound first:")
    table = [
        [render.upper(v), accountant.NAME, ", ".join(accountant.THEOREMS)]
        for accountant, v in found
    ]
    render.table([wanted, "accountant", "theorems"], table)


def _read(path: str) -> Iterable[str]:
    try:
        return (sys.stdin.read() if path == "-" else Path(path).read_text("utf-8")).splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(
            argument="--file", accepted="a text file with an event a line", given=path
        ) from error
