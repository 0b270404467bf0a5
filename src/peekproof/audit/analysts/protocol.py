"""What an analyst is: data whose population is known, and a way to ask about it."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Protocol, Self, final

import numpy as np
import numpy.typing as npt

from peekproof.core import check
from peekproof.core.errors import InvalidInput, Refusal

Columns = dict[str, npt.NDArray[np.generic]]


class Oracle(Protocol):
    """Whoever answers: a session, a holdout, the sample itself."""

    def __call__(
        self, question: str, *, guess: float | None = None, tolerance: float | None = None
    ) -> float:
        """The answer to a question, or a Refusal that is raised.

        Where guesses are checked, the analyst has one, and says how far off it may be; if it does
        not say, it would rather be corrected than confirmed.
        """
        ...


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question, the population's value, what the analyst guessed and what it was told."""

    question: str
    truth: Fraction
    guess: float
    told: float | None  # None if it was refused

    @property
    def believed(self) -> float:
        """What the analyst goes on with: the answer, or its own guess if there was none."""
        return self.guess if self.told is None else self.told

    @property
    def error(self) -> float:
        """How far above the truth the answer is; a refusal misleads nobody."""
        return 0.0 if self.told is None else self.told - float(self.truth)


@final
@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """All that was asked, in order; the attack aims at the last."""

    asked: tuple[Asked, ...]

    @property
    def decisive(self) -> Asked:
        return self.asked[-1]


@final
class Notes:
    """What an analyst writes down while it asks. A refused question is skipped."""

    def __init__(self, oracle: Oracle) -> None:
        self._oracle = oracle
        self._asked: list[Asked] = []

    def ask(
        self, question: str, *, truth: Fraction, guess: float, tolerance: float | None = None
    ) -> float:
        """The answer, or the guess if the oracle refuses."""
        told: float | None
        try:
            told = self._oracle(question, guess=guess, tolerance=tolerance)
        except Refusal:
            told = None
        self._asked.append(Asked(question=question, truth=truth, guess=guess, told=told))
        return self._asked[-1].believed

    def confirm(self, question: str, *, truth: Fraction, above: float) -> float:
        """Ask for a value `above` the truth, so narrowly that whoever confirms it is wrong."""
        guess = min(1.0, float(truth) + above)
        # Of what is true of everybody nothing false can be claimed.
        tolerance = (guess - float(truth)) / 2 or None
        return self.ask(question, truth=truth, guess=guess, tolerance=tolerance)

    def conversation(self) -> Conversation:
        return Conversation(asked=tuple(self._asked))


class Player(Protocol):
    """Whoever asks. Rows are independent draws from a population that it knows."""

    KIND: ClassVar[str]

    @property
    def questions(self) -> int:
        """The most that it asks."""
        ...

    def data(self, rng: np.random.Generator) -> Columns:
        """A sample of the population."""
        ...

    def play(self, oracle: Oracle, *, rng: np.random.Generator) -> Conversation:
        """Ask adaptively; `rng` holds the analyst's own coins, and never those of the sample."""
        ...


class Analyst(Player, Protocol):
    """An attack of a fixed size, whose effect on exact answers is known.

    `FORMULA` says how the effect grows, in k questions before the last, n rows, and a population
    that is a list of N; `SOURCE` who described the attack.
    """

    FORMULA: ClassVar[str]
    SOURCE: ClassVar[str]

    @classmethod
    def sized(cls, *, rows: int, questions: int) -> Self:
        """The strongest of its kind on so many rows that asks at most so many questions."""
        ...

    @property
    def predicted(self) -> float:
        """By how much the sample overstates the decisive question, in the middle of its law.

        The formulas are for dozens of rows and questions, at the least; for fewer they are rough.
        """
        ...


def check_questions(questions: int, *, least: int, kind: str) -> int:
    """Refuse a number of questions with which an attack cannot be made."""
    if check.positive_integer(questions=questions) < least:
        raise InvalidInput(
            argument="questions", accepted=f"at least {least:,} for {kind}", given=f"{questions:,}"
        )
    return questions
