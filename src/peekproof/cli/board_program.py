"""`peekproof board program`: a board as the scoring program of a contest platform."""

from pathlib import Path

import click

from peekproof.cli import render
from peekproof.learn.board.programs import scored_codabench


@click.group()
def program() -> None:
    """Score submissions that a contest platform collects."""


@program.command()
@click.argument("input_dir")
@click.argument("output_dir")
@click.option("--board", "name", metavar="NAME", help="The board. [default: what ref/board names]")
@click.option("--team", help="Who submits. [default: what peekproof.json of the submission says]")
def codabench(input_dir: str, output_dir: str, name: str | None, team: str | None) -> None:
    """Score INPUT_DIR/res and write OUTPUT_DIR/scores.json, as Codabench calls it."""
    found = scored_codabench(Path(input_dir), Path(output_dir), board=name, team=team)
    render.line(f"{found['shown']}, {found['rank_text']}")
