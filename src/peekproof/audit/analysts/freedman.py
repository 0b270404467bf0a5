"""Freedman's paradox: screen noise for what correlates, and fit a regression to the rest."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, count, takewhile
from math import ceil, comb, log2, sqrt
from statistics import NormalDist
from typing import ClassVar, Self, final

import numpy as np
import numpy.typing as npt

from peekproof.audit.analysts.correlation import agreement
from peekproof.audit.analysts.populations import HALF, LABEL, draw_columns, names
from peekproof.audit.analysts.protocol import (
    Columns,
    Conversation,
    Notes,
    Oracle,
    check_questions,
)
from peekproof.core import check
from peekproof.core.errors import InvalidInput

# Coefficients are whole multiples of this, so that all that is summed is exact.
_FINEST = 4096

# At which Freedman screens.
_LEVEL = 0.25


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Freedman:
    """Keeps features that are significant at `level`, fits the label with them, asks how well.

    The fit is R², the mean of label times prediction, which is 0 in the population. With
    t = Φ⁻¹(1 − level/2), k = `features`, n = `rows` the sample says about

        R² = S / (1 − level·k/n + S),        S = (k/n)·(level + 2tφ(t))

    S is the expected sum of squared correlations kept, E[z²; |z| > t]·k/n. The features themselves
    correlate by chance, and inverting their matrix of level·k columns gains 1/(1 − level·k/n); of
    S' = S/(1 − level·k/n) against 1 for the rest, S'/(1 + S') is explained. After Freedman (1983),
    who screens by a regression on all features; here a correlation is one question.
    """

    kind: ClassVar[str] = "freedman"
    FORMULA: ClassVar[str] = "S/(1 − f/(4n) + S), S = 0.73·f/n for f features"
    SOURCE: ClassVar[str] = "Freedman (1983)"

    rows: int = 100
    features: int = 50
    level: float = _LEVEL

    def __post_init__(self) -> None:
        check.positive_integer(rows=self.rows)
        if check.positive_integer(features=self.features) > self.rows:
            raise InvalidInput(
                argument="features", accepted="at most the rows", given=repr(self.features)
            )
        check.probability(level=self.level)

    @classmethod
    def sized(cls, *, rows: int, questions: int) -> Self:
        most = check_questions(questions, least=2, kind=cls.kind)
        fitting = takewhile(
            lambda features: features <= rows and cls._asked(features, _LEVEL) <= most, count(1)
        )
        return cls(rows=rows, features=max(fitting))

    @staticmethod
    def _kept(features: int, level: float) -> int:
        """More than stay significant, but for one time in 30,000: four deviations above."""
        spread = sqrt(features * level * (1 - level))
        return min(features, ceil(features * level + 4 * spread))

    @classmethod
    def _asked(cls, features: int, level: float) -> int:
        return features + comb(cls._kept(features, level), 2) + 1

    @property
    def questions(self) -> int:
        return self._asked(self.features, self.level)

    @property
    def _threshold(self) -> float:
        return NormalDist().inv_cdf(1 - self.level / 2)

    @property
    def predicted(self) -> float:
        t = self._threshold
        kept = self.features / self.rows * (self.level + 2 * t * NormalDist().pdf(t))
        return kept / (1 - self.level * self.features / self.rows + kept)

    def data(self, rng: np.random.Generator) -> Columns:
        return draw_columns(self.features, rows=self.rows, rng=rng)

    def play(self, oracle: Oracle, *, rng: np.random.Generator) -> Conversation:  # noqa: ARG002
        notes = Notes(oracle)

        def correlation(one: str, other: str) -> float:
            return 2 * notes.ask(agreement(one, other), truth=HALF, guess=0.5) - 1

        marginal = {each: correlation(each, LABEL) for each in names(self.features)}
        least = self._threshold / sqrt(self.rows)
        kept = [each for each, found in marginal.items() if abs(found) >= least]
        strongest = sorted(marginal, key=lambda each: -abs(marginal[each]))
        most = self._kept(self.features, self.level)
        kept = [each for each in kept if each in strongest[:most]] or strongest[:1]
        matrix = np.eye(len(kept))
        for (i, one), (j, other) in combinations(enumerate(kept), 2):
            matrix[i, j] = matrix[j, i] = correlation(one, other)
        target = np.array([marginal[each] for each in kept])
        fit = np.linalg.lstsq(matrix, target, rcond=None)[0]
        notes.confirm(self._explained(kept, fit), truth=Fraction(0), above=self.predicted)
        return notes.conversation()

    @staticmethod
    def _explained(kept: list[str], fit: npt.NDArray[np.float64]) -> str:
        """The question for the mean of label times prediction, never clipped.

        Nor is it rounded, while the coefficients add up to less than 2,048.
        """
        whole = [int(each) for each in np.rint(_FINEST * fit)]
        whole[0] = whole[0] or 1
        most = max(1, sum(map(abs, whole)) / _FINEST)
        bound = 2 ** ceil(log2(most))
        terms = " ".join(f"{each:+d}*{name}" for each, name in zip(whole, kept, strict=True))
        return f"mean(({terms}) * {LABEL} / {_FINEST}, -{bound}, {bound}, -{bound})"
