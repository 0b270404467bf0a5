"""A population of independent signs: features that know nothing about a label.

Whatever is said about a feature's agreement with the label, or with another feature, is true of
half of the population; so is every vote that cannot tie, because the label may be turned round.
"""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from peekproof.audit.analysts.protocol import Columns

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
