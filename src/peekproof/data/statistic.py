"""Custom statistics: numbers that the custodian computes from all rows, or from pairs of rows.

A `Statistic` has a declared sensitivity. A `PairStatistic` is a mean over all pairs of rows,
counted by whoever holds them.
"""

import hashlib
import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import polars as pl

from peekproof.core import check
from peekproof.core.errors import InvalidInput
from peekproof.core.secret import Exact
from peekproof.theory.generalization.pairs import pairs_apart

# How texts of statistics begin.
STATISTIC = "statistic "


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Statistic:
    """`function` of all rows, with values in [`low`, `high`]; one row moves it by `sensitivity`.

    The sensitivity is a promise of the custodian: nothing can check it, and every answer of
    the session rests on it. The function runs in the custodian's own process, on the rows as a
    Polars data frame; where it fails or gives no number it counts as `low`, so try it on made-up
    rows first. `name` is what makes it the same statistic when it is asked again.
    """

    name: str
    function: Callable[[pl.DataFrame], float]
    sensitivity: Fraction | float
    low: Fraction | float
    high: Fraction | float

    def __post_init__(self) -> None:
        given: object = self.name
        if not isinstance(given, str) or not given.strip():
            raise InvalidInput(argument="name", accepted="some text", given=repr(self.name)[:80])
        if not callable(self.function):
            raise InvalidInput(
                argument="function", accepted="a function of the rows", given=repr(self.function)
            )
        check.positive_fraction(sensitivity=check.exact_number(sensitivity=self.sensitivity))
        if check.exact_number(low=self.low) >= check.exact_number(high=self.high):
            raise InvalidInput(
                argument="high", accepted=f"above low = {self.low}", given=repr(self.high)
            )

    @property
    def moved_by(self) -> Fraction:
        """The sensitivity, exactly."""
        return check.exact_number(sensitivity=self.sensitivity)

    @property
    def bounds(self) -> tuple[Fraction, Fraction]:
        return check.exact_number(low=self.low), check.exact_number(high=self.high)

    @property
    def text(self) -> str:
        return f"{STATISTIC}{self.name}"

    @property
    def digest(self) -> str:
        """The same for the same name, sensitivity and bounds."""
        low, high = self.bounds
        form = json.dumps(["statistic", self.name, str(self.moved_by), str(low), str(high)])
        return hashlib.sha256(form.encode()).hexdigest()

    def total(self, frame: pl.DataFrame, *, levels: int) -> Exact[int]:
        """The value over the sensitivity, in fixed point; what is no number counts as `low`.

        So does a function that fails: an error that some rows cause and others do not would tell.

        Rounding down to whole levels moves it by less than one level, and two values that are a
        sensitivity apart by at most `levels`.
        """
        try:
            value = float(self.function(frame))
        except Exception:
            value = math.nan
        low, high = self.bounds
        found = min(high, max(low, Fraction(value))) if math.isfinite(value) else low
        return Exact(math.floor((found - low) / self.moved_by * levels))


# How texts of means over pairs begin.
NAMED = "pairs: "


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class PairStatistic:
    """How often two rows that are drawn without replacement stand in some relation.

        U = Σ_{i<j} h(z_i, z_j) / (n(n−1)/2),        h symmetric, into {0, ½, 1}

    `function` gives twice the sum, an integer from 0 to n(n−1). That it is such a sum, of a kernel
    that is fixed before the rows are looked at, is a promise of whoever wrote it. Where it fails
    or gives something else, it counts as 0. `name` is what makes it the same statistic when it is
    asked again; it is public, and so is the text.
    """

    name: str
    function: Callable[[pl.DataFrame], int]

    def __post_init__(self) -> None:
        given: object = self.name
        if not isinstance(given, str) or not given.strip():
            raise InvalidInput(argument="name", accepted="some text", given=repr(given)[:80])
        if not callable(self.function):
            raise InvalidInput(
                argument="function", accepted="a function of the rows", given=repr(self.function)
            )

    @property
    def text(self) -> str:
        return f"{NAMED}{self.name}"

    @property
    def digest(self) -> str:
        """The same for the same name."""
        return hashlib.sha256(json.dumps(["pairs", self.name]).encode()).hexdigest()

    def total(self, frame: pl.DataFrame, *, levels: int) -> Exact[int]:
        """U in units of 1/(⌊n/2⌋·levels), which is exact where these are n(n−1).

        A function that fails counts as 0: an error that some rows cause and others do not would
        tell.
        """
        try:
            found = int(self.function(frame))
        except Exception:
            found = 0
        return Exact(pairs_total(found, rows=frame.height, levels=levels))


def pairs_total(halves: int, *, rows: int, levels: int) -> int:
    """What pairs that count come to, of twice their number, in units of 1/(⌊n/2⌋·levels).

    Exact where these are n(n−1). Twice a number beyond 0 … n(n−1) counts as the nearer end.
    """
    units, most = pairs_apart(rows) * levels, rows * (rows - 1)
    return max(0, min(most, halves)) * units // most
