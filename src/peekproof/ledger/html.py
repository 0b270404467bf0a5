"""A ledger for notebooks: what was promised, what is used, by whom, and what was asked last."""

from contextlib import suppress
from typing import TYPE_CHECKING

from peekproof.core.charge import used_part
from peekproof.core.errors import LedgerUnavailable
from peekproof.core.html import (
    Html,
    bold,
    box,
    budget_bar,
    code,
    faint,
    joined,
    lines,
    percent,
    table,
    text,
)
from peekproof.core.numerics import level_down
from peekproof.ledger.snapshot import answers_after
from peekproof.ledger.state import Accounts, State

if TYPE_CHECKING:
    from peekproof.ledger.ledger import Ledger

_LATEST = 5
_MOST_ANALYSTS = 50


def ledger_html(ledger: "Ledger") -> str:
    """As of its last look: nothing is written, and a closed one can be shown too.

    Answers without their intervals would mislead, and those are the session's to tell.
    """
    state, opening = ledger.seen, ledger.opening
    part = used_part(state.spent, opening.budget)
    promise = (
        f"{opening.questions:,} questions about {opening.rows:,} rows, all together with "
        f"confidence {level_down(opening.confidence)}, drawn by {opening.mechanism.get('kind')}"
    )
    counted = f"{state.draws:,} asked; {percent(part)} of the budget used"
    return box(
        lines(
            joined((bold("Ledger"), code(ledger.public_place)), " "),
            text(promise),
            joined((budget_bar(part), text(counted)), " "),
            faint(text(_entries(state))),
        ),
        _analysts(state.accounts),
        _latest(state),
    )


def _entries(state: State) -> str:
    count = state.last.sequence if state.last else 0
    said = [f"{count:,} {'entry' if count == 1 else 'entries'}"]
    if state.overrides:
        times = f" {len(state.overrides):,} times" if len(state.overrides) > 1 else ""
        said.append(f"overridden by the custodian{times}")
    if state.closed:
        said.append("closed for good")
    return ", ".join(said)


def _analysts(accounts: Accounts) -> Html:
    """Who used how much; nothing if nobody gave a name and nothing is set aside."""
    names = sorted({*tuple(accounts.by_name), *tuple(accounts.shares)})
    if not any(names):
        return Html("")
    rows = [
        (
            text(name) if name else faint(text("no name")),
            text(percent(float(accounts.shares[name])) if name in accounts.shares else ""),
            budget_bar(accounts.part(name)),
            text(percent(accounts.part(name))),
            text(f"{accounts.of(name).draws:,}"),
        )
        for name in names[:_MOST_ANALYSTS]
    ]
    head = ("analyst", "share", "of the whole budget", "used", "questions")
    more = len(names) - len(rows)
    return joined((table(head, rows), faint(text(f"and {more:,} more")) if more else Html("")))


def _latest(state: State) -> Html:
    """The last questions that were answered."""
    with suppress(LedgerUnavailable):  # old answers lie in the store, which may be closed
        count = len(state.answers)
        first = max(0, count - _LATEST)
        latest = answers_after(state.answers, first)
        named = any(each.analyst for each in latest)
        rows = [
            (faint(text(f"{number:,}")), code(each.text), text(each.analyst))
            for number, each in enumerate(latest, start=first + 1)
        ]
        head = ("", "last answered", "analyst" if named else "")
        return table(head, rows) if rows else Html("")
    return Html("")
