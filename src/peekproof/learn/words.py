"""What a holdout says about itself: its last score, what is left, and how far the next reaches."""

from collections.abc import Sequence

from peekproof.core.errors import BudgetExhausted, PeekproofError
from peekproof.core.finding import Numbers
from peekproof.core.html import bold, box, budget_bar, faint, lines, percent, text
from peekproof.core.numerics import digits_up
from peekproof.learn.composite import Composite
from peekproof.learn.desk import Desk, Guessed, Tally
from peekproof.learn.metric import Metric
from peekproof.learn.model import Trained
from peekproof.learn.score import is_score_by

# Guesses up to the middle of the scale that are tried for the widest.
_STEPS = 10


def last_score(desk: Desk, metric: Metric | Composite) -> float | None:
    """What the last predictions scored on all rows by this metric, whoever asked.

    It was released, so a guess may depend on it.
    """
    for each in reversed(desk.answers()):
        if is_score_by(metric, each.question) and isinstance(each.found, Numbers):
            return each.found.value
    return None


def counted(now: Tally) -> str:
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
    return _widest(desk, metric, [share], rows=desk.labels.rows)


def _widest(desk: Desk, metric: Metric, shares: Sequence[float], *, rows: int) -> float | None:
    """How far the widest of these guesses reaches: as that of any question with this guess."""
    try:
        found = desk.reaches([Guessed(share=each, trained_on=rows) for each in shares])
    except BudgetExhausted:
        return None
    return max(found) * metric.span


def widest_radius(desk: Desk, metric: Metric | Composite, *, rows: int) -> float | None:
    """How far the interval of a guess from so many rows reaches if it is confirmed.

    Whatever it is: nobody knows the next guess. That of the last score says little of it: after
    predictions that are worth nothing it is near 0, where intervals are narrow. They are widest
    near the middle, and where rows are few off it, on both sides alike. None as for `next_radius`.
    """
    if isinstance(metric, Composite):
        return None
    return _widest(desk, metric, [step / (2 * _STEPS) for step in range(_STEPS + 1)], rows=rows)


def remaining(desk: Desk, metric: Metric | Composite, trained: Trained | None) -> str:
    """What is left, in words, and how far the next score reaches, if that can be told.

    It is told for one metric, and for guesses from as many rows as there are to guess from, else
    from as many as are held: fewer rows, and metrics that follow from several answers, reach
    further.
    """
    now = desk.standing()
    rows = desk.labels.rows if trained is None else trained.labels.rows
    radius = widest_radius(desk, metric, rows=rows) if now.left else None
    if radius is None:
        return counted(now)
    return (
        f"{counted(now)}; the next one reaches at most about ±{digits_up(radius, digits=2)} in "
        f"{metric.text}, if a guess from {counted_rows(rows)} is confirmed"
    )


def counted_rows(rows: int) -> str:
    """So many rows, in words."""
    return "1 row" if rows == 1 else f"{rows:,} rows"


def in_short(desk: Desk) -> str:
    """The holdout in a line, also when it is closed."""
    try:
        now = desk.standing()
    except PeekproofError:
        return f"<Holdout of {desk.labels.rows:,} rows, not open>"
    return f"<Holdout of {now.rows:,} rows at confidence {now.confidence:g}, {counted(now)}>"


def holdout_html(desk: Desk, metric: Metric | Composite, trained: Trained | None) -> str:
    """The holdout for a notebook, with how much of its budget is used."""
    try:
        now = desk.standing()
    except PeekproofError:
        return box(text(in_short(desk).strip("<>")))
    used = now.asked / now.questions
    return box(
        lines(
            bold(f"Holdout of {now.rows:,} rows, {metric.text}"),
            text(remaining(desk, metric, trained)),
            budget_bar(used),
            faint(
                text(f"{percent(used)} used; all intervals hold together with confidence "),
                text(f"{now.confidence:g}"),
            ),
        )
    )
