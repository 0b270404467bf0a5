"""`peekproof board`: a leaderboard in a folder."""

from pathlib import Path

import click

from peekproof.cli import options, render
from peekproof.cli.board_export import export, verify
from peekproof.cli.board_program import program
from peekproof.cli.board_show import show, show_final
from peekproof.core.errors import InvalidInput
from peekproof.learn.board.board import Board


@click.group()
def board() -> None:
    """Run a leaderboard whose scores hold: create, submit, show, choose, close, export, verify."""


@board.command()
@click.argument("name")
@click.option("--labels", required=True, metavar="FILE", help="Columns id and label; groups.")
@click.option(
    "--final",
    required=True,
    metavar="FILE|SHARE",
    help="The same for the rows of the final, or a share of the labels to split off at random.",
)
@click.option("--metric", default="accuracy", show_default=True, help="What is scored.")
@options.confidence
@click.option(
    "--submissions",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    help="How many different predictions can be scored.",
)
@click.option("--per-team", metavar="SHARE", help="Which share of them each team has, as 1/10.")
@click.option(
    "--step", type=float, help="How much better an entry must be to be told. [default: 1/√rows]"
)
@click.option(
    "--corrections",
    type=click.IntRange(min=1),
    default=10,
    show_default=True,
    help="How many wrong declared scores of a team are corrected.",
)
@click.option("--title", default="", help="What the board is called.")
@click.option("--override", metavar="REASON", help="Why the labels may have a second ledger.")
@options.as_json
def create(
    name: str,
    labels: str,
    final: str,
    metric: str,
    confidence: float | None,
    submissions: int,
    per_team: str | None,
    step: float | None,
    corrections: int,
    title: str,
    override: str | None,
    json_wanted: bool,
) -> None:
    """Make the board NAME, a folder NAME.board, from labels."""
    with Board.create(
        name,
        labels=labels,
        final=_final(final),
        metric=metric,
        confidence=0.95 if confidence is None else confidence,
        submissions=submissions,
        per_team=per_team,
        step=step,
        corrections=corrections,
        title=title,
        override=override,
    ) as made:
        settings, folder = made.settings, made.folder
    if json_wanted:
        render.as_json({"board": str(folder), **settings.to_dict()})
        return
    render.line(
        f"{folder}: {settings.public_rows:,} rows for the public phase, "
        f"{settings.final_rows:,} for the final, {settings.submissions:,} submissions"
    )
    render.line(f"announce its public key: {settings.public_key}")


@board.command()
@click.argument("name")
@click.argument("predictions")
@click.option("--team", required=True, help="Who submits, within what share.")
@click.option("--name", "label", default="", help="What the team calls the entry.")
@click.option("--declared", type=float, help="The team's own estimate of the score.")
@click.option("--trained-on", type=int, help="How many rows that estimate was made from.")
@options.as_json
def submit(
    name: str,
    predictions: str,
    team: str,
    label: str,
    declared: float | None,
    trained_on: int | None,
    json_wanted: bool,
) -> None:
    """Score a file of PREDICTIONS (CSV, TSV, Parquet, or a zip with one) on the board NAME."""
    with Board.open(name) as opened:
        entry = opened.submit(
            team, Path(predictions), name=label, declared=declared, trained_on=trained_on
        )
        left = opened.left(team)
    if json_wanted:
        said = {**entry.to_dict(), "shown": entry.shown, "receipt": entry.digest, "left": left}
        render.as_json(said)
        return
    render.line(f"entry {entry.number} of {team}: {entry.shown} ({entry.told.value})")
    more = "1 submission" if left == 1 else f"{left:,} submissions"
    render.line(f"receipt {entry.digest}; {more} left")


@board.command()
@click.argument("name")
@click.argument("entry", type=int)
@click.option("--team", required=True, help="Whose entry it is.")
@options.as_json
def choose(name: str, entry: int, team: str, json_wanted: bool) -> None:
    """Send the ENTRY with this number to the final of the board NAME."""
    with Board.open(name) as opened:
        chosen = opened.choose(team, entry)
    if json_wanted:
        render.as_json(chosen.to_dict())
    else:
        render.line(f"{team} goes to the final with entry {chosen.number}: {chosen.shown}")


@board.command()
@click.argument("name")
@click.confirmation_option(
    prompt="No more submissions will be taken, and the final will be scored. Close the board?"
)
@options.as_json
def close(name: str, json_wanted: bool) -> None:
    """End the submissions of the board NAME and score the final. Again the same."""
    with Board.open(name) as opened:
        final = opened.close()
        higher = opened.metric.higher
    show_final(final, higher=higher, json_wanted=json_wanted)


def _final(text: str) -> str | float:
    """A share, or the name of a file."""
    try:
        share = float(text)
    except ValueError:
        return text
    if not 0 < share < 1:
        accepted = "a file, or a share between 0 and 1"
        raise InvalidInput(argument="--final", accepted=accepted, given=text)
    return share


board.add_command(show)
board.add_command(export)
board.add_command(verify)
board.add_command(program)
