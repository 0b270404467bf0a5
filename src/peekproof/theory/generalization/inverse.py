"""Advanced composition, solved for the ε of each answer."""

from math import log, sqrt


def each_within(total: float, *, count: int, slack: float) -> float:
    """An ε whose `count` answers compose to at most `total`, before rounding.

    T-advanced-sharp is at most ε·s + kε²/2 with s = √(2k ln(1/δ′)), as tanh(ε/2) ≤ ε/2; this is the
    root of that. Callers evaluate the theorem again at what they use.
    """
    spread = sqrt(-2 * count * log(slack))
    return 2 * total / (spread + sqrt(spread * spread + 2 * count * total))
