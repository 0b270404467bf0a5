"""Opening data for a command, once it is clear that the command can be served."""

from collections.abc import Callable, Collection, Iterable

from holdfast.core import check
from holdfast.core.refusals import BudgetExhausted
from holdfast.data.table import Table
from holdfast.ledger.file import MEMORY
from holdfast.ledger.ledger import Ledger
from holdfast.ledger.places import named
from holdfast.planner.limited import Limit
from holdfast.planner.plan import Mechanism, Plan
from holdfast.session.opening import new_plan
from holdfast.session.opening import open as open_data
from holdfast.session.request import Request
from holdfast.session.session import Session


def place_of(file: str, ledger: str | None, table: Table, *, price_wanted: bool) -> str:
    """Where the ledger of a file is; a price for data that has none makes none."""
    place = named(ledger or f"{file}.holdfast", table.fingerprint)
    return MEMORY if price_wanted and not Ledger.exists(place) else place


def opened(
    table: Table,
    *,
    ledger: str,
    requested: Callable[[Plan], Iterable[Request]],
    confidence: float | None,
    questions: int | None,
    mechanisms: Collection[type[Mechanism]] | None = None,
    rounds: int | None = None,
    limit: Limit | None = None,
    analyst: str = "",
) -> Session:
    """A session on `table`. What is `requested` is tried on the plan before a ledger is made.

    A slip must not fix the promise.
    """
    if not Ledger.exists(ledger):
        plan = new_plan(
            table.rows,
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
    )
