"""What releases look like from outside: points of a grid that everybody knows beforehand."""

from fractions import Fraction

from peekproof.core.errors import InvalidInput
from peekproof.theory.discrete_noise import drawable


def check_grid(step: Fraction) -> None:
    """Refuse a grid that cannot be written down, or that does not hold 0 and 1."""
    if drawable(step=step).numerator != 1:
        raise InvalidInput(
            argument="step",
            accepted="one over an integer, so that 0 and 1 are on the grid",
            given=str(step),
        )


def nearest_share(count: int, *, rows: int, step: Fraction) -> Fraction:
    """count/rows, rounded to the nearest multiple of `step` (ties upward), clipped to [0, 1]."""
    cells = step.denominator
    return Fraction(min(cells, max(0, (2 * count * cells + rows) // (2 * rows))), cells)


def exact_share(total: int, *, whole: int) -> Fraction:
    """total/whole, clipped to [0, 1]."""
    return Fraction(min(whole, max(0, total)), whole)


def with_levels(description: dict[str, str], levels: int) -> dict[str, str]:
    """The description of a mechanism for totals in fixed point; counts need no mention."""
    return description if levels == 1 else {**description, "levels": str(levels)}
