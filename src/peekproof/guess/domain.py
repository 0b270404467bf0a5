"""Declared public domains: every row that is possible is a cell, and cells carry masses.

A `Domain` is a product of declared values: what a row could be, one cell for each combination.
`Masses` are positive numbers, one for each cell.
"""

import json
import math
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import pairwise
from typing import cast, final

import numpy as np
import numpy.typing as npt

from peekproof.core.errors import InvalidInput
from peekproof.core.shown import visible
from peekproof.query.form import plain_number
from peekproof.query.schema import Kind, Schema

MOST_CELLS = 2**24

Value = float | str | bool | None


@final
@dataclass(frozen=True, slots=True)
class Ranges:
    """Ranges of a number between increasing `edges`, each held by its midpoint.

    A question that cuts through a range sees the midpoint alone, so a guess for it is
    approximate. That costs failed guesses and nothing else.
    """

    edges: tuple[float, ...]

    def __init__(self, edges: Sequence[float]) -> None:
        object.__setattr__(self, "edges", tuple(_number("edge", edge) for edge in edges))
        if len(self.edges) < 2 or any(low >= high for low, high in pairwise(self.edges)):
            raise InvalidInput(
                argument="edges",
                accepted="at least two increasing numbers",
                given=_shown(self.edges),
            )

    @property
    def points(self) -> tuple[float, ...]:
        """A number in each range, which holds its lower edge and not its upper one."""
        middles = ((low, low / 2 + high / 2, high) for low, high in pairwise(self.edges))
        return tuple(middle if low <= middle < high else low for low, middle, high in middles)


Declared = tuple[Value, ...] | Ranges


@final
class Domain:
    """The product of the values declared for each column; None stands for a missing one.

    Cells are numbered in mixed radix, the last column running fastest. The values are declared by
    whoever knows the population, never read off the rows that are asked about.
    """

    __slots__ = ("cells", "columns")

    def __init__(self, columns: Mapping[str, Sequence[Value] | Ranges]) -> None:
        if not columns:
            raise InvalidInput(
                argument="columns",
                accepted="the values of at least one column, by name",
                given=_shown(columns),
            )
        for name in columns:
            if not isinstance(name, str):
                raise InvalidInput(
                    argument="columns", accepted="names that are text", given=_shown(name)
                )
        self.columns: dict[str, Declared] = {
            name: values if isinstance(values, Ranges) else _declared(name, values)
            for name, values in columns.items()
        }
        self.cells = math.prod(len(points) for _, points in self.axes)
        if self.cells > MOST_CELLS:
            raise InvalidInput(
                argument="columns",
                accepted=f"at most {MOST_CELLS:,} combinations of values",
                given=f"{self.cells:,}" if self.cells < 10**30 else "more than 10^30",
                hint="leave out columns that no question mentions, or declare wider ranges",
            )

    @property
    def axes(self) -> list[tuple[str, tuple[Value, ...]]]:
        """Each column with the values that its cells have, in order."""
        return [(name, _points(values)) for name, values in self.columns.items()]

    def only(self, names: Set[str]) -> "Domain":
        """The product of some of the columns, in the same order."""
        return Domain({name: held for name, held in self.columns.items() if name in names})

    @property
    def schema(self) -> Schema:
        """The columns as questions see them."""
        return Schema({name: _kind(points) for name, points in self.axes})

    def columns_as_arrays(self) -> dict[str, npt.NDArray[np.generic]]:
        """The value of every column in every cell: doubles (NaN if missing), flags, or text."""
        arrays: dict[str, npt.NDArray[np.generic]] = {}
        outer, inner = 1, self.cells
        for name, points in self.axes:
            inner //= len(points)
            arrays[name] = np.tile(np.repeat(_array(points), inner), outer)
            outer *= len(points)
        return arrays

    def to_json(self) -> str:
        """The declaration as text; `from_json` gives an equal domain."""
        columns = [
            {"name": name, "edges": values.edges}
            if isinstance(values, Ranges)
            else {"name": name, "values": values}
            for name, values in self.columns.items()
        ]
        return json.dumps({"columns": columns}, ensure_ascii=False, allow_nan=False)

    @staticmethod
    def from_json(text: str) -> "Domain":
        """The domain that `to_json` wrote."""
        try:
            columns = json.loads(text)["columns"]
            named = [
                (each["name"], Ranges(each["edges"]) if "edges" in each else each["values"])
                for each in columns
            ]
            by_name = dict(named)
        except InvalidInput:
            raise
        except (ValueError, TypeError, KeyError, RecursionError):
            raise InvalidInput(
                argument="domain", accepted="the JSON of a domain", given=_shown(text)
            ) from None
        if len(by_name) < len(named):
            raise InvalidInput(
                argument="domain", accepted="each column once", given="a repeated column"
            )
        return Domain(by_name)

    def __eq__(self, other: object) -> bool:
        # In order, for the order of columns numbers the cells.
        return isinstance(other, Domain) and self.to_json() == other.to_json()

    def __hash__(self) -> int:
        return hash(self.to_json())

    def __repr__(self) -> str:
        return visible(f"Domain({', '.join(self.columns)}: {self.cells:,} cells)")


def _points(values: Declared) -> tuple[Value, ...]:
    return values.points if isinstance(values, Ranges) else values


