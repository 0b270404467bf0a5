"""Options that several commands share: flags, progress bars of passes over all rows, plots.

Commands that need no engine import this, so nothing here may import one.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import final

import click

from peekproof.cli import render
from peekproof.core.errors import InvalidInput

as_json = click.option("--json", "json_wanted", is_flag=True, help="Print JSON.")

confidence = click.option(
    "--confidence", type=float, help="Chance that all intervals hold together. [default: 0.95]"
)

yes = click.option("--yes", is_flag=True, help="Ask what is dear without being asked for consent.")
analyst = click.option(
    "--analyst",
    default="",
    metavar="NAME",
    help="Who asks, within what share.",
)


def _declared(
    _: click.Context, __: click.Parameter, given: tuple[str, ...]
) -> dict[str, list[str]]:
    found = {}
    for each in given:
        name, sign, values = each.partition("=")
        if not sign or not name.strip():
            raise click.BadParameter(f"write COLUMN=VALUE,VALUE,… (got {each!r})")
        found[name.strip()] = [value.strip() for value in values.split(",")]
    return found


categories = click.option(
    "--categories",
    multiple=True,
    callback=_declared,
    metavar="COLUMN=VALUE,…",
    help="Which values a text column has, for histograms and groups; may be repeated.",
)


def _listed(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> list[str]:
    return [name.strip() for each in given for name in each.split(",")]


complete = click.option(
    "--complete",
    multiple=True,
    callback=_listed,
    metavar="COLUMN,…",
    help="Columns with a value in every row, or '*' for all: their means cost one question.",
)


@final
class RowBar:
    """What a source tells how many rows are done; a bar is drawn while it is `shown`."""

    def __init__(self) -> None:
        self._advance: Callable[[str, int, int], None] | None = None

    def __call__(self, done: int, total: int) -> None:
        if self._advance:
            self._advance("reading rows", done, total)

    @contextmanager
    def shown(self) -> Iterator[None]:
        """Draw the bar; it is gone before anything else is printed."""
        with render.progress() as advance:
            self._advance = advance
            try:
                yield
            finally:
                self._advance = None


def drawable(plot: str) -> Path:
    """The path of a picture that can be drawn."""
    path = Path(plot)
    if path.suffix.lower() not in {".png", ".svg", ".pdf"} or not path.parent.is_dir():
        raise InvalidInput(
            argument="--plot",
            accepted="a .png, .svg or .pdf file in a folder that exists",
            given=plot,
        )
    if path.is_dir() or not os.access(path if path.exists() else path.parent, os.W_OK):
        raise InvalidInput(argument="--plot", accepted="a file that can be written", given=plot)
    if not find_spec("matplotlib"):
        raise InvalidInput(
            argument="--plot",
            accepted="used with matplotlib installed",
            given="no matplotlib",
            hint="pip install 'peekproof[plot]'",
        )
    return path
