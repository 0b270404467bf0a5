"""Digit packing: the rows written into the digits of a mean."""

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import ClassVar, Self, final

import numpy as np
import numpy.typing as npt

from peekproof.audit.analysts.populations import (
    NUMBER,
    check_size,
    draw_numbers,
    is_one_of,
    overdrawn,
    overstated,
    share_of,
)
from peekproof.audit.analysts.protocol import (
    Columns,
    Conversation,
    Notes,
    Oracle,
    check_questions,
)
from peekproof.core import check
from peekproof.core.errors import InvalidInput

# Means keep so many binary places of each row, behind a first digit before the point.
_PLACES = 24


def _digits(bits: int) -> int:
    """How many digits of so many bits a mean holds, the first before the point."""
    return _PLACES // bits + 1


# Of a digit, unless places are drawn more often than it can tell.
_BITS = 4


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Digits:
    """Asks for means of B^(−position), reads how many rows lie where, and asks for those.

    n times a mean is Σ wᵢ B^(−i): its digits in base B = 2^`bits` are the numbers of rows at some
    places of the list, as long as none is drawn B times. With B = 16 that is seven places, all that
    24 binary places of a row hold; a mechanism that kept whole floats would give away about fifty
    at a bit each. After N/7 questions the sample overstates the list of what was drawn by

        (1 − 1/N)ⁿ ≈ e^(−n/N)                             N = `size`, n = `rows`

    if N > n, and else what was drawn more often than n/N times by about √(N/(2πn)). That an answer
    has room for many records is folklore.
    """

    kind: ClassVar[str] = "digits"
    FORMULA: ClassVar[str] = "√(N/(2πn)), or (1 − 1/N)ⁿ if N > n, N up to 7k"
    SOURCE: ClassVar[str] = "folklore"

    rows: int = 100
    size: int = 210
    bits: int = _BITS

    def __post_init__(self) -> None:
        check_size(rows=self.rows, size=self.size)
        if check.positive_integer(bits=self.bits) > _PLACES:
            raise InvalidInput(argument="bits", accepted=f"at most {_PLACES}", given=f"{self.bits}")

    @classmethod
    def sized(cls, *, rows: int, questions: int) -> Self:
        blocks = check_questions(questions, least=3, kind=cls.kind) - 1
        for bits in range(_BITS, _PLACES):
            size = blocks * _digits(bits)
            mean = rows / size
            if mean + 5 * sqrt(mean) < 2**bits:  # no place is drawn more often than a digit tells
                return cls(rows=rows, size=size, bits=bits)
        return cls(rows=rows, size=blocks * _digits(_PLACES), bits=_PLACES)

    @property
    def questions(self) -> int:
        return self.blocks + 1

    @property
    def predicted(self) -> float:
        return overstated(rows=self.rows, size=self.size)

    @property
    def blocks(self) -> int:
        """How many means cover the list."""
        return -(-self.size // _digits(self.bits))

    def _packed(self, block: int) -> npt.NDArray[np.float64]:
        """What each place of the list contributes to the mean of one block."""
        digits = _digits(self.bits)
        position = np.arange(self.size) - block * digits
        inside = (position >= 0) & (position < digits)
        return np.where(inside, 0.5 ** (self.bits * np.clip(position, 0, digits)), 0.0)

    def data(self, rng: np.random.Generator) -> Columns:
        drawn = draw_numbers(self.size, rows=self.rows, rng=rng)
        packed = {f"d{block}": self._packed(block)[drawn] for block in range(self.blocks)}
        return {NUMBER: drawn, **packed}

    def play(self, oracle: Oracle, *, rng: np.random.Generator) -> Conversation:  # noqa: ARG002
        notes, counts = Notes(oracle), list[int]()
        for block in range(self.blocks):
            truth = sum(map(Fraction, self._packed(block).tolist()), Fraction(0)) / self.size
            told = notes.ask(f"mean(d{block}, 0, 1, 0)", truth=truth, guess=float(truth))
            total = round(told * self.rows * 2**_PLACES)
            counts += [
                total >> (_PLACES - self.bits * place) & (2**self.bits - 1)
                for place in range(_digits(self.bits))
            ]
        drawn = overdrawn(np.array(counts[: self.size], dtype=np.float64), rows=self.rows)
        truth = share_of(drawn, size=self.size)
        notes.confirm(is_one_of(drawn), truth=truth, above=self.predicted)
        return notes.conversation()
