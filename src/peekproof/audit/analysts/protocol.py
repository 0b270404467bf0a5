"""The protocol of analysts (attackers): a known population, and a way to ask about it.

`ExactSample` is the sample itself as an oracle: what every analyst breaks.
"""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Protocol, Self, cast, final

import numpy as np
import numpy.typing as npt

from peekproof.core import check
from peekproof.core.certificate import Span
from peekproof.core.errors import InvalidInput, Refusal
from peekproof.core.secret import Exact
from peekproof.data.load import in_memory
from peekproof.mechanisms.empirical import UnsafeEmpirical
from peekproof.query.form import FINE, Mean, Share
from peekproof.query.question import Question, parse_question, question_of
from peekproof.query.tree import Clip, Product

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

    kind: ClassVar[str]

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


@final
@dataclass(frozen=True, slots=True)
class Measured:
    """What the rows say: a total of `levels` for each row, of shares of this span."""

    total: Exact[int]
    levels: int
    span: Span


@final
class ExactSample:
    """Answers shares and means exactly, for the rows that it holds and for no population."""

    def __init__(self, columns: Columns) -> None:
        self._table = in_memory(columns)

    @property
    def rows(self) -> int:
        return self._table.rows

    def __call__(
        self,
        question: str,
        *,
        guess: float | None = None,  # noqa: ARG002 exact answers need none
        tolerance: float | None = None,  # noqa: ARG002
    ) -> float:
        return float(self.exactly(question))

    def exactly(self, question: str) -> Fraction:
        """The share or mean of the rows."""
        return self._value(self.measure(question))

    def measure(self, question: str) -> Measured:
        """The total of a question, sealed as a mechanism takes it."""
        return self._measured(self._asked(question))

    def spread(self, question: str) -> tuple[float, float]:
        """The share or mean of the rows, and the variance of what single rows contribute to it."""
        asked = self._asked(question)
        value = self._value(self._measured(asked))
        if isinstance(asked.form, Share):
            return float(value), float(value * (1 - value))
        square = self._value(self._measured(_squared(cast(Mean, asked.form), text=question)))
        return float(value), max(0.0, float(square - value**2))

    def share(self, found: Measured) -> Fraction:
        """What was measured, as a share of the way from the low end of its span to the high one."""
        return UnsafeEmpirical(rows=self.rows * found.levels).release_unsafely(found.total)

    def _asked(self, question: str) -> Question:
        asked = parse_question(question, self._table.schema)
        if not isinstance(asked.form, Share | Mean):
            raise InvalidInput(argument="question", accepted="a share or a mean", given=question)
        return asked

    def _measured(self, asked: Question) -> Measured:
        form = cast(Share | Mean, asked.form)
        total = cast(Exact[int], self._table.totals([asked])[0])  # one number, as for both forms
        low, high = map(Fraction, form.span)
        levels = FINE if isinstance(form, Mean) else 1
        return Measured(total, levels, Span.between(low, high))

    def _value(self, found: Measured) -> Fraction:
        return found.span.value(self.share(found))


def _squared(form: Mean, *, text: str) -> Question:
    inside = Clip(form.operand, form.low, form.high)
    most = max(form.low**2, form.high**2)
    square = Mean(Product((inside, inside)), low=0.0, high=most, missing=form.filled**2)
    return question_of(square, text=f"square of {text}")
