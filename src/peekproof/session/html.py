"""A session for notebooks. Free of ledgers."""

from peekproof.core.certificate import Certificate
from peekproof.core.html import (
    bold,
    box,
    budget_bar,
    code,
    faint,
    folded_certificate,
    joined,
    lines,
    percent,
    text,
)


def session_html(
    *,
    promise: str,
    analyst: str,
    place: str,
    used: float,
    asked: int,
    left: int,
    rounds_left: int | None,
    certificate: Certificate,
) -> str:
    """What is promised, how much of the budget is used, and where that is written down.

    `left` is for this analyst; `asked`, and `used` as a part of the budget, are by everyone.
    """
    kind, _, where = place.partition(" ")
    in_rounds = "" if rounds_left is None else f" in {rounds_left:,} more rounds"
    counted = f"{asked:,} asked, {left:,} left{in_rounds}; {percent(used)} of the budget used"
    return box(
        lines(
            joined((bold(f"Session of {analyst}" if analyst else "Session"), text(promise)), ": "),
            joined((budget_bar(used), text(counted)), " "),
            faint(text(f"{kind} "), code(where)),
        ),
        folded_certificate(certificate),
    )
