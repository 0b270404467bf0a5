"""A quick attack and quick opponents: a population of 64 numbers, and votes over fixed halves."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import sqrt
from typing import ClassVar, Self, final

import numpy as np
import numpy.typing as npt

from peekproof.audit.analysts.correlation import leanings
from peekproof.audit.analysts.populations import NUMBER, draw_numbers, is_one_of, share_of
from peekproof.audit.analysts.protocol import Columns, Conversation, Notes, Oracle
from peekproof.audit.opponents.protocol import Promise, Reply, Terms
from peekproof.core.charge import GDP
from peekproof.core.secret import Exact
from peekproof.mechanisms.gaussian import Gaussian
from peekproof.noise.entropy import Seeded

SIZE = 64
STEP = Fraction(1, 2**20)


@lru_cache(maxsize=1024)
def members_of(question: str) -> npt.NDArray[np.bool_]:
    """Which numbers a question of the form `i in (…)` counts."""
    listed = np.zeros(SIZE, dtype=np.bool_)
    listed[[int(each) for each in question.partition("(")[2].rstrip(")").split(",")]] = True
    return listed


@lru_cache
def halves(count: int) -> npt.NDArray[np.bool_]:
    """So many fixed halves of the population, a row each."""
    rng = np.random.default_rng(64)
    return np.array([rng.permutation(SIZE) < SIZE // 2 for _ in range(count)])


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Voting:
    """Asks for the share of each half, and then for the numbers that the answers speak for."""

    kind: ClassVar[str] = "voting"

    rows: int = 10
    features: int = 40

    @classmethod
    def sized(cls, *, rows: int, questions: int) -> Self:
        return cls(rows=rows, features=questions - 1)

    @property
    def questions(self) -> int:
        return self.features + 1

    @property
    def predicted(self) -> float:
        return 0.4

    def data(self, rng: np.random.Generator) -> Columns:
        return {NUMBER: draw_numbers(SIZE, rows=self.rows, rng=rng)}

    def play(self, oracle: Oracle, *, rng: np.random.Generator) -> Conversation:
        notes, known = Notes(oracle), halves(self.features)
        shares = [
            notes.ask(is_one_of(np.flatnonzero(half).tolist()), truth=Fraction(1, 2), guess=0.5)
            for half in known
        ]
        votes = (2.0 * known - 1).T @ np.array(leanings(shares))
        chosen = np.argsort(-votes)[: SIZE // 2].tolist()
        notes.ask(is_one_of(chosen), truth=share_of(chosen, size=SIZE), guess=0.5)
        return notes.conversation()


@final
class Counting:
    """Gaussian noise behind counts, and a promise about it."""

    def __init__(
        self, numbers: npt.NDArray[np.generic], noise: Gaussian, promise: Promise, seed: int
    ) -> None:
        self._numbers, self._noise, self.promise = numbers, noise, promise
        self._rng = Seeded(seed)

    def reply(
        self, question: str, *, guess: float | None = None, tolerance: float | None = None
    ) -> Reply:
        total = int(members_of(question)[self._numbers].sum())
        value = float(self._noise.release(Exact(total), rng=self._rng))
        return Reply(value, 0.0, 1.0)

    def claimed(self, truths: Sequence[Fraction]) -> Fraction:
        return truths[-1]

    def close(self) -> None: ...


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Claims:
    """Claims μ-GDP for all questions, and draws `part` of the noise that this takes."""

    name: str = "claims"
    certified: bool = False
    mu: Fraction = Fraction(3, 5)
    part: Fraction = Fraction(1)

    def open(self, columns: Columns, *, terms: Terms) -> Counting:
        numbers = columns[NUMBER]
        sigma = Fraction(sqrt(terms.questions) / (len(numbers) * self.mu)).limit_denominator(1000)
        loss = GDP(terms.questions / (len(numbers) * sigma) ** 2)
        noise = Gaussian(rows=len(numbers), sigma=sigma * self.part, step=STEP)
        return Counting(numbers, noise, Promise(loss=loss), terms.seed)
