"""A population that is a list: rows are equally likely numbers below its size."""

from collections.abc import Sequence
from fractions import Fraction
from math import exp, lgamma, log, log1p

import numpy as np
import numpy.typing as npt

from peekproof.core import check
from peekproof.core.errors import InvalidInput

NUMBER = "i"


def check_size(*, rows: int, size: int) -> None:
    """Refuse a list of which nothing can be drawn more often than the rest."""
    check.positive_integer(rows=rows)
    if check.positive_integer(size=size) == 1:
        raise InvalidInput(argument="size", accepted="2 or more", given=repr(size))


def draw_numbers(size: int, *, rows: int, rng: np.random.Generator) -> npt.NDArray[np.int64]:
    return rng.integers(0, size, rows)


def is_one_of(members: Sequence[int]) -> str:
    """The question what share of the rows is on this list."""
    return f"{NUMBER} in ({', '.join(map(str, members))})"


def share_of(members: Sequence[int], *, size: int) -> Fraction:
    return Fraction(len(members), size)


def overstated(*, rows: int, size: int) -> float:
    """By how much the sample is expected to overstate the list of what is `overdrawn`.

        E Σ (w − n/N)₊ / n = (N/n)·v(1 − 1/N)·Pr[w = v],        v = ⌊n/N⌋ + 1

    for the binomial number w of rows at a place: de Moivre's formula for the mean deviation. Where
    n < N these are all that were drawn, and the sum is the share of the list that no row shows,
    (1 − 1/N)ⁿ. Replacing one row changes it by at most 1/n.
    """
    chance, least = 1 / size, rows // size + 1
    ways = lgamma(rows + 1) - lgamma(least + 1) - lgamma(rows - least + 1)
    law = exp(ways + least * log(chance) + (rows - least) * log1p(-chance))
    return size / rows * least * (1 - chance) * law


def overdrawn(counts: npt.NDArray[np.float64], *, rows: int) -> list[int]:
    """The numbers that seem drawn more often than n/N times, or the likeliest if none does.

    No other list is overstated by more. If n < N these are all numbers that were drawn.
    """
    found = np.flatnonzero(counts > rows / len(counts))
    return [int(number) for number in found] or [int(np.argmax(counts))]
