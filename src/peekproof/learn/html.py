"""What notebooks show of models that were compared, chosen or sought."""

from collections.abc import Sequence
from fractions import Fraction

from peekproof.core.answer import Answer
from peekproof.core.html import (
    Axis,
    Html,
    bold,
    box,
    code,
    faint,
    joined,
    lines,
    number,
    table,
    text,
)


def comparison_html(
    *,
    said: str,
    ends: tuple[float, float, float],
    rows: Sequence[tuple[str, Answer]],
    metric: str,
    confidence: float,
) -> str:
    """Who is better, the difference as a bar around 0, and the two means it is made of."""
    far = max(1.0, *(abs(end) for end in ends))
    bar = _drawn(Axis(Fraction(-far), Fraction(far)), ends)
    parts = [
        (code(name), bold(f"{each.value:.4f}"), number(each.span.shown(each.interval)))
        for name, each in rows
    ]
    return box(
        lines(bold(said), bar),
        table((f"{metric}, by how much", "value", "interval"), parts),
        _together(confidence),
    )


def best_html(*, said: str, ends: tuple[float, float, float], confidence: float) -> str:
    """Who is best, and the interval of its score as a bar."""
    low, value, high = ends
    axis = Axis() if high <= 1 else Axis(Fraction(0), Fraction(high))
    return box(lines(bold(said), _drawn(axis, (low, value, high)), _together(confidence)))


def _drawn(axis: Axis, ends: tuple[float, float, float]) -> Html:
    """A bar, and from where to where it could be."""
    return joined([axis.bar(*ends), faint(text(axis.name))], " ")


def _together(confidence: float) -> Html:
    return faint(text(f"with confidence {confidence} for all answers together"))
