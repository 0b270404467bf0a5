"""The two inverse questions: how many questions, how many rows."""

from collections.abc import Collection
from fractions import Fraction

from peekproof.core import check
from peekproof.core.certificate import Target
from peekproof.core.errors import InvalidInput
from peekproof.core.numerics import largest
from peekproof.mechanisms.fresh_rows import Rounds, Splitting
from peekproof.mechanisms.limited_checking import Limit, LimitedChecking
from peekproof.planner.plan import (
    MOST_QUESTIONS,
    MOST_ROWS,
    VACUOUS,
    Mechanism,
    Plan,
    plan,
)


def _useful(candidate: Plan, radius: float) -> bool:
    return candidate.radius <= radius and not candidate.vacuous


def _checked_radius(radius: float) -> float:
    if not check.positive_float(radius=radius) <= VACUOUS:
        raise InvalidInput(
            argument="radius",
            accepted="at most 0.5 (wider intervals say nothing)",
            given=repr(radius),
        )
    return float(radius)


def questions_affordable(
    *,
    rows: int,
    confidence: float | Fraction,
    radius: float = VACUOUS,
    mechanisms: Collection[type[Mechanism]] | None = None,
    rounds: int | None = None,
    limit: Limit | None = None,
) -> int:
    """How many questions keep every interval within `radius`; 0 if not even one, at most 10¹²."""
    check.positive_integer(rows=rows)
    radius = _checked_radius(radius)

    def fits(questions: int) -> bool:
        target = Target.of(confidence=confidence, questions=questions)
        # Fewer questions cannot come in more batches.
        batches = None if rounds is None else min(rounds, questions)
        best = plan(rows=rows, target=target, mechanisms=mechanisms, rounds=batches, limit=limit)
        return _useful(best, radius)

    return largest(fits, most=MOST_QUESTIONS)


def _least_rows(
    target: Target,
    mechanisms: Collection[type[Mechanism]] | None,
    rounds: int | None,
    limit: Limit | None,
) -> int:
    """With fewer there is not even a row for each part, and no plan at all."""
    parts = {
        Splitting.KIND: target.questions,
        Rounds.KIND: rounds or 1,
        LimitedChecking.KIND: limit.least_rows if limit else 1,
    }
    return min((parts.get(kind.KIND, 1) for kind in mechanisms or ()), default=1)


def rows_needed(
    *,
    target: Target,
    radius: float = VACUOUS,
    mechanisms: Collection[type[Mechanism]] | None = None,
    rounds: int | None = None,
    limit: Limit | None = None,
) -> int:
    """The fewest rows on which every interval stays within `radius`."""
    radius = _checked_radius(radius)

    def misses(rows: int) -> bool:
        if rows < _least_rows(target, mechanisms, rounds, limit):
            return True
        best = plan(rows=rows, target=target, mechanisms=mechanisms, rounds=rounds, limit=limit)
        return not _useful(best, radius)

    needed = largest(misses, most=MOST_ROWS) + 1
    if needed > MOST_ROWS:
        raise InvalidInput(
            argument="radius",
            accepted=f"reachable with at most {MOST_ROWS:,} rows",
            given=repr(radius),
            hint="ask fewer questions or accept a wider interval",
        )
    return needed