def _declared(name: str, values: Sequence[Value]) -> tuple[Value, ...]:
    if isinstance(values, str) or not isinstance(values, Sequence):
        raise InvalidInput(
            argument="columns", accepted="a list of values for each name", given=_shown(values)
        )
    if all(isinstance(value, str | bool | None) for value in values):
        held = tuple(values)
    else:
        held = tuple(None if value is None else _number(name, value) for value in values)
    kinds = {type(value) for value in held} - {type(None)}
    if len(kinds) != 1 or len(set(held)) < len(held):
        raise InvalidInput(
            argument=name,
            accepted="different values of one kind, not only None",
            given=_shown(values),
        )
    return held


def _number(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(argument=name, accepted="a number", given=_shown(value))
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InvalidInput(argument=name, accepted="a finite number", given=plain_number(number))
    return number


def _kind(points: tuple[Value, ...]) -> Kind:
    present = next(point for point in points if point is not None)
    if isinstance(present, bool):
        return Kind.FLAG
    return Kind.TEXT if isinstance(present, str) else Kind.NUMBER


def _array(points: tuple[Value, ...]) -> npt.NDArray[np.generic]:
    match _kind(points):
        case Kind.NUMBER:
            return np.array(points, np.float64)  # None becomes NaN
        case Kind.FLAG if None not in points:
            return np.array(points, np.bool_)
        case _:
            return np.array(points, object)


def _shown(value: object) -> str:
    return repr(value)[:80]


Weighing = npt.NDArray[np.bool_] | npt.NDArray[np.float64]

_ROW = 1 << 13
_CHUNK = 1 << 17
_FAR = 600.0  # e^±600, times a factor below 10⁶ and 2²⁴ cells, is an ordinary double
_FLOOR = math.exp(-400.0)
_ROUNDED = 2.0**-50  # what the roundings of one step add to the relative error of a total
_BLURRED = 2.0**-44  # with more than that, the cells are summed again


@final
class Masses:
    """Masses of `cells` cells, at first all equal.

    They can be averaged over and tilted at the speed of memory. Only their ratios matter. They are
    not normalised; from time to time they are brought back to a scale at which no product of
    doubles overflows or loses digits.

    Work goes in pieces that fit a cache, and inner products in rows so short that BLAS keeps each
    to one thread: with one library on one machine the same steps give the same bits.
    """

    __slots__ = ("_blur", "_buffer", "_high", "_low", "_masses", "_total")

    def __init__(self, cells: int) -> None:
        self._masses = np.ones(cells)
        self._buffer = np.empty(min(cells, _CHUNK))
        self._total, self._blur = float(cells), 0.0
        self._low = self._high = 0.0  # the logarithm of each mass lies between them

    def mean(self, values: Weighing) -> float:
        """The mean of `values` in [0, 1] under the normalised masses."""
        return self._inner(values) / self._total

    def normalised(self) -> npt.NDArray[np.float64]:
        """The masses as a distribution."""
        return self._masses * (1 / float(self._masses.sum()))

    def tilt(self, values: Weighing, *, odds: float, mean: float) -> None:
        """Multiply each mass by 1 + (odds − 1)·value, up to a common factor.

        One addition a cell makes the factor: value + 1/(odds − 1), or 1/(1 − odds) − value.
        `mean` is what `mean(values)` gives.
        """
        if max(self._high, -self._low) > _FAR:
            self._settle()
        shift = 1 / abs(odds - 1)
        rises = odds > 1
        for start in range(0, len(self._masses), _CHUNK):
            masses = self._masses[start : start + _CHUNK]
            piece = self._doubles(values[start : start + _CHUNK])
            factor = self._buffer[: len(masses)]
            if rises:
                np.add(piece, shift, out=factor)
            else:
                np.subtract(shift, piece, out=factor)
            np.multiply(masses, factor, out=masses)
        least, most = (shift, shift + 1) if rises else (shift - 1, shift)
        self._low += math.log(least)
        self._high += math.log(most)
        self._carry(shift + mean if rises else shift - mean, shift=shift)

    def _carry(self, factor: float, *, shift: float) -> None:
        """The total after a tilt, without a look at the cells unless digits would be lost.

        With the inner product i = total·mean it is shift·total ± i = factor·total, so a relative
        error of the total is multiplied by shift/factor.
        """
        self._total *= factor
        self._blur = (self._blur + _ROUNDED) * max(1.0, shift / factor)
        if self._blur > _BLURRED:
            self._sum()

    def _sum(self) -> None:
        self._total, self._blur = float(self._masses.sum()), 0.0

    def _settle(self) -> None:
        """The largest mass becomes 1; what is below e⁻⁴⁰⁰ of it becomes that."""
        np.multiply(self._masses, 1 / self._masses.max(), out=self._masses)
        np.maximum(self._masses, _FLOOR, out=self._masses)
        self._low, self._high = math.log(self._masses.min()), 0.0
        self._sum()

    def _inner(self, values: Weighing) -> float:
        # Doubles need no buffer, so they can be had in one piece.
        size = _CHUNK if values.dtype == np.bool_ else len(values)
        parts = []
        for start in range(0, len(values), size):
            masses = self._masses[start : start + size]
            piece = self._doubles(values[start : start + size])
            whole = len(masses) // _ROW * _ROW
            rows = np.vecdot(masses[:whole].reshape(-1, _ROW), piece[:whole].reshape(-1, _ROW))
            parts += [float(rows.sum()), float(np.vecdot(masses[whole:], piece[whole:]))]
        return math.fsum(parts)

    def _doubles(self, piece: Weighing) -> npt.NDArray[np.float64]:
        """The piece itself, or the buffer with its flags as 0 and 1."""
        if piece.dtype == np.float64:
            return cast(npt.NDArray[np.float64], piece)
        flags = self._buffer[: len(piece)]
        np.copyto(flags, piece)
        return flags
