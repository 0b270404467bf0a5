"""Synthetic populations for attacks: independent random signs, and uniform draws from a list.

In a population of signs, features know nothing about a label. Whatever is said about a feature's
agreement with the label, or with another feature, is true of half of the population; so is every
vote that cannot tie, because the label may be turned round.

In a population that is a list, rows are equally likely numbers below its size.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import exp, lgamma, log, log1p

import numpy as np
import numpy.typing as npt

from peekproof.audit.analysts.protocol import Columns
from peekproof.core import check
from peekproof.core.errors import InvalidInput

LABEL = "y"
HALF = Fraction(1, 2)


def names(count: int) -> list[str]:
    return [f"x{number}" for number in range(count)]


def draw_signs(shape: tuple[int, ...], rng: np.random.Generator) -> npt.NDArray[np.int8]:
    return rng.integers(0, 2, shape, dtype=np.int8) * np.int8(2) - np.int8(1)


def draw_columns(features: int, *, rows: int, rng: np.random.Generator) -> Columns:
    """Features x0, x1, … and a label, all independent fair signs."""
    signs = draw_signs((features + 1, rows), rng)
    return dict(zip([*names(features), LABEL], signs, strict=True))


def odd_vote(features: Sequence[str], weights: Sequence[int]) -> str:
    """The question how often a vote with whole weights agrees with the label.

    If the weights add up to an even number, the first counts for one more: an odd sum of signed
    weights is never 0, so the vote is right about exactly half of the population.
    """
    first = weights[0] + (sum(weights) + 1) % 2
    terms = " ".join(
        f"{weight:+d}*{feature}"
        for feature, weight in zip(features, [first, *weights[1:]], strict=True)
        if weight
    )
    return f"({terms}) * {LABEL} > 0"


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
