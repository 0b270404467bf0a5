"""What a session promises, in a few words."""

from peekproof.core.numerics import decimal_up, level_down
from peekproof.mechanisms.checking import Checking
from peekproof.mechanisms.limited_checking import LimitedChecking
from peekproof.mechanisms.open_ended import OpenEnded
from peekproof.mechanisms.thresholdout import Thresholdout
from peekproof.planner.plan import Plan
from peekproof.planner.price import planned_price
from peekproof.theory.generalization.checking import Transcript


def promised(plan: Plan, past: Transcript) -> str:
    """The promise of a plan, after so many questions."""
    head, level = f"{plan.rows:,} rows", level_down(plan.target.confidence)
    match plan.mechanism:
        case Checking():
            counted = f"{past.failures:,} of {past.questions:,} failed"
            return f"{head}, checks guesses at confidence {level}, {counted}"
        case LimitedChecking(failures=most):
            radius, counted = decimal_up(plan.radius), f"{past.failures:,} of at most {most:,}"
            return f"{head}, checks guesses, ±{radius} at confidence {level}, {counted} failed"
        case Thresholdout(budget=most):
            counted = f"{past.failures:,} of at most {most:,} corrected"
            within = f"±{decimal_up(plan.radius)} at confidence {level}"
            return f"{head}, compares guesses, {within}, {counted}"
        case OpenEnded():
            now = decimal_up(planned_price(plan, draw=past.questions + 1).certificate.radius)
            asked = f"{past.questions:,} asked"
            return f"{head}, open-ended, now ±{now} at confidence {level}, {asked}"
        case _:
            radius, size = decimal_up(plan.radius), plan.target.questions
            return f"{head}, ±{radius} at confidence {level} for all of {size:,} questions"


def left_text(questions: int, rounds: int | None) -> str:
    """How many questions are left, and in how many rounds if these are counted."""
    return f"{questions:,} left" + ("" if rounds is None else f" in {rounds:,} more rounds")
