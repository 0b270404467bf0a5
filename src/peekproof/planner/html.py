"""Plans and prices for notebooks."""

from fractions import Fraction
from typing import TYPE_CHECKING

from peekproof.core.html import Html, bold, box, faint, folded_certificate, joined, lines, text
from peekproof.core.numerics import decimal_up, digits_up, float_up, level_down
from peekproof.mechanisms.checking import Checking
from peekproof.mechanisms.fresh_rows import Rounds, without_key
from peekproof.mechanisms.limited_checking import LimitedChecking
from peekproof.mechanisms.open_ended import OpenEnded
from peekproof.mechanisms.thresholdout import Thresholdout

if TYPE_CHECKING:
    from peekproof.planner.own import Price
    from peekproof.planner.plan import Plan

_LONGEST = 24  # of a parameter that is no number
_MOST_QUESTIONS = 10**12  # a price beyond is no longer a number to read


def plan_html(plan: "Plan") -> str:
    """The promise in words, how it is kept, and why it holds."""
    vacuous = plan.vacuous and not isinstance(plan.mechanism, Checking)
    warning = "The intervals say no more than that a share is between 0 and 1."
    return box(
        lines(
            joined((bold(_radius(plan)), text(_promise(plan))), " "),
            _mechanism(plan.mechanism.describe()),
            bold(warning) if vacuous else Html(""),
        ),
        folded_certificate(plan.certificate),
    )


def price_html(price: "Price") -> str:
    """What a draw costs and is worth, before it is paid for."""
    worth = min(price.questions, Fraction(_MOST_QUESTIONS))
    than = "more than " if worth < price.questions else ""
    plural = "question" if worth == 1 else "questions"
    amount = digits_up(float_up(worth)) if worth.denominator > 1 else f"{int(worth):,}"
    said = (
        f"for as much as {than}{amount} planned {plural}; it counts as {price.offer.draws:,} of "
        "those that were promised"
    )
    if price.known:
        said = "answered before, and free"
    words, radius = price.width.words, price.certificate.radius
    # In other units, or of a quotient, the interval reaches elsewhere than what the draw gives.
    drawn = f"what is drawn is within ±{decimal_up(radius)} of its scale"
    return box(
        lines(
            bold(words[0].upper() + words[1:]),
            text(said),
            faint(text(drawn)) if radius != price.width.most else Html(""),
            _mechanism(price.mechanism.describe()),
        ),
        folded_certificate(price.certificate),
    )


def _radius(plan: "Plan") -> str:
    match plan.mechanism:
        case Checking():
            return "Checked guesses"
        case OpenEnded():
            return f"At most ±{decimal_up(plan.radius)}"
        case _:
            return f"±{decimal_up(plan.radius)}"


def _promise(plan: "Plan") -> str:
    size, level = plan.target.questions, level_down(plan.target.confidence)
    together = f"about {plan.rows:,} rows, all together with confidence {level}"
    match plan.mechanism:
        case Checking():
            said = "each as wide as its tolerance, a little wider after every failure"
            return f"for at most {size:,} questions {together}; {said}"
        case LimitedChecking(failures=most):
            said = f"it ends with the last of {most:,} failed guesses"
            return f"for all of {size:,} checked guesses {together}; {said}"
        case Thresholdout(budget=most):
            return f"for all of {size:,} guesses {together}; {most:,} of them can be corrected"
        case Rounds(rounds=rounds):
            return (
                f"for all of {size:,} questions in {rounds:,} adaptively chosen rounds {together}"
            )
        case OpenEnded():
            return f"for any number of questions, {together}; the first are narrower"
        case _:
            return f"for all of {size:,} adaptively chosen questions {together}"


def _mechanism(described: dict[str, str]) -> Html:
    """How answers are drawn; a key is left out, and so is a long list."""
    shown = [
        f"{name} = {_shown(value)}"
        for name, value in without_key(described).items()
        if name not in ("kind", "stages")
    ]
    numbers = f" ({', '.join(shown)})" if shown else ""
    return faint(text(f"drawn by {described['kind']}{numbers}"))


def _shown(value: str) -> str:
    """A parameter to read: most are exact numbers, some are pairs of them."""
    try:
        return f"{float(Fraction(value)):.6g}"
    except (ValueError, OverflowError):
        return value if len(value) <= _LONGEST else value[: _LONGEST - 1] + "…"
