"""Every mechanism of the package as a case of the suite, and an event that tells neighbours apart.

Losses are large, so that few draws show a cheat.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import accumulate
from typing import Any

from laws.case_parts import (
    FAR,
    AnyCase,
    behind_the_best,
    cells_error,
    cells_on_grid,
    index_below,
    on_grid,
    rebuilt_as,
    share_error,
)
from laws.run_cases import THRESHOLD, above_threshold, ladder, numeric_sparse, thresholdout
from peekproof.mechanisms.checking import Failed, GuessAndCheck, Passed, Selected, Selection
from peekproof.mechanisms.discrete_gaussian import DiscreteGaussian
from peekproof.mechanisms.exponential import Exponential, NoisyMax, PermuteAndFlip, Quantile
from peekproof.mechanisms.fresh_rows import FreshRows
from peekproof.mechanisms.gaussian import Gaussian, GaussianVector
from peekproof.mechanisms.laplace import Laplace, LaplaceVector
from peekproof.mechanisms.sparse import AboveThreshold, NumericSparse, Verdict
from peekproof.mechanisms.thresholdout import Corrected, Thresholdout
from peekproof.mechanisms.truncation import Truncation
from peekproof.testing.mechanisms import one_shot

ROWS = 4
LEVELS = 2
KEY = "0123456789abcdef" * 2
QUARTER, STEP = Fraction(1, 4), Fraction(1, 64)

Event = Callable[[tuple[Any, ...]], bool]


COUNTS: dict[str, Any] = {"typical": (2, 1, 0, ROWS), "extreme": (-FAR, FAR, -1, ROWS + 1)}
TOTALS: dict[str, Any] = {
    "typical": (ROWS, 1, 0, ROWS * LEVELS),
    "extreme": (-FAR, FAR, -1, ROWS * LEVELS + 1),
}
SHARED = {"rows": ROWS}


def gaussian() -> AnyCase:
    mechanism = Gaussian(rows=ROWS, sigma=QUARTER, step=STEP, levels=LEVELS)
    return one_shot(
        mechanism,
        outputs=on_grid(STEP),
        error=share_error(ROWS * LEVELS),
        neighbours=((4, 6), (1, 0), (8, 6)),
        **TOTALS,
    )


def gaussian_vector() -> AnyCase:
    mechanism = GaussianVector(
        rows=ROWS, sigma=Fraction(1, 2), step=STEP, cells=3, ball=Fraction(1), levels=LEVELS
    )
    return one_shot(
        mechanism,
        rebuild=rebuilt_as(
            GaussianVector,
            SHARED,
            sigma=Fraction,
            step=Fraction,
            cells=int,
            ball=Fraction,
            levels=int,
        ),
        outputs=cells_on_grid(STEP, 3),
        error=cells_error(ROWS * LEVELS),
        typical=((4, 2, 2), (8, 0, 0)),
        extreme=((FAR, -FAR, 0), (0, 0, 0)),
        # Contributions lie in the unit ball around 0, so totals move by up to 2·LEVELS.
        neighbours=(((2, 2, 2), (6, 2, 2)),),
    )


def laplace() -> AnyCase:
    return one_shot(
        Laplace(rows=ROWS, scale=QUARTER, step=Fraction(1, 8)),
        outputs=on_grid(Fraction(1, 8)),
        error=share_error(ROWS),
        neighbours=((2, 1), (0, 1)),
        **COUNTS,
    )


def laplace_vector() -> AnyCase:
    mechanism = LaplaceVector(
        rows=ROWS, cells=3, sensitivity=2, scale=Fraction(1, 2), step=Fraction(1, 8)
    )
    return one_shot(
        mechanism,
        rebuild=rebuilt_as(
            LaplaceVector, SHARED, cells=int, sensitivity=int, scale=Fraction, step=Fraction
        ),
        outputs=cells_on_grid(Fraction(1, 8), 3),
        error=cells_error(ROWS),
        typical=((2, 1, 1), (4, 0, 0)),
        extreme=((FAR, -FAR, 0), (0, 0, 0)),
        misshapen=((1234567, 7654321), (1234567,) * 4),
        neighbours=(((2, 1, 1), (1, 2, 1)), ((4, 0, 0), (3, 1, 0))),
    )


def discrete_gaussian() -> AnyCase:
    return one_shot(
        DiscreteGaussian(rows=ROWS, sigma=QUARTER, step=Fraction(1, 8)),
        rebuild=rebuilt_as(DiscreteGaussian, SHARED, sigma=Fraction, step=Fraction),
        outputs=on_grid(Fraction(1, 8)),
        error=share_error(ROWS),
        neighbours=((2, 1), (0, 1)),
        **COUNTS,
    )


def choice(make: Callable[..., Any]) -> AnyCase:
    return one_shot(
        make(candidates=3, epsilon=Fraction(3), sensitivity=2),
        rebuild=rebuilt_as(make, {}, candidates=int, epsilon=Fraction, sensitivity=int),
        outputs=index_below(3),
        error=behind_the_best,
        typical=((10, 12, 3), (7, 7, 7), (0, 0, 40)),
        extreme=((FAR, -FAR, 0), (-FAR, 0, -FAR)),
        misshapen=((1234567, 7654321), (1234567,) * 4),
        neighbours=(((11, 11, 3), (9, 13, 5)), ((7, 7, 7), (9, 5, 7))),
    )


def exponential() -> AnyCase:
    return choice(Exponential)


def permute_and_flip() -> AnyCase:
    return choice(PermuteAndFlip)


def noisy_max() -> AnyCase:
    return choice(NoisyMax)


def passed_by(counts: tuple[int, ...], cell: int) -> Fraction:
    """How many rows the median lies before or after the cell."""
    upto = list(accumulate(counts))
    before = upto[cell] - counts[cell]
    return max(Fraction(0), Fraction(before - 25), Fraction(25 - upto[cell]))


def quantile() -> AnyCase:
    rows = 50
    return one_shot(
        Quantile(rows=rows, cells=4, level=Fraction(1, 2), epsilon=Fraction(4)),
        rebuild=rebuilt_as(Quantile, {"rows": rows}, cells=int, level=Fraction, epsilon=Fraction),
        outputs=index_below(4),
        error=passed_by,
        typical=((20, 10, 10, 10), (0, 0, 50, 0)),
        extreme=((0, 0, 0, 0), (FAR, 0, 0, FAR)),
        misshapen=((1234567, 7654321),),
        neighbours=(((24, 26, 0, 0), (23, 27, 0, 0)),),
    )


def truncation() -> AnyCase:
    return one_shot(
        Truncation(rows=ROWS, bins=5, levels=LEVELS),
        outputs=lambda released: on_grid(Fraction(1, 10))(released) and released.numerator % 2 == 1,
        error=share_error(ROWS * LEVELS),
        typical=(ROWS, 1, 0, ROWS * LEVELS),
        neighbours=((3, 5),),
    )


def fresh_rows() -> AnyCase:
    """Parts of `ROWS` rows; shares of a part are all there is to list."""
    return one_shot(
        FreshRows(rows=2 * ROWS + 1, rounds=2, key=KEY, levels=LEVELS),
        outputs=on_grid(Fraction(1, ROWS * LEVELS)),
        error=share_error(ROWS * LEVELS),
        typical=(ROWS, 1, 0, ROWS * LEVELS),
        neighbours=((3, 5),),
    )


def guess_and_check() -> AnyCase:
    mechanism = GuessAndCheck(
        rows=ROWS, guess=Fraction(1, 2), tolerance=QUARTER, bins=5, low=3, high=5, levels=LEVELS
    )

    def rebuild(described: Mapping[str, str]) -> GuessAndCheck:
        low, high = described["passes"].split(":")
        return GuessAndCheck(
            rows=ROWS,
            guess=Fraction(described["guess"]),
            tolerance=Fraction(described["tolerance"]),
            bins=int(described["bins"]),
            low=int(low),
            high=int(high),
            levels=int(described["levels"]),
        )

    def error(total: int, released: Passed | Failed) -> Fraction:
        said = (
            mechanism.guess
            if isinstance(released, Passed)
            else Fraction(2 * released.bin + 1, 2 * mechanism.bins)
        )
        return abs(said - Fraction(total, ROWS * LEVELS))

    return one_shot(
        mechanism,
        rebuild=rebuild,
        outputs=lambda released: (
            isinstance(released, Passed)
            or (isinstance(released, Failed) and 0 <= released.bin < mechanism.bins)
        ),
        error=error,
        neighbours=((3, 5),),
        **TOTALS,
    )


def selection() -> AnyCase:
    mechanism = Selection(rows=ROWS, candidates=3, bins=5, levels=LEVELS)
    units = ROWS * LEVELS

    def error(totals: tuple[int, ...], released: Selected) -> Fraction:
        return abs(mechanism.midpoint(released.bin) - Fraction(max(totals), units))

    return one_shot(
        mechanism,
        rebuild=rebuilt_as(Selection, SHARED, candidates=int, bins=int, levels=int),
        outputs=lambda released: (
            isinstance(released, Selected) and 0 <= released.index < 3 and 0 <= released.bin < 5
        ),
        error=error,
        typical=((0, 3, 3), (units, 0, 1), (0, 0, 0)),
        extreme=((-FAR, FAR, 0), (-FAR, -FAR, -FAR)),
        misshapen=((1234567, 7654321),),
        neighbours=(((3, 4, 0), (4, 3, 0)),),
    )


CASES: tuple[AnyCase, ...] = (
    gaussian(),
    gaussian_vector(),
    laplace(),
    laplace_vector(),
    discrete_gaussian(),
    exponential(),
    permute_and_flip(),
    noisy_max(),
    quantile(),
    truncation(),
    fresh_rows(),
    above_threshold(),
    numeric_sparse(),
    thresholdout(),
    ladder(),
    guess_and_check(),
    selection(),
)

# Of those that claim a loss: transcripts that are likelier on one of the first two neighbours.
EVENTS: dict[type, Event] = {
    Gaussian: lambda seen: seen[0] >= Fraction(5, 8),
    GaussianVector: lambda seen: seen[0][0] >= Fraction(1, 2),
    Laplace: lambda seen: seen[0] >= Fraction(1, 2),
    LaplaceVector: lambda seen: seen[0][0] >= Fraction(1, 2) and seen[0][1] <= Fraction(1, 4),
    DiscreteGaussian: lambda seen: seen[0] >= Fraction(1, 2),
    Exponential: lambda seen: seen[0] == 0,
    PermuteAndFlip: lambda seen: seen[0] == 0,
    NoisyMax: lambda seen: seen[0] == 0,
    Quantile: lambda seen: seen[0] == 0,
    AboveThreshold: lambda seen: seen == (Verdict.BELOW, Verdict.ABOVE),
    NumericSparse: lambda seen: (
        [each is not None and each > THRESHOLD for each in seen[:4]] == [False, True] * 2
    ),
    Thresholdout: lambda seen: (
        [isinstance(each, Corrected) and each.share >= Fraction(7, 10) for each in seen[:4]]
        == [False, True] * 2
    ),
}
