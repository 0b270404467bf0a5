"""Sessions of commands: where their ledgers are, how they are opened, consent to what is dear."""

import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import click

from peekproof.cli import render
from peekproof.core import check
from peekproof.core.errors import BudgetExhausted, InvalidInput
from peekproof.core.numerics import level_up
from peekproof.data.load import is_address, is_pattern
from peekproof.data.source import Source
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.places import named
from peekproof.ledger.sqlite import MEMORY
from peekproof.mechanisms.base import Limit, Mechanism
from peekproof.mechanisms.plan import Plan
from peekproof.session.opening import new_plan
from peekproof.session.opening import open as open_data
from peekproof.session.opening import place_of as session_place
from peekproof.session.pricing import is_dear
from peekproof.session.session import Session


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
    requested: Callable[[Plan], int],
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

    It says how many planned questions it takes, or raises.

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
        worth, size = requested(plan), plan.target.questions
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


@final
@dataclass(slots=True)
class Consent:
    """Whether whoever asks has seen the price of what is dear; asked for at most once."""

    given: bool

    def to(self, cost: Fraction, *, draws: int, left: int) -> None:
        """Go on, or refuse: a single slip must not use up what is left."""
        if self.given or not is_dear(cost, draws=draws) or cost > left:
            return  # what does not fit is refused anyway
        worth = render.planned(level_up(cost))
        if not sys.stdin.isatty():
            raise InvalidInput(
                argument="--yes",
                accepted=f"given for what costs as much as {worth}, of {left:,} that are left",
                given="nothing, and no terminal to ask at",
                hint="nothing was charged; --price says what each question costs",
            )
        click.confirm(
            f"That costs as much as {worth}; {left:,} are left. Ask?", abort=True, err=True
        )
        self.given = True
