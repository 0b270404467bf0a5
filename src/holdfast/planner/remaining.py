"""What is left of a promise."""

from holdfast.core.charge import Charge, amount_of
from holdfast.mechanisms.open_ended import OpenEnded
from holdfast.mechanisms.rounds import Rounds
from holdfast.planner.plan import Plan


def remaining_questions(plan: Plan, *, spent: Charge, draws: int) -> int:
    """How many more questions fit as planned, after so many draws that cost `spent`."""
    left = plan.target.questions - draws
    if isinstance(plan.mechanism, OpenEnded):
        return left
    room = amount_of(plan.budget) - amount_of(spent)
    if isinstance(plan.mechanism, Rounds):
        return left if room >= 1 else 0
    return min(left, int(room // amount_of(plan.mechanism.cost())))


def remaining_rounds(plan: Plan, *, spent: Charge) -> int | None:
    """How many more batches of questions fit; None if the promise does not count them."""
    if not isinstance(plan.mechanism, Rounds):
        return None
    return int(amount_of(plan.budget) - amount_of(spent))
