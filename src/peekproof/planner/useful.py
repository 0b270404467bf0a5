"""A plan that says something, or a refusal that says what would."""

from collections.abc import Collection
from fractions import Fraction

from peekproof.core.certificate import Target
from peekproof.core.errors import VacuousPlan
from peekproof.mechanisms.limited_checking import Limit
from peekproof.planner.inverse import questions_affordable, rows_needed
from peekproof.planner.plan import Mechanism, Plan, plan

# What a new session promises unless told otherwise.
CONFIDENCE = Fraction(95, 100)
QUESTIONS = 1000


def useful_plan(
    rows: int,
    target: Target,
    mechanisms: Collection[type[Mechanism]] | None = None,
    rounds: int | None = None,
    limit: Limit | None = None,
) -> Plan:
    """The best plan with one of the `mechanisms`, unless it says nothing."""
    best = plan(rows=rows, target=target, mechanisms=mechanisms, rounds=rounds, limit=limit)
    if best.vacuous:
        raise VacuousPlan(
            rows=rows,
            questions=target.questions,
            confidence=target.confidence,
            rows_needed=rows_needed(
                target=target, mechanisms=mechanisms, rounds=rounds, limit=limit
            ),
            questions_affordable=questions_affordable(
                rows=rows,
                confidence=target.confidence,
                mechanisms=mechanisms,
                rounds=rounds,
                limit=limit,
            ),
        )
    return best
