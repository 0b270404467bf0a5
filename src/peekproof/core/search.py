"""Finding the last integer that fits, and where a function is least."""

from collections.abc import Callable


def largest(fits: Callable[[int], bool], *, most: int) -> int:
    """The largest integer in [1, most] that fits, or 0; `fits` holds up to it and fails beyond."""
    if not fits(1):
        return 0
    low, high = 1, 2
    while high <= most and fits(high):
        low, high = high, high * 2
    high = min(high, most + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    return low


def argmin(function: Callable[[float], float], *, low: float, high: float) -> float:
    """Where a function with one valley in [low, high] is smallest, to a thousandth.

    It only ever chooses a parameter: the bound is then evaluated there as it is, so a function
    with several valleys costs width and never validity.
    """
    while high - low > 1e-3:
        third = (high - low) / 3
        if function(low + third) < function(high - third):
            high -= third
        else:
            low += third
    return (low + high) / 2
