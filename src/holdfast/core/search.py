"""Finding the last integer that fits."""

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
