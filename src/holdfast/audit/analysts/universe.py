"""A population that is a list: rows are equally likely numbers below its size."""

from collections.abc import Sequence
from fractions import Fraction
from math import exp, log1p

import numpy as np
import numpy.typing as npt

from holdfast.core import check
from holdfast.core.errors import InvalidInput

NUMBER = "i"


def check_size(*, rows: int, size: int) -> None:
    """Refuse a list that is not longer than the sample: being drawn once would be no sign."""
    check.positive_integer(rows=rows)
    if check.positive_integer(size=size) <= rows:
        raise InvalidInput(argument="size", accepted="above the rows", given=repr(size))


def draw_numbers(size: int, *, rows: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    return rng.integers(0, size, rows)


def is_one_of(members: Sequence[int]) -> str:
    """The question what share of the rows is on this list."""
    return f"{NUMBER} in ({', '.join(map(str, members))})"


def share_of(members: Sequence[int], *, size: int) -> Fraction:
    return Fraction(len(members), size)


def never_drawn(*, rows: int, size: int) -> float:
    """The expected share of the list that no row shows:  (1 − 1/N)ⁿ,  about e^(−n/N).

    The list of all numbers that were drawn holds the whole sample, so the sample overstates it
    by this much. Replacing one row changes it by at most 1/N.
    """
    return exp(rows * log1p(-1 / size))


def overdrawn(counts: npt.NDArray[np.float64], *, rows: int) -> list[int]:
    """The numbers that seem drawn more often than n/N times, or the likeliest if none does.

    No other list is overstated by more. If n < N these are all numbers that were drawn.
    """
    found = np.flatnonzero(counts > rows / len(counts))
    return [int(number) for number in found] or [int(np.argmax(counts))]
