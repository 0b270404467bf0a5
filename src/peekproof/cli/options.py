"""Options that several commands share.

A bar for every pass that an engine makes over all rows.

Where a picture goes, checked before any work is done.

Opening data for a command, once it is clear that the command can be served.
"""

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import final

import click

from peekproof.accounting.events import Neighbours
from peekproof.cli import render
from peekproof.core import check
from peekproof.core.errors import BudgetExhausted, InvalidInput
from peekproof.data.load import is_address, is_pattern
from peekproof.data.source import Source
from peekproof.ledger.file import MEMORY
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.places import named
from peekproof.mechanisms.limited_checking import Limit
from peekproof.planner.plan import Mechanism, Plan
from peekproof.session.opening import new_plan
from peekproof.session.opening import open as open_data
from peekproof.session.place import place_of as session_place
from peekproof.session.request import Request
from peekproof.session.session import Session

RELATIONS = {"replace": Neighbours.REPLACE_ONE, "add-or-remove": Neighbours.ADD_OR_REMOVE_ONE}

as_json = click.option("--json", "json_wanted", is_flag=True, help="Print JSON.")

confidence = click.option(
    "--confidence", type=float, help="Chance that all intervals hold together. [default: 0.95]"
)

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

delta = click.option("--delta", default="1e-6", show_default=True, help="The δ to account for.")

neighbours = click.option(
    "--neighbours",
    type=click.Choice(list(RELATIONS)),
    default="replace",
    show_default=True,
    help="How the data may differ: what sensitivities are about.",
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


def place_of(file: str, ledger: str | None, table: Source, *, price_wanted: bool) -> str:
    """Where the ledger of a file is; a price for data that has none makes none."""
    if price_wanted and ledger is None and (is_address(file) or is_pattern(file)):
        return MEMORY
    place = named(session_place(file, ledger), table.fingerprint)
    return MEMORY if price_wanted and not Ledger.exists(place) else place


def opened(
    table: Source,
    *,
    ledger: str,
    requested: Callable[[Plan], Iterable[Request]],
    confidence: float | None,
    questions: int | None,
    mechanisms: Collection[type[Mechanism]] | None = None,
    rounds: int | None = None,
    limit: Limit | None = None,
    analyst: str = "",
    categories: Mapping[str, Sequence[str]] | None = None,
    complete: Collection[str] = (),
) -> Session:
    """A session on `table`. What is `requested` is tried on the plan before a ledger is made.

    A slip must not fix the promise.
    """
    if not Ledger.exists(ledger):
        plan = new_plan(
            table,
            confidence=None if confidence is None else check.probability(confidence=confidence),
            questions=questions,
            mechanisms=mechanisms,
            rounds=rounds,
            limit=limit,
        )
        worth, size = sum(each.worth for each in requested(plan)), plan.target.questions
        if worth > size:
            raise BudgetExhausted(asked=worth, remaining=size, questions=size)
    return open_data(
        table,
        confidence=confidence,
        questions=questions,
        rounds=rounds,
        failures=limit and limit.failures,
        tolerance=limit and limit.tolerance,
        ledger=ledger,
        mechanisms=mechanisms,
        analyst=analyst,
        categories=categories,
        complete=complete,
    )
