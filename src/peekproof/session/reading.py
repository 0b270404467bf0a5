"""From what was paid for to its exact values, which nobody but a mechanism can open."""

from collections.abc import Iterator, Sequence
from typing import cast

from peekproof.core.charge import amount_of
from peekproof.core.errors import EvaluationFailed, PeekproofError
from peekproof.core.secret import Exact
from peekproof.data.source import Source, Total
from peekproof.data.statistic import PairStatistic, Statistic
from peekproof.ledger.ledger import Reservation
from peekproof.mechanisms.fresh_rows import Rounds, Splitting
from peekproof.planner.plan import Plan
from peekproof.query.candidates import Candidates
from peekproof.query.form import FINE
from peekproof.query.question import Question
from peekproof.session.request import Request
from peekproof.theory.generalization.pairs import pair_levels


def read(
    table: Source, plan: Plan, requests: Sequence[Request], reserved: Reservation
) -> list[Total]:
    """The exact values of what was paid for; what else a source raises is withheld."""
    try:
        return _exact(table, plan, requests, reserved)
    except PeekproofError:
        raise
    except Exception:
        raise EvaluationFailed() from None


def _exact(
    table: Source, plan: Plan, requests: Sequence[Request], reserved: Reservation
) -> list[Total]:
    questions = [each.asked for each in requests if isinstance(each.asked, Question)]
    promised = plan.mechanism
    if isinstance(promised, Splitting):
        found = table.totals_part(
            questions, first=reserved.first, parts=promised.parts, key=promised.key
        )
    elif isinstance(promised, Rounds):
        number = amount_of(reserved.before)
        if number.denominator != 1:
            raise EvaluationFailed()
        found = table.totals_round(
            questions, number=int(number), rounds=promised.rounds, key=promised.key
        )
    else:
        found = table.totals(questions)
    totals = iter(found)
    return [_read(table, each, totals) for each in requests]


def _read(table: Source, request: Request, totals: Iterator[Total]) -> Total:
    match request.asked:
        case Question():
            return next(totals)
        case Statistic() as statistic:
            return table.measure(statistic, levels=FINE)
        case PairStatistic() as pairs:
            return table.measure(pairs, levels=pair_levels(table.rows))
        case Candidates(questions=questions):
            # Candidates are shares or means, so each total is one number.
            return Exact.together(cast(list[Exact[int]], table.totals(questions)))
