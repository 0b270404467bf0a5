"""What a session promises, in a few words."""

from holdfast.core.numerics import decimal_up, level_down
from holdfast.mechanisms.checking import Checking
from holdfast.mechanisms.open_ended import OpenEnded
from holdfast.planner.plan import Plan
from holdfast.planner.price import planned_price
from holdfast.theory.generalization.checking import Transcript


def promised(plan: Plan, past: Transcript) -> str:
    """The promise of a plan, after so many questions."""
    head, level = f"{plan.rows:,} rows", level_down(plan.target.confidence)
    match plan.mechanism:
        case Checking():
            counted = f"{past.failures:,} of {past.questions:,} failed"
            return f"{head}, checks guesses at confidence {level}, {counted}"
        case OpenEnded():
            now = decimal_up(planned_price(plan, draw=past.questions + 1).certificate.radius)
            asked = f"{past.questions:,} asked"
            return f"{head}, open-ended, now ±{now} at confidence {level}, {asked}"
        case _:
            radius, size = decimal_up(plan.radius), plan.target.questions
            return f"{head}, ±{radius} at confidence {level} for all of {size:,} questions"
