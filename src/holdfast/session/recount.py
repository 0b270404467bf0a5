"""Whether the checks that a ledger records were made after the past that they name."""

from collections.abc import Mapping
from fractions import Fraction

from holdfast.core.errors import LedgerDamaged
from holdfast.ledger.ledger import Ledger
from holdfast.ledger.state import State
from holdfast.mechanisms.limited_checking import LimitedChecking
from holdfast.planner.checking import described_check, past_of
from holdfast.planner.plan import Checks, Plan
from holdfast.planner.remaining import halted
from holdfast.query.schema import Schema
from holdfast.session.held_rounds import check_rounds
from holdfast.session.past import Past, possible
from holdfast.theory.generalization.checked_intervals import checked_interval
from holdfast.theory.generalization.checking import Transcript, log_inverse_level


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
            if not possible(described_check(settled.terms, rows=plan.rows), settled.value):
                raise ValueError("an impossible answer")
    except (KeyError, ValueError, ZeroDivisionError, TypeError) as error:
        problem = f"records a check that cannot be ({error})"
        raise LedgerDamaged(ledger=book.place, problem=problem) from error


def _made_after(past: Transcript, plan: Plan, terms: Mapping[str, str]) -> bool:
    check = described_check(terms, rows=plan.rows)
    if isinstance(plan.mechanism, LimitedChecking):  # the same check whatever the past
        return check == plan.mechanism.check(check.guess, levels=check.levels)
    level = _level(plan, past)
    low, high = (
        checked_interval(total, rows=check.rows, log_inverse_level=level, levels=check.levels)
        for total in (check.low, check.high)
    )
    return (
        past_of(terms) == past
        and Fraction(low.low) >= check.guess - check.tolerance
        and Fraction(high.high) <= check.guess + check.tolerance
    )


def _level(plan: Plan, past: Transcript) -> float:
    return log_inverse_level(beta=plan.target.beta, transcript=past)
