"""Means over pairs of rows, asked for by guesses that are checked."""

from collections.abc import Callable
from fractions import Fraction

from peekproof.core.errors import InvalidInput
from peekproof.data.statistic import PairStatistic, exact_number
from peekproof.mechanisms.checking import Checking, pairs_terms
from peekproof.planner.plan import Plan
from peekproof.session.guess import Guess, own_tolerance, rows_guessed_from, short
from peekproof.session.request import Request
from peekproof.theory.generalization.checking import Transcript


def pairs_request(
    plan: Plan,
    asked: PairStatistic,
    *,
    guess: float | None,
    tolerance: float | None,
    past: Callable[[], Transcript],
    trained_on: int | None = None,
) -> Request:
    """The check of a guess at a mean over pairs, which is worth half as many rows (T-pairs)."""
    if not isinstance(plan.mechanism, Checking):
        raise InvalidInput(
            argument="statistic",
            accepted="of single rows: pairs are for sessions by peekproof.Checking",
            given=asked.text[:80],
            hint="open the data with mechanisms=[peekproof.Checking]",
        )
    guessing_rows = rows_guessed_from(plan, trained_on, guess=guess, tolerance=tolerance)
    share = short(guess=exact_number(guess=guess))
    if not 0 <= share <= 1:
        raise InvalidInput(argument="guess", accepted="from 0 to 1", given=repr(guess)[:80])
    allowed = None
    if tolerance is not None:
        allowed = own_tolerance(tolerance, share=share, width=Fraction(1))
    made = Guess(share=share, tolerance=allowed, past=past, guessing_rows=guessing_rows, pairs=True)
    extra = tuple(pairs_terms(rows=plan.rows).items())
    request = Request(asked, extra=extra, guess=made)
    request.offer(plan, draw=1, batch=1)  # refused here, or remembered for the ledger's lock
    return request
