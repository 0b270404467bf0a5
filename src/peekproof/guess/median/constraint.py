"""Questions as vectors over the cells of a finite domain, constraints on them, and who keeps them.

A `Constraint` is what an answer says about a question. A `Holder` holds all data sets that are
consistent with the constraints so far, and says by `NoneConsistent` that there are none.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor, isfinite, lcm
from typing import Protocol, final

import numpy as np
import numpy.typing as npt

from peekproof.core import check
from peekproof.core.errors import InvalidInput

Floats = npt.NDArray[np.float64]
# 64-bit integers, or Python's own where 64 bits do not hold the totals: slower, as exact.
Integers = npt.NDArray[np.int64] | npt.NDArray[np.object_]
Values = (
    Sequence[Fraction | float]
    | npt.NDArray[np.bool_]
    | npt.NDArray[np.int64]
    | npt.NDArray[np.float64]
)

# Totals stay below this, so that sums and differences of two fit 64 bits.
ROOM = 2**62

# More cells than this are a mistake, or need another way to describe a question.
MOST_CELLS = 2**24


def check_cells(cells: object) -> int:
    """The number of cells, if a vector over them can be held."""
    count = check.positive_integer(cells=cells)
    if count > MOST_CELLS:
        raise InvalidInput(argument="cells", accepted=f"at most {MOST_CELLS:,}", given="more")
    return count


@final
@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Levels:
    """A question's values on the cells, exactly: numerators over one denominator."""

    numerators: Integers
    denominator: int

    def floats(self) -> Floats:
        """The values to the nearest double."""
        if self._dyadic:
            # Rounded once: dividing by a power of two is exact.
            return np.asarray(self.numerators.astype(np.float64) / self.denominator)
        exact: list[int] = self.numerators.tolist()
        return np.array([numerator / self.denominator for numerator in exact])

    def on_grid(self, grid: int) -> npt.NDArray[np.int64]:
        """The values times `grid`, a power of two, to the nearest integer, halves to even."""
        doubles = self.numerators.astype(np.float64) if self._dyadic else None
        if doubles is not None and np.array_equal(doubles.astype(np.int64), self.numerators):
            return np.rint(doubles / (self.denominator / grid)).astype(np.int64)
        exact: list[int] = self.numerators.tolist()
        rounded = [round(Fraction(each * grid, self.denominator)) for each in exact]
        return np.array(rounded, dtype=np.int64)

    @property
    def _dyadic(self) -> bool:
        """Whether the denominator is a power of two, and 64 bits hold everything."""
        return self.denominator <= ROOM and self.denominator & (self.denominator - 1) == 0

    def totals_fit(self, size: int) -> bool:
        """Whether 64 bits hold the total of every data set of `size` records."""
        return self.denominator * size <= ROOM


def _refused(problem: str) -> InvalidInput:
    return InvalidInput(
        argument="values", accepted="one number in [0, 1] for each cell", given=problem
    )


def _binary_places(doubles: Floats) -> int:
    """The least b for which all doubles times 2^b are integers; they are in [0, 1]."""
    fractions, exponents = np.frexp(doubles)
    whole = np.ldexp(fractions, 53).astype(np.int64)
    trailing = np.frexp((whole & -whole).astype(np.float64))[1] - 1
    return int(np.max(53 - trailing - exponents, initial=0, where=whole != 0))


def levels(values: Values, *, cells: int) -> Levels:
    """The values of a question, checked and made exact; a float stands for itself."""
    try:
        array = np.asarray(values)
    except ValueError as error:  # rows of different lengths
        raise _refused("something that is not a vector") from error
    if array.shape != (cells,):
        raise _refused(f"the shape {array.shape} for {cells} cells")
    if array.dtype.kind in "biuf" and bool(np.all((array == 0) | (array == 1))):
        return Levels(numerators=array.astype(np.int64), denominator=1)
    if array.dtype == np.float64 and bool(np.all((array >= 0) & (array <= 1))):
        bits = _binary_places(array)
        if 2**bits <= ROOM:
            return Levels(numerators=np.ldexp(array, bits).astype(np.int64), denominator=2**bits)
    exact: list[Fraction] = []
    for value in array.tolist():
        if not isinstance(value, int | float | Fraction) or not isfinite(value):
            raise _refused(repr(value))
        if not 0 <= value <= 1:
            raise _refused(repr(value))
        exact.append(Fraction(value))
    common = lcm(*(value.denominator for value in exact))
    scaled = [value.numerator * (common // value.denominator) for value in exact]
    if common <= ROOM:
        return Levels(numerators=np.array(scaled, dtype=np.int64), denominator=common)
    return Levels(numerators=np.array(scaled, dtype=np.object_), denominator=common)


@final
@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Constraint:
    """low ≤ q(S′) ≤ high, for the question with these values on the cells."""

    values: Values
    low: Fraction
    high: Fraction

    def __post_init__(self) -> None:
        for name, end in (("low", self.low), ("high", self.high)):
            if not isinstance(end, Fraction):
                raise InvalidInput(argument=name, accepted="a Fraction", given=repr(end))
        if self.low > self.high:
            raise InvalidInput(
                argument="low",
                accepted=f"at most high, which is {self.high}",
                given=str(self.low),
            )

    @staticmethod
    def around(values: Values, answer: Fraction, *, within: Fraction) -> "Constraint":
        """|q(S′) − answer| ≤ within."""
        return Constraint(values=values, low=answer - within, high=answer + within)

    def window(self, *, denominator: int, size: int, spare: Fraction) -> tuple[int, int]:
        """The totals Σ numerators that satisfy it, give or take `spare` for each record.

        An empty window has its first end above its second. Both are cut to what totals can be, so
        that they fit wherever totals do.
        """
        unit = denominator * size
        first = ceil(self.low * unit - spare * size)
        last = floor(self.high * unit + spare * size)
        return min(max(0, first), unit + 1), max(min(unit, last), -1)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class NoneConsistent:
    """No data set agrees with all constraints, or none was found: there is no median.

    The sample agrees with its own answers, so this says that no data set of so few records
    represents it on the questions answered, or that the search for one gave up. Guesses lose their
    aim; validity never rests on a guess.
    """

    constraints: int


class Holder(Protocol):
    """All data sets over `cells` cells that satisfy every constraint so far, weighed equally.

    Equally as ordered data sets: a histogram counts as often as its records can be ordered.
    """

    @property
    def cells(self) -> int:
        """How many cells the domain has."""
        ...

    @property
    def consistent(self) -> bool:
        """Whether anything is held."""
        ...

    def median(self, values: Values) -> Fraction | NoneConsistent:
        """The median of the question over what is held; it changes nothing."""
        ...

    def keep(self, constraint: Constraint) -> None:
        """Drop every data set that violates the constraint."""
        ...

    def describe(self) -> dict[str, str]:
        """What a record needs in order to make the same guesses again."""
        ...
