"""Digit packing: the rows written into the digits of a mean."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

import numpy as np
import numpy.typing as npt

from holdfast.audit.analysts.protocol import Columns, Conversation, Notes, Oracle
from holdfast.audit.analysts.universe import (
    NUMBER,
    check_size,
    draw_numbers,
    is_one_of,
    never_drawn,
    overdrawn,
    share_of,
)

# Means keep 24 binary places of each row: seven digits of four places, the first before the point.
_PLACES = 24
_DIGIT = 4
_DIGITS = _PLACES // _DIGIT + 1


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Digits:
    """Asks for means of 16^(−position), reads how many rows lie where, and asks for those.

    n times a mean is Σ wᵢ 16^(−i): its digits in base 16 are the numbers of rows at seven places of
    the list, as long as none is drawn 16 times. Seven is what 24 binary places of a row hold; a
    mechanism that kept whole floats would give away about fifty at a bit each. After N/7 questions
    the sample overstates the list of what was drawn by

        (1 − 1/N)ⁿ ≈ e^(−n/N)                             N = `size`, n = `rows`
    """

    KIND: ClassVar[str] = "digits"

    rows: int = 100
    size: int = 210

    def __post_init__(self) -> None:
        check_size(rows=self.rows, size=self.size)

    @property
    def predicted(self) -> float:
        return never_drawn(rows=self.rows, size=self.size)

    @property
    def blocks(self) -> int:
        """How many means cover the list."""
        return -(-self.size // _DIGITS)

    def _packed(self, block: int) -> npt.NDArray[np.float64]:
        """What each place of the list contributes to the mean of one block."""
        position = np.arange(self.size) - block * _DIGITS
        inside = (position >= 0) & (position < _DIGITS)
        return np.where(inside, 0.5 ** (_DIGIT * np.clip(position, 0, _DIGITS)), 0.0)

    def data(self, rng: np.random.Generator) -> Columns:
        drawn = draw_numbers(self.size, rows=self.rows, rng=rng)
        packed = {f"d{block}": self._packed(block)[drawn] for block in range(self.blocks)}
        return {NUMBER: drawn, **packed}

    def play(self, oracle: Oracle, *, rng: np.random.Generator) -> Conversation:  # noqa: ARG002
        notes, counts = Notes(oracle), list[int]()
        for block in range(self.blocks):
            truth = sum(map(Fraction, self._packed(block).tolist()), Fraction(0)) / self.size
            told = notes.ask(f"mean(d{block}, 0, 1)", truth=truth, guess=float(truth))
            total = round(told * self.rows * 2**_PLACES)
            counts += [
                total >> (_PLACES - _DIGIT * place) & (2**_DIGIT - 1) for place in range(_DIGITS)
            ]
        drawn = overdrawn(np.array(counts[: self.size], dtype=np.float64), rows=self.rows)
        truth = share_of(drawn, size=self.size)
        notes.confirm(is_one_of(drawn), truth=truth, above=self.predicted)
        return notes.conversation()
