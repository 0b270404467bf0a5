"""Interactive fingerprinting: accuse those who pull the answers their way, hide them, repeat."""

from dataclasses import dataclass
from fractions import Fraction
from math import lgamma, log, sqrt
from statistics import NormalDist
from typing import ClassVar, Self, final

import numpy as np
import numpy.typing as npt

from peekproof.audit.analysts.populations import (
    NUMBER,
    check_size,
    draw_numbers,
    is_one_of,
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

# A column's bias is drawn between these.
_LEAST_BIAS, _MOST_BIAS = 0.1, 0.9
# The longest list for which all accused still fit into a question.
_LONGEST = 1024

Bits = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]

# After the first round the accused are hidden.
_ROUNDS = 2


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Fingerprinting:
    """Finds out who is in the sample from answers to biased columns, and asks for the accused.

    The population is a public list of N = `size` codewords with biases p. In each round of K
    = `columns` questions a codeword c that is not yet accused scores

        Σⱼ (aⱼ − u·c̄ⱼ)(cⱼ − c̄ⱼ) / (pⱼ(1 − pⱼ))           c̄ its mean over all that are not accused

    aⱼ being the answer for those who are not accused and u their share of the sample. Whoever
    scores above K/(2n) is accused, and hidden from later questions. A codeword drawn m times
    scores (m − w)K/n in the mean, with variance V·K/n; w is the mean of m over those not accused,
    and V·n/N the mean square of m − w. So a share Φ((½ + w − m)/√(nV/K)) of them stays. At first m
    has the Poisson law of mean n/N; what stays of it after the last round is `predicted`: the
    population's share of those who are not accused, less the sample's.

    After the interactive fingerprinting of Steinke and Ullman (2015), which is made for whatever
    answers are accurate; against exact ones this much simpler form does.
    """

    kind: ClassVar[str] = "fingerprinting"
    FORMULA: ClassVar[str] = "a sum over the Poisson law of mean n/N"
    SOURCE: ClassVar[str] = "Steinke and Ullman (2015)"

    rows: int = 100
    size: int = 400
    columns: int = 120
    rounds: int = _ROUNDS
    seed: int = 0  # of the list of codewords, which is public

    def __post_init__(self) -> None:
        check_size(rows=self.rows, size=self.size)
        check.positive_integer(columns=self.columns)
        check.positive_integer(rounds=self.rounds)

    @classmethod
    def sized(cls, *, rows: int, questions: int) -> Self:
        most = check_questions(questions, least=2 * _ROUNDS, kind=cls.kind)
        size = max(2, min(4 * rows, _LONGEST))
        return cls(rows=rows, size=size, columns=most // _ROUNDS - 1)

    @property
    def questions(self) -> int:
        return self.rounds * (self.columns + 1)

    @property
    def predicted(self) -> float:
        normal, mean = NormalDist(), self.rows / self.size
        drawn = np.arange(round(mean + 12 * sqrt(mean) + 16))  # how often, at most
        stay = np.exp(drawn * log(mean) - mean - [lgamma(m + 1) for m in drawn])
        for _ in range(self.rounds):
            average = (stay * drawn).sum() / stay.sum()
            variance = (stay * (drawn - average) ** 2).sum() / mean
            apart = sqrt(self.columns / (self.rows * variance))
            stay *= [normal.cdf((0.5 + average - m) * apart) for m in drawn]
        return float(stay.sum() - (stay * drawn).sum() / mean)

    def _book(self) -> tuple[Floats, Bits]:
        """The biases, and for every column the bit of each codeword."""
        rng = np.random.default_rng(self.seed)
        biases = rng.uniform(_LEAST_BIAS, _MOST_BIAS, self.rounds * self.columns)
        return biases, rng.random((len(biases), self.size)) < biases[:, np.newaxis]

    def data(self, rng: np.random.Generator) -> Columns:
        drawn = draw_numbers(self.size, rows=self.rows, rng=rng)
        _, book = self._book()
        return {NUMBER: drawn, **{f"c{j}": bits[drawn] for j, bits in enumerate(book)}}

    def play(self, oracle: Oracle, *, rng: np.random.Generator) -> Conversation:  # noqa: ARG002
        notes, (biases, book) = Notes(oracle), self._book()
        accused = np.zeros(self.size, dtype=np.bool_)
        stay = 1.0
        for first in range(0, len(book), self.columns):
            taken = slice(first, first + self.columns)
            scores = self._scores(notes, biases, book, taken, accused, stay)
            accused |= scores > self.columns / (2 * self.rows)
            # Nobody accused would leave no list to ask about.
            accused[np.argmax(scores)] = True
            members = [int(number) for number in np.flatnonzero(accused)]
            truth = share_of(members, size=self.size)
            told = notes.confirm(is_one_of(members), truth=truth, above=self.predicted)
            stay = 1 - told
        return notes.conversation()

    def _scores(
        self, notes: Notes, biases: Floats, book: Bits, taken: slice, accused: Bits, stay: float
    ) -> Floats:
        """How much each codeword pulled the answers of one round its way; accused ones nothing."""
        free = ~accused
        hidden = [int(number) for number in np.flatnonzero(accused)]
        hide = f" and not {is_one_of(hidden)}" if hidden else ""
        left = max(1, self.size - len(hidden))
        held = (book[taken] & free).sum(axis=1)
        told = []
        for column, count in enumerate(held.tolist(), taken.start):
            truth = Fraction(count, self.size)
            told.append(notes.ask(f"c{column}{hide}", truth=truth, guess=float(truth)))
        means = held / left
        spread = biases[taken] * (1 - biases[taken])
        pulls = (np.array(told) - stay * means) / spread
        scores: Floats = np.where(free, pulls @ (book[taken] - means[:, np.newaxis]), 0.0)
        return scores
