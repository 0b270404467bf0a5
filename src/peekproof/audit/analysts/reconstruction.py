"""Least-squares reconstruction: random subsets, and a system of equations for the rows."""

from dataclasses import dataclass
from typing import ClassVar, Self, final

import numpy as np

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

# Questions beyond as many as the list has places, against a singular matrix.
_SPARE = 10


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Reconstruction:
    """Asks for random halves of the population's list, solves for the rows, and asks for those.

    Answers are A·w/n for a known matrix A of zeros and ones and the unknown number w of rows at
    each place of the list. With as many questions as places least squares finds w. If the list is
    longer than the sample, then the sample overstates the list of what was drawn by

        (1 − 1/N)ⁿ ≈ e^(−n/N)                             N = `size`, n = `rows`

    (½ for N = 2n and rows that are drawn without replacement), and else what was drawn more often
    than n/N times by about √(N/(2πn)). Linear reconstruction is due to
    Dinur and Nissim (2003).
    """

    kind: ClassVar[str] = "reconstruction"
    FORMULA: ClassVar[str] = "√(N/(2πn)), or (1 − 1/N)ⁿ if N > n, N = k − 10"
    SOURCE: ClassVar[str] = "Dinur and Nissim (2003)"

    rows: int = 100
    size: int = 200
    spare: int = _SPARE

    def __post_init__(self) -> None:
        check_size(rows=self.rows, size=self.size)
        check.positive_integer(spare=self.spare)

    @classmethod
    def sized(cls, *, rows: int, questions: int) -> Self:
        most = check_questions(questions, least=_SPARE + 3, kind=cls.kind)
        return cls(rows=rows, size=most - _SPARE - 1)

    @property
    def questions(self) -> int:
        return self.size + self.spare + 1

    @property
    def predicted(self) -> float:
        return overstated(rows=self.rows, size=self.size)

    def data(self, rng: np.random.Generator) -> Columns:
        return {NUMBER: draw_numbers(self.size, rows=self.rows, rng=rng)}

    def play(self, oracle: Oracle, *, rng: np.random.Generator) -> Conversation:
        notes, matrix = Notes(oracle), rng.random((self.size + self.spare, self.size)) < 0.5
        matrix[~matrix.any(axis=1), 0] = True  # an empty list cannot be asked for
        told = []
        for row in matrix:
            members = [int(number) for number in np.flatnonzero(row)]
            share = share_of(members, size=self.size)
            told.append(notes.ask(is_one_of(members), truth=share, guess=float(share)))
        solved = np.linalg.lstsq(matrix.astype(float), self.rows * np.array(told), rcond=None)[0]
        drawn = overdrawn(solved, rows=self.rows)
        truth = share_of(drawn, size=self.size)
        notes.confirm(is_one_of(drawn), truth=truth, above=self.predicted)
        return notes.conversation()
