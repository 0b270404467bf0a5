"""Whether the checks that a ledger records were made after the past that they name."""

from collections.abc import Mapping
from fractions import Fraction

from peekproof.core.errors import LedgerDamaged
from peekproof.data.statistic import NAMED
from peekproof.ledger.ledger import Ledger
from peekproof.ledger.state import State
from peekproof.mechanisms.checking import (
    PAIRS,
    Checking,
    described_check,
    described_selection,
    past_of,
)
from peekproof.mechanisms.limited_checking import LimitedChecking
from peekproof.planner.plan import Checks, Plan
from peekproof.planner.remaining import halted
from peekproof.query.candidates import candidates_named
from peekproof.query.schema import Schema
from peekproof.session.held_rounds import check_rounds
from peekproof.session.past import Past, possible
from peekproof.session.selecting import selected, selected_share
from peekproof.theory.generalization.checking import Transcript, checked_interval


def check_pasts(plan: Plan, book: Ledger) -> None:
    """Refuse a record of guesses that were not made after the past they name, at its level."""
    check_rounds(plan, book)
    if not isinstance(plan.mechanism, Checks):
        return
    state, past = State(book.place), Past(schema=Schema({}))
    try:
        for entry in book.entries():
            before = past.look(state)
            state.apply(entry)
            for number, paid in enumerate(state.pending.get(entry.sequence, {}).values()):
                if not _made_after(before, plan, paid.offer.terms):
                    raise ValueError("another past")
                if halted(plan, failures=before.failures + number):
                    raise ValueError("after the last failure")
        for settled in (*state.answers.values(), *state.repeated):
            if settled.text.startswith(NAMED) != (PAIRS in settled.terms):
                raise ValueError("pairs counted as rows, or the reverse")
            if selected(settled.terms):
                selected_share(settled.terms, settled.value, rows=plan.rows)
                if not settled.text.startswith(candidates_named(int(settled.terms["candidates"]))):
                    raise ValueError("a choice among others")
            elif not possible(described_check(settled.terms, rows=plan.rows), settled.value):
                raise ValueError("an impossible answer")
    except (KeyError, ValueError, ZeroDivisionError, TypeError) as error:
        problem = f"records a check that cannot be ({error})"
        raise LedgerDamaged(ledger=book.place, problem=problem) from error


def _made_after(past: Transcript, plan: Plan, terms: Mapping[str, str]) -> bool:
    if isinstance(plan.mechanism, Checking) and selected(terms):  # right with any number of bins
        described_selection(terms, rows=plan.rows)
        return past_of(terms) == past
    check = described_check(terms, rows=plan.rows)
    if isinstance(plan.mechanism, LimitedChecking):  # the same check whatever the past
        return check == plan.mechanism.check(check.guess, levels=check.levels)
    if not isinstance(plan.mechanism, Checking):
        raise TypeError("no session that checks guesses")
    level = plan.mechanism.weights.log_inverse_level(past=past, target=plan.target)
    low, high = (
        checked_interval(total, rows=check.rows, log_inverse_level=level, levels=check.levels)
        for total in (check.low, check.high)
    )
    return (
        past_of(terms) == past
        and Fraction(low.low) >= check.guess - check.tolerance
        and Fraction(high.high) <= check.guess + check.tolerance
    )
