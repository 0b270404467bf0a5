"""The reusable-holdout experiment: variables chosen by training rows and by the holdout."""

from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import ClassVar, Self, final

import numpy as np
import numpy.typing as npt

from peekproof.audit.analysts.correlation import agreement
from peekproof.audit.analysts.populations import (
    HALF,
    LABEL,
    draw_columns,
    draw_signs,
    names,
    odd_vote,
)
from peekproof.audit.analysts.protocol import (
    Columns,
    Conversation,
    Notes,
    Oracle,
    check_questions,
)
from peekproof.core import check

Floats = npt.NDArray[np.float64]

# One variable in 20 exceeds 1/√n on both halves with the same sign; of some hundreds so many do.
_CHOSEN = 25


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class ReusedHoldout:
    """Keeps variables that training rows and holdout agree about, and asks how well they predict.

    Of the variables whose correlation with the label exceeds 1/√n with the same sign on both, the
    analyst takes the `chosen` with the largest on its training rows, and lets them vote. Guesses
    are what the training rows say. The holdout overstates the vote by

        Φ(√(m/n)·φ(1)/Φ(−1)) − ½                      m = `chosen`, n = `rows`

    Training rows and holdout are independent, so a chosen correlation on the holdout is |z|/√n
    given |z| > 1, of mean (φ(1)/Φ(−1))/√n ≈ 1.525/√n. About one variable in 20 can be chosen: with
    n = 10,000 and m = 500 the prediction is 0.133, the 0.63 that Dwork et al. (2015) report. Of
    less than a hundred variables there are often fewer than m, and it is overstated by less.
    """

    kind: ClassVar[str] = "reused-holdout"
    FORMULA: ClassVar[str] = "Φ(1.525·√(m/n)) − ½, m = k/25"
    SOURCE: ClassVar[str] = "Dwork et al. (2015)"

    rows: int = 300
    variables: int = 400
    chosen: int = 13

    def __post_init__(self) -> None:
        check.positive_integer(rows=self.rows)
        check.positive_integer(variables=self.variables)
        check.positive_integer(chosen=self.chosen)

    @classmethod
    def sized(cls, *, rows: int, questions: int) -> Self:
        variables = check_questions(questions, least=2, kind=cls.kind) - 1
        return cls(rows=rows, variables=variables, chosen=max(1, variables // _CHOSEN))

    @property
    def questions(self) -> int:
        return self.variables + 1

    @property
    def predicted(self) -> float:
        normal = NormalDist()
        return normal.cdf(sqrt(self.chosen / self.rows) * normal.pdf(1) / normal.cdf(-1)) - 0.5

    def data(self, rng: np.random.Generator) -> Columns:
        return draw_columns(self.variables, rows=self.rows, rng=rng)

    def play(self, oracle: Oracle, *, rng: np.random.Generator) -> Conversation:
        notes, variables = Notes(oracle), names(self.variables)
        training = draw_signs((self.variables, self.rows), rng)
        label = draw_signs((self.rows,), rng)
        trained = (training == label).mean(axis=1)
        held = np.array(
            [
                notes.ask(agreement(each, LABEL), truth=HALF, guess=float(guess))
                for each, guess in zip(variables, trained, strict=True)
            ]
        )
        votes = self._votes(trained, held)
        notes.confirm(odd_vote(variables, votes), truth=HALF, above=self.predicted)
        return notes.conversation()

    def _votes(self, trained: Floats, held: Floats) -> list[int]:
        """1 or −1 for each chosen variable, 0 for the others."""
        inside, outside = 2 * trained - 1, 2 * held - 1
        least = 1 / sqrt(self.rows)
        agree = (inside * outside > 0) & (np.minimum(abs(inside), abs(outside)) >= least)
        order = np.argsort(-abs(inside) * agree, kind="stable")[: self.chosen]
        votes = np.zeros(self.variables, dtype=int)
        votes[order] = np.sign(inside[order]) * agree[order]
        return [int(vote) for vote in votes]
