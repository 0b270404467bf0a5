"""What a holdout says about itself: what is left, and about how far the next interval reaches."""

from collections.abc import Sequence

from peekproof.core.errors import BudgetExhausted, PeekproofError
from peekproof.core.html import bold, box, budget_bar, faint, lines, percent, text
from peekproof.core.numerics import digits_up
from peekproof.learn.composite import Composite
from peekproof.learn.desk import Desk, Guessed, Standing
from peekproof.learn.metric import Metric

# Guesses up to the middle of the scale that are tried for the widest.
_STEPS = 10


def counted(now: Standing) -> str:
    """How many scores are left and how many guesses failed."""
    return (
        f"{now.left:,} of {now.questions:,} scores left, "
        f"{now.failures:,} of {now.asked:,} guesses failed"
    )


def next_radius(desk: Desk, metric: Metric | Composite, guess: float | None) -> float | None:
    """How far the interval of a guess that is confirmed reaches, in the units of the metric.

    It is that of a guess from as many rows as are held. None where it cannot be told: of what
    follows from several answers, or if nothing is left. Without a guess it is the middle, whose
    interval is the widest.
    """
    if isinstance(metric, Composite):
        return None
    share = 0.5 if guess is None else round(min(max(guess / metric.span, 0.0), 1.0), 4)
    return _widest(desk, metric, [share])


def _widest(desk: Desk, metric: Metric, shares: Sequence[float]) -> float | None:
    """How far the widest of these guesses reaches: as that of any question with this guess."""
    rows = desk.labels.rows
    try:
        found = desk.reaches([Guessed(share=each, trained_on=rows) for each in shares])
    except BudgetExhausted:
        return None
    return max(found) * metric.span


def widest_radius(desk: Desk, metric: Metric | Composite) -> float | None:
    """How far the interval of the next guess reaches if it is confirmed, whatever it is.

    Nobody knows the next guess. That of the last score says little of it: after predictions that
    are worth nothing it is near 0, where intervals are narrow. They are widest near the middle,
    and where rows are few a little off it, on both sides alike. None as for `next_radius`.
    """
    if isinstance(metric, Composite):
        return None
    return _widest(desk, metric, [step / (2 * _STEPS) for step in range(1, _STEPS + 1)])


def remaining(desk: Desk, metric: Metric | Composite) -> str:
    """What is left, in words."""
    now = desk.standing()
    radius = widest_radius(desk, metric) if now.left else None
    if radius is None:
        return counted(now)
    reach = digits_up(radius, digits=2)
    return f"{counted(now)}; the next one reaches at most about ±{reach} if its guess is confirmed"


def in_short(desk: Desk) -> str:
    """The holdout in a line, also when it is closed."""
    try:
        now = desk.standing()
    except PeekproofError:
        return f"<Holdout of {desk.labels.rows:,} rows, not open>"
    return f"<Holdout of {now.rows:,} rows at confidence {now.confidence:g}, {counted(now)}>"


def holdout_html(desk: Desk, metric: Metric | Composite) -> str:
    """The holdout for a notebook, with how much of its budget is used."""
    try:
        now = desk.standing()
    except PeekproofError:
        return box(text(in_short(desk).strip("<>")))
    used = now.asked / now.questions
    return box(
        lines(
            bold(f"Holdout of {now.rows:,} rows, {metric.text}"),
            text(remaining(desk, metric)),
            budget_bar(used),
            faint(
                text(f"{percent(used)} used; all intervals hold together with confidence "),
                text(f"{now.confidence:g}"),
            ),
        )
    )
