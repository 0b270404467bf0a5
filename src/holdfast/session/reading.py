"""From what was paid for to its exact values, which nobody but a mechanism can open."""

from collections.abc import Iterator, Sequence
from typing import cast

from holdfast.core.charge import amount_of
from holdfast.core.errors import EvaluationFailed, HoldfastError
from holdfast.core.secret import Exact
from holdfast.data.pairs import PairStatistic
from holdfast.data.source import Source, Total
from holdfast.data.statistic import Statistic
from holdfast.ledger.ledger import Reservation
from holdfast.mechanisms.rounds import Rounds
from holdfast.mechanisms.splitting import Splitting
from holdfast.planner.plan import Plan
from holdfast.query.candidates import Candidates
from holdfast.query.form import FINE
from holdfast.query.question import Question
from holdfast.session.request import Request
from holdfast.theory.generalization.pairs import pair_levels


def read(
    table: Source, plan: Plan, requests: Sequence[Request], reserved: Reservation
) -> list[Total]:
    """The exact values of what was paid for; what else a source raises is withheld."""
    try:
        return _exact(table, plan, requests, reserved)
    except HoldfastError:
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
