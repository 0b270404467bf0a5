"""What is left of a promise."""

from fractions import Fraction

from peekproof.core.charge import Charge, amount_of
from peekproof.mechanisms.fresh_rows import Rounds
from peekproof.mechanisms.limited_checking import LimitedChecking
from peekproof.mechanisms.open_ended import OpenEnded
from peekproof.mechanisms.thresholdout import Thresholdout, rounds_paid
from peekproof.planner.plan import Plan


def remaining_questions(plan: Plan, *, spent: Charge, draws: int, failures: int = 0) -> int:
    """How many more questions fit as planned, after so many draws that cost `spent`.

    The round of a reusable holdout that somebody may still have open is not among it.
    """
    if halted(plan, failures=failures):
        return 0
    room = amount_of(plan.budget) - amount_of(spent)
    return remaining_share(plan, room=room, draws=plan.target.questions - draws, drawn=draws)


def remaining_share(plan: Plan, *, room: Fraction, draws: int, drawn: int) -> int:
    """How many more questions fit as planned into a share with so much room, and so many draws.

    `drawn` were drawn before, by anyone: stages of an open-ended session differ in what they cost.
    """
    if isinstance(plan.mechanism, OpenEnded):
        return min(draws, _staged(plan.mechanism, room, drawn))
    if isinstance(plan.mechanism, Rounds):
        return draws if room >= 1 else 0
    if isinstance(plan.mechanism, Thresholdout):
        return draws if room >= amount_of(plan.mechanism.one_round.cost()) else 0
    return min(draws, int(room // amount_of(plan.mechanism.cost())))


def _staged(mechanism: OpenEnded, room: Fraction, drawn: int) -> int:
    """How many questions fit into the room, one by one and with nobody else in between."""
    fit = 0
    for stage in range(mechanism.stage_of(drawn + 1), len(mechanism.stages)):
        cost = amount_of(mechanism.stages[stage].cost())
        here = min(2 ** (stage + 1) - 1 - drawn - fit, int(room // cost))
        room, fit = room - here * cost, fit + here
        if drawn + fit + 1 < 2 ** (stage + 1):
            break
    return fit


def halted(plan: Plan, *, failures: int) -> bool:
    """Whether so many failed guesses end the conversation."""
    return isinstance(plan.mechanism, LimitedChecking) and failures >= plan.mechanism.failures


def remaining_rounds(plan: Plan, *, spent: Charge) -> int | None:
    """How many more rounds can be opened; None if the promise does not count them."""
    if isinstance(plan.mechanism, Thresholdout):
        return plan.mechanism.budget - rounds_paid(plan.mechanism, spent)
    if not isinstance(plan.mechanism, Rounds):
        return None
    return int(amount_of(plan.budget) - amount_of(spent))


def rounds_within(plan: Plan, room: Fraction) -> int:
    """How many whole rounds fit into a share with so much room."""
    if isinstance(plan.mechanism, Thresholdout):
        return int(room // amount_of(plan.mechanism.one_round.cost()))
    return int(room)
