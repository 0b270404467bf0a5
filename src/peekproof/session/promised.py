"""What a session promises, in a few words."""

from fractions import Fraction

from peekproof.core.certificate import Target
from peekproof.core.numerics import decimal_up, level_down
from peekproof.core.width import Width, plus_minus
from peekproof.mechanisms.checking import (
    Checking,
    checked_certificate,
    checked_offer,
    described_check,
)
from peekproof.mechanisms.limited_checking import LimitedChecking
from peekproof.mechanisms.open_ended import OpenEnded
from peekproof.mechanisms.thresholdout import Thresholdout, held_certificate
from peekproof.planner.plan import Plan
from peekproof.planner.price import planned_price
from peekproof.theory.generalization.checking import Transcript, Weights


def planned_radius(plan: Plan) -> float | None:
    """How far intervals of shares reach at most; None where a tolerance of their own says it."""
    return None if isinstance(plan.mechanism, Checking) else plan.radius


def next_width(plan: Plan, past: Transcript) -> Width:
    """How far the interval of the next share reaches, if it is asked as planned.

    A guess that is confirmed reaches as far as its tolerance, which may be anything.
    """
    match plan.mechanism:
        case Checking(rows=rows, weights=weights):
            failed = _failed_radius(rows, past, plan.target, weights)
            words = "as far as its tolerance if the guess is confirmed"
            if failed is None:  # no level is left for another
                return Width(least=0.0, most=1.0, words=words)
            words = f"{words}, at most {plus_minus(failed)} if not"
            return Width(least=failed, most=1.0, words=words)
        case LimitedChecking() as limited:
            failed = limited.certify_failed(plan.target).radius
            return Width.checked(confirmed=plan.radius, failed=failed)
        case Thresholdout() as holdout:
            standing, corrected = (
                held_certificate(holdout, {"outcome": each}, plan.target).radius
                for each in ("passed", "failed")
            )
            return Width.checked(confirmed=standing, failed=corrected)
        case OpenEnded():
            coming = planned_price(plan, draw=past.questions + 1)
            return Width.within(coming.certificate.radius)
        case _:
            return Width.within(plan.radius)


def _failed_radius(rows: int, past: Transcript, target: Target, weights: Weights) -> float | None:
    if past.questions >= target.questions:
        return None
    offer = checked_offer(
        rows=rows,
        guess=Fraction(1, 2),
        tolerance=None,
        past=past,
        target=target,
        levels=1,
        weights=weights,
    )
    made, terms = described_check(offer.terms, rows=rows), {**offer.terms, "outcome": "failed"}
    return checked_certificate(made, terms, target, weights=weights).radius


def promised(plan: Plan, past: Transcript) -> str:
    """The promise of a plan, after so many questions; radii are those of shares."""
    head, level = f"{plan.rows:,} rows", level_down(plan.target.confidence)
    match plan.mechanism:
        case Checking():
            counted = f"{past.failures:,} of {past.questions:,} failed"
            return f"{head}, checks guesses at confidence {level}, {counted}"
        case LimitedChecking(failures=most):
            within, counted = _shares(plan.radius), f"{past.failures:,} of at most {most:,}"
            return f"{head}, checks guesses, {within} at confidence {level}, {counted} failed"
        case Thresholdout(budget=most):
            counted = f"{past.failures:,} of at most {most:,} corrected"
            within = f"{_shares(plan.radius)} at confidence {level}"
            return f"{head}, compares guesses, {within}, {counted}"
        case OpenEnded():
            now = _shares(next_width(plan, past).most)
            asked = f"{past.questions:,} asked"
            return f"{head}, open-ended, now {now} at confidence {level}, {asked}"
        case _:
            within, size = _shares(plan.radius), plan.target.questions
            return f"{head}, {within} at confidence {level} for all of {size:,} questions"


def _shares(radius: float) -> str:
    return f"shares within ±{decimal_up(radius)}"


def left_text(questions: int, rounds: int | None) -> str:
    """How many questions are left, and in how many rounds if these are counted."""
    return f"{questions:,} left" + ("" if rounds is None else f" in {rounds:,} more rounds")
